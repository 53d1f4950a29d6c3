/** Files and long texts of results: kept for a while, and read in parts by whoever was given their address. */
import { ExpiringStore, retentionText } from "./expiring-store";
import type { JsonObject, ResourceLink } from "./protocol";

/** What is kept of a result. */
export interface Resource {
  readonly name: string;
  readonly mimeType: string;
  readonly content: string | Buffer;
}

const uriPattern = /^fxdesk:\/\/kept\/([\w-]+)(?:\?from=(\d+))?$/;

/** Characters of a part of a text, and bytes of a part of anything else. */
const partSizes = { text: 20_000, bytes: 256 * 1024 } as const;

/** Characters that are two are not parted. */
const characterBoundary = (text: string, index: number): number =>
  /[\uDC00-\uDFFF]/.test(text.charAt(index)) && index > 0 ? index + 1 : index;

const partSizeOf = ({ content }: Resource): number =>
  typeof content === "string" ? partSizes.text : partSizes.bytes;

const describeResource = (resource: Resource): string => {
  const unit = typeof resource.content === "string" ? "characters" : "bytes";
  const { length } = resource.content;
  const totalSize = `${length} ${unit}, kept for ${retentionText}`;
  const size = partSizeOf(resource);
  return length <= size
    ? `${totalSize}.`
    : `${totalSize}; in parts: add ?from=${size}, ?from=${2 * size} and so on.`;
};

export class Resources {
  readonly #store = new ExpiringStore<Resource>();

  /** Undefined where it is too large to be kept. */
  add(resource: Resource): ResourceLink | undefined {
    const key = this.#store.add(resource, resource.content.length);
    if (key === undefined) return undefined;
    const { name, mimeType } = resource;
    return {
      type: "resource_link",
      uri: `fxdesk://kept/${key}`,
      name,
      mimeType,
      description: describeResource(resource),
    };
  }

  /** A part, as `resources/read` returns it: `_meta.next` is the address of the one after it. Undefined for what is not here. */
  read(uri: string): JsonObject | undefined {
    const [, key = "", from = "0"] = uriPattern.exec(uri) ?? [];
    const resource = this.#store.get(key);
    const start = Number(from);
    if (!resource || start > resource.content.length) return undefined;
    const { content, mimeType } = resource;
    const end = start + partSizeOf(resource);
    const next = end < content.length ? `fxdesk://kept/${key}?from=${end}` : undefined;
    const part =
      typeof content === "string"
        ? { text: content.slice(characterBoundary(content, start), characterBoundary(content, end)) }
        : { blob: content.subarray(start, end).toString("base64") };
    return { contents: [{ uri, mimeType, ...part, ...(next && { _meta: { next } }) }] };
  }
}
