/** Links to files and long texts, which are stored for a limited time and read in parts by URI. */
import type { Callable } from "../../core/spec/operation";
import {
  type JsonObject,
  type ResourceLink,
  type ResultContent,
  retentionMs,
  retentionText,
} from "./content";
import { maxResultLength, truncate, truncationNote } from "./values";
import { randomUUID } from "node:crypto";

/** Total size of all entries, in characters of JSON. */
const maxStoredLength = 32 * 1024 * 1024;

interface Entry<T> {
  readonly value: T;
  /** Person whose call stored it; undefined for callers without a name of their own. */
  readonly owner: string | undefined;
  readonly size: number;
  readonly expiresAt: number;
}

/** Belongs to one client of the service. The oldest entries are evicted first. */
export class ExpiringStore<T> {
  readonly #entries = new Map<string, Entry<T>>();
  #size = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** Stores a value of a person and returns its key; undefined if the value exceeds the total size. */
  add(value: T, size: number, owner?: string): string | undefined {
    if (size > maxStoredLength) return undefined;
    this.#evictUntil(maxStoredLength - size);
    const key = randomUUID();
    this.#entries.set(key, { value, owner, size, expiresAt: this.now() + retentionMs });
    this.#size += size;
    return key;
  }

  /** Returns the value; undefined if the key is unknown, has expired or belongs to another person. */
  get(key: string, owner?: string): T | undefined {
    this.#evictUntil(maxStoredLength);
    const entry = this.#entries.get(key);
    return entry?.owner === owner ? entry?.value : undefined;
  }

  // All entries have the same lifetime, so insertion order is also expiry order.
  #evictUntil(maxLength: number): void {
    const now = this.now();
    for (const [key, { size, expiresAt }] of this.#entries) {
      if (expiresAt > now && this.#size <= maxLength) return;
      this.#entries.delete(key);
      this.#size -= size;
    }
  }
}

export interface Resource {
  readonly name: string;
  readonly mimeType: string;
  readonly content: string | Buffer;
}

export const storedUriRoot = "fxdesk://results/";

const uriPattern = /^fxdesk:\/\/results\/([\w-]+)(?:\?from=(\d+))?$/;

/** Size of one part: characters of text, or bytes. */
const partSizes = { text: 20_000, bytes: 256 * 1024 } as const;

/** Moves an index behind a surrogate pair, so that no character is split. */
const characterBoundary = (text: string, index: number): number =>
  /[\uDC00-\uDFFF]/.test(text.charAt(index)) && index > 0 ? index + 1 : index;

const partSizeOf = ({ content }: Resource): number =>
  typeof content === "string" ? partSizes.text : partSizes.bytes;

const describeResource = (resource: Resource): string => {
  const unit = typeof resource.content === "string" ? "characters" : "bytes";
  const { length } = resource.content;
  const totalSize = `${length} ${unit}, available for ${retentionText}`;
  const size = partSizeOf(resource);
  return length <= size
    ? `${totalSize}.`
    : `${totalSize}. To read the next parts, add ?from=${size}, ?from=${2 * size} and so on to the URI.`;
};

/** The stored resources of one person. */
export class Resources {
  constructor(
    private readonly store = new ExpiringStore<Resource>(),
    private readonly owner?: string,
  ) {}

  /** Returns those of another person, in the same store. */
  of(owner: string | undefined): Resources {
    return new Resources(this.store, owner);
  }

  /** Stores a resource; undefined if it is too large. */
  add(resource: Resource): ResourceLink | undefined {
    const key = this.store.add(resource, resource.content.length, this.owner);
    if (key === undefined) return undefined;
    const { name, mimeType } = resource;
    return {
      type: "resource_link",
      uri: `${storedUriRoot}${key}`,
      name,
      mimeType,
      description: describeResource(resource),
    };
  }

  /** Reads a part for `resources/read`; `_meta.next` is the URI of the next part. Undefined if the resource is unknown or expired. */
  read(uri: string): JsonObject | undefined {
    const [, key = "", from = "0"] = uriPattern.exec(uri) ?? [];
    const resource = this.store.get(key, this.owner);
    const start = Number(from);
    if (!resource || start > resource.content.length) return undefined;
    const { content, mimeType } = resource;
    const end = start + partSizeOf(resource);
    const next = end < content.length ? `${storedUriRoot}${key}?from=${end}` : undefined;
    const part =
      typeof content === "string"
        ? { text: content.slice(characterBoundary(content, start), characterBoundary(content, end)) }
        : { blob: content.subarray(start, end).toString("base64") };
    return { contents: [{ uri, mimeType, ...part, ...(next && { _meta: { next } }) }] };
  }
}

export const excerptNote = "Only the beginning is shown.";
const notStoredNote = "The complete content is too large to be stored on this server.";

/** Stores a resource and returns the given facts with a link to it. */
export function linkedContent(facts: JsonObject, resource: Resource, resources: Resources): ResultContent {
  const link = resources.add(resource);
  if (!link) return { content: facts, remarks: [notStoredNote] };
  const { uri, description } = link;
  return {
    content: { ...facts, resource: uri, resource_description: description },
    remarks: [`The complete content is the resource ${uri}: ${description}`],
    attachments: [link],
  };
}

/** Returns a text; if it is too long, its beginning and a link to the complete text. */
export function textContent(
  operation: Callable,
  facts: JsonObject,
  resource: Resource & { content: string },
  resources: Resources,
): ResultContent {
  const excerpt = truncate(resource.content, maxResultLength);
  if (excerpt === resource.content) return { content: { ...facts, text: excerpt }, remarks: [] };
  const truncated = truncationNote(operation, excerptNote);
  const { content, remarks, ...rest } = linkedContent(
    { truncated, ...facts, text: excerpt },
    resource,
    resources,
  );
  return { content, remarks: [truncated, ...remarks], ...rest };
}
