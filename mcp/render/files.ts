/** Formats files: of the service, and those that a procedure delivers. */
import { readBytes } from "../../core/call/file-delivery";
import type { ReceivedFile } from "../../core/call/received-file";
import type { Callable } from "../../core/spec/operation";
import type { DeliverFile } from "../../core/spec/procedure";
import { visibleText } from "../../core/values/visible-text";
import { isObject, type JsonObject, type ResourceLink, type ResultContent } from "./content";
import { excerptNote, linkedContent, type Resources, storedUriRoot, textContent } from "./links";
import { retentionText } from "./content";
import { jsonLength, maxResultLength, truncate } from "./values";

/** Largest file that is stored, in bytes. */
const maxFileBytes = 8 * 1024 * 1024;

/** Shortest excerpt worth showing, in characters. */
const minExcerptLength = 200;

const isText = (contentType: string): boolean => /^text\/|[/+](json|xml|csv)\b/i.test(contentType);

/** Decodes UTF-8, without the mark at its beginning. */
const fileText = (bytes: Buffer): string => visibleText(new TextDecoder().decode(bytes));

/** Reads up to `limit` bytes. Releases the connection in either case. */
async function readFirstBytes(
  { stream }: ReceivedFile,
  limit: number,
): Promise<{ bytes: Buffer; isComplete: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) return { bytes: Buffer.concat(chunks).subarray(0, limit), isComplete: false };
  }
  return { bytes: Buffer.concat(chunks), isComplete: true };
}

const commandLineHint = ({ name }: Callable) =>
  `To save the complete file, run on the command line: fxdesk call ${name} … --output FILE.`;

/** Stores the files of a procedure as resources. Throws if a file is too large. */
export const deliverToResources =
  (resources: Resources): DeliverFile =>
  async (file) => {
    const bytes = await readBytes(file, maxFileBytes);
    const { name, contentType: mimeType } = file;
    const content = isText(mimeType) ? fileText(bytes) : bytes;
    const link = resources.add({ name: visibleText(name), mimeType, content });
    if (!link) throw new Error("it is too large to be stored on this server");
    return { uri: link.uri };
  };

/** A file as it appears in the result of a procedure. */
type DeliveredFile = JsonObject & { readonly uri: string; readonly name: string };

/** The first part of a stored resource. */
interface FirstPart {
  readonly mimeType: string;
  readonly text?: string;
  readonly _meta?: { readonly next: string };
}

const isDeliveredFile = (value: JsonObject): value is DeliveredFile =>
  typeof value.uri === "string" && value.uri.startsWith(storedUriRoot) && typeof value.name === "string";

function filesIn(value: unknown): DeliveredFile[] {
  if (!isObject(value)) return [];
  return isDeliveredFile(value) ? [value] : Object.values(value).flatMap(filesIn);
}

/** Replaces objects inside a value. */
function replaceObjects(value: unknown, replacements: ReadonlyMap<unknown, unknown>): unknown {
  if (replacements.has(value)) return replacements.get(value);
  if (Array.isArray(value)) return value.map((each) => replaceObjects(each, replacements));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, replaceObjects(inner, replacements)]),
  );
}

const toResourceLink = (
  { uri, name }: DeliveredFile,
  { mimeType, _meta: meta }: FirstPart,
): ResourceLink => ({
  type: "resource_link",
  uri,
  name,
  mimeType,
  description: `Available for ${retentionText}${meta ? `, in parts. The second part is ${meta.next}` : ""}.`,
});

/** Adds as much of the text as fits in `share` characters. */
function withExcerpt(file: DeliveredFile, { text, _meta: meta }: FirstPart, share: number): JsonObject {
  if (text === undefined || share < minExcerptLength) return file;
  const shown = truncate(text, share);
  return { ...file, ...((meta || shown !== text) && { truncated: excerptNote }), text: shown };
}

/** Links the files of a procedure, and shows the beginning of text files if there is room. */
export function withFileExcerpts(result: ResultContent, resources: Resources): ResultContent {
  const files = filesIn(result.content);
  if (files.length === 0) return result;
  const replacements = new Map<DeliveredFile, JsonObject>();
  const stored: { readonly file: DeliveredFile; readonly part: FirstPart }[] = [];
  for (const file of files) {
    const found = resources.read(file.uri) as { readonly contents: readonly [FirstPart] } | undefined;
    const { uri: _, ...fileWithoutUri } = file;
    if (found) stored.push({ file, part: found.contents[0] });
    else
      replacements.set(file, {
        ...fileWithoutUri,
        truncated: "No longer stored on this server. Request fewer files at once.",
      });
  }
  const texts = stored.filter(({ part }) => part.text !== undefined);
  const share = (maxResultLength - jsonLength(result.content)) / texts.length;
  for (const { file, part } of texts) replacements.set(file, withExcerpt(file, part, share));
  // The compact text was created without the files, so it is dropped.
  const { text: _, remarks, attachments = [] } = result;
  return {
    content: replaceObjects(result.content, replacements) as JsonObject,
    remarks:
      stored.length > 0
        ? [...remarks, `Each file is a resource at its uri, available for ${retentionText}.`]
        : remarks,
    attachments: [...attachments, ...stored.map(({ file, part }) => toResourceLink(file, part))],
  };
}

/** Returns the facts about a file and its content, as text or as a resource. */
export async function fileContent(
  operation: Callable,
  file: ReceivedFile,
  resources: Resources,
): Promise<ResultContent> {
  const { contentType } = file;
  const { bytes, isComplete } = await readFirstBytes(file, maxFileBytes);
  const size = isComplete ? bytes.length : file.size;
  const name = visibleText(file.fileName ?? operation.tool);
  const facts = { file_name: name, content_type: contentType, ...(size !== undefined && { size }) };
  if (!isComplete) {
    const truncated = `The file is too large for this server. ${commandLineHint(operation)}`;
    return { content: { truncated, ...facts }, remarks: [truncated] };
  }
  const resource = { name, mimeType: contentType };
  return isText(contentType)
    ? textContent(operation, facts, { ...resource, content: fileText(bytes) }, resources)
    : linkedContent(facts, { ...resource, content: bytes }, resources);
}
