/** Files and long texts of results, stored for a limited time and read in parts by URI. */
import { ExpiringStore, retentionText } from "./expiring-store";
import type { JsonObject, ResourceLink } from "../protocol";

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

export class Resources {
  readonly #store = new ExpiringStore<Resource>();

  /** Stores a resource; undefined if it is too large. */
  add(resource: Resource): ResourceLink | undefined {
    const key = this.#store.add(resource, resource.content.length);
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
    const resource = this.#store.get(key);
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
