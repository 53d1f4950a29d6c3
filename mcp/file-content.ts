/** A file of the service, or a long text, as the result of a tool. */
import { readBytes } from "../core/client/file-delivery";
import type { ReceivedFile } from "../core/client/received-file";
import type { Callable } from "../core/declaration/operation";
import type { DeliverFile } from "../core/declaration/procedure";
import { visibleText } from "./visible-text";
import { jsonLength, truncate } from "./truncate";
import { retentionText } from "./expiring-store";
import type { JsonObject, ResourceLink } from "./protocol";
import type { Resource, Resources } from "./resources";
import { truncationNote, maxResultLength, type ResultContent } from "./result-content";

/** Bytes of a file that is kept. */
const maxFileBytes = 8 * 1024 * 1024;

/** How the addresses of what is kept begin. */
const storedUriRoot = "fxdesk://kept/";

/** Characters of a text of which it is not worth to show fewer. */
const minExcerptLength = 200;

const isText = (contentType: string): boolean => /^text\/|[/+](json|xml|csv)\b/i.test(contentType);

/** The first bytes of a file; the connection is given back either way. */
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
  `A person can save it whole on the command line: fxdesk call ${name} … --output FILE.`;

const excerptNote = "Only the beginning is shown.";
const notStoredNote = "The whole is too large to be kept here.";

/** What is said of something that is read elsewhere. */
export function linkedContent(facts: JsonObject, resource: Resource, resources: Resources): ResultContent {
  const link = resources.add(resource);
  if (!link) return { content: facts, remarks: [notStoredNote] };
  const { uri, description } = link;
  return {
    content: { ...facts, resource: uri, resource_holds: description },
    remarks: [`The whole is the resource ${uri}: ${description}`],
    attachments: [link],
  };
}

/** A text: whole where it fits, else its beginning and where the whole is. */
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

/** Keeps the files of a procedure as resources. Throws where one is too large to be kept. */
export const deliverToResources =
  (resources: Resources): DeliverFile =>
  async (file) => {
    const bytes = await readBytes(file, maxFileBytes);
    const { name, contentType: mimeType } = file;
    const content = isText(mimeType) ? visibleText(bytes.toString("utf8")) : bytes;
    const link = resources.add({ name: visibleText(name), mimeType, content });
    if (!link) throw new Error("it is too large to be kept here");
    return { uri: link.uri };
  };

/** A file as the result of a procedure tells of it. */
type DeliveredFile = JsonObject & { readonly uri: string; readonly name: string };

/** The first part of it, as it is kept. */
interface FirstPart {
  readonly mimeType: string;
  readonly text?: string;
  readonly _meta?: { readonly next: string };
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

const isDeliveredFile = (value: JsonObject): value is DeliveredFile =>
  typeof value.uri === "string" && value.uri.startsWith(storedUriRoot) && typeof value.name === "string";

function filesIn(value: unknown): DeliveredFile[] {
  if (!isObject(value)) return [];
  return isDeliveredFile(value) ? [value] : Object.values(value).flatMap(filesIn);
}

/** A value with other objects in place of some inside it. */
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
  description: `Kept for ${retentionText}${meta ? `; in parts: the second is ${meta.next}` : ""}.`,
});

/** A file with as much of its text as is in its share of the room. */
function withExcerpt(file: DeliveredFile, { text, _meta: meta }: FirstPart, share: number): JsonObject {
  if (text === undefined || share < minExcerptLength) return file;
  const shown = truncate(text, share);
  return { ...file, ...((meta || shown !== text) && { truncated: excerptNote }), text: shown };
}

/** The files that a procedure gave: each is linked to and, where it is text and there is room, begins in the result. */
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
        truncated: "Not kept here any more: ask for fewer files at once.",
      });
  }
  let remaining = maxResultLength - jsonLength(result.content);
  // The shortest first: what they leave is for the others.
  const texts = stored.filter(({ part }) => part.text !== undefined);
  const shortestFirst = texts.toSorted((one, other) => one.part.text!.length - other.part.text!.length);
  for (const [index, { file, part }] of shortestFirst.entries()) {
    const excerpted = withExcerpt(file, part, remaining / (texts.length - index));
    remaining -= jsonLength(excerpted) - jsonLength(file);
    replacements.set(file, excerpted);
  }
  // A text that is shorter than its JSON was made without the files.
  const { text: _, remarks, attachments = [] } = result;
  return {
    content: replaceObjects(result.content, replacements) as JsonObject,
    remarks:
      stored.length > 0
        ? [...remarks, `Each file is a resource at its uri, kept for ${retentionText}.`]
        : remarks,
    attachments: [...attachments, ...stored.map(({ file, part }) => toResourceLink(file, part))],
  };
}

/** The facts about a file, and its content: as text where it is text, else as a resource. */
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
    const truncated = `Too large to pass on here. ${commandLineHint(operation)}`;
    return { content: { truncated, ...facts }, remarks: [truncated] };
  }
  const resource = { name, mimeType: contentType };
  return isText(contentType)
    ? textContent(operation, facts, { ...resource, content: visibleText(bytes.toString("utf8")) }, resources)
    : linkedContent(facts, { ...resource, content: bytes }, resources);
}
