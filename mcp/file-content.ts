/** A file of the service, or a long text, as the result of a tool. */
import { bytesOf } from "../core/client/deliver";
import type { ReceivedFile } from "../core/client/file";
import type { Callable } from "../core/declaration/operation";
import type { Deliver } from "../core/declaration/procedure";
import { visibleText } from "./visible-text";
import { jsonLength, truncate } from "./truncate";
import { keptFor } from "./expiring-store";
import type { JsonObject, ResourceLink } from "./protocol";
import type { Resource, Resources } from "./resources";
import { cutNote, maxResultLength, type ResultContent } from "./result-content";

/** Bytes of a file that is kept. */
const largestFile = 8 * 1024 * 1024;

/** How the addresses of what is kept begin. */
const keptRoot = "fxdesk://kept/";

/** Characters of a text of which it is not worth to show fewer. */
const leastBeginning = 200;

const isText = (contentType: string): boolean => /^text\/|[/+](json|xml|csv)\b/i.test(contentType);

/** The first bytes of a file; the connection is given back either way. */
async function firstBytes(
  { stream }: ReceivedFile,
  limit: number,
): Promise<{ bytes: Buffer; whole: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) return { bytes: Buffer.concat(chunks).subarray(0, limit), whole: false };
  }
  return { bytes: Buffer.concat(chunks), whole: true };
}

const elsewhere = ({ name }: Callable) =>
  `A person can save it whole on the command line: fxdesk call ${name} … --output FILE.`;

const onlyBeginning = "Only the beginning is shown.";
const notKept = "The whole is too large to be kept here.";

/** What is said of something that is read elsewhere. */
export function linkedContent(facts: JsonObject, resource: Resource, resources: Resources): ResultContent {
  const link = resources.keep(resource);
  if (!link) return { content: facts, remarks: [notKept] };
  const { uri, description } = link;
  return {
    content: { ...facts, resource: uri, resource_holds: description },
    remarks: [`The whole is the resource ${uri}: ${description}`],
    attached: [link],
  };
}

/** A text: whole where it fits, else its beginning and where the whole is. */
export function textContent(
  operation: Callable,
  facts: JsonObject,
  resource: Resource & { content: string },
  resources: Resources,
): ResultContent {
  const beginning = truncate(resource.content, maxResultLength);
  if (beginning === resource.content) return { content: { ...facts, text: beginning }, remarks: [] };
  const truncated = cutNote(operation, onlyBeginning);
  const { content, remarks, ...rest } = linkedContent(
    { truncated, ...facts, text: beginning },
    resource,
    resources,
  );
  return { content, remarks: [truncated, ...remarks], ...rest };
}

/** Keeps the files of a procedure as resources. Throws where one is too large to be kept. */
export const intoResources =
  (resources: Resources): Deliver =>
  async (file) => {
    const bytes = await bytesOf(file, largestFile);
    const { name, contentType: mimeType } = file;
    const content = isText(mimeType) ? visibleText(bytes.toString("utf8")) : bytes;
    const link = resources.keep({ name: visibleText(name), mimeType, content });
    if (!link) throw new Error("it is too large to be kept here");
    return { uri: link.uri };
  };

/** A file as the result of a procedure tells of it. */
type GivenFile = JsonObject & { readonly uri: string; readonly name: string };

/** The first part of it, as it is kept. */
interface FirstPart {
  readonly mimeType: string;
  readonly text?: string;
  readonly _meta?: { readonly next: string };
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

const isGivenFile = (value: JsonObject): value is GivenFile =>
  typeof value.uri === "string" && value.uri.startsWith(keptRoot) && typeof value.name === "string";

function filesIn(value: unknown): GivenFile[] {
  if (!isObject(value)) return [];
  return isGivenFile(value) ? [value] : Object.values(value).flatMap(filesIn);
}

/** A value with other objects in place of some inside it. */
function replaced(value: unknown, by: ReadonlyMap<unknown, unknown>): unknown {
  if (by.has(value)) return by.get(value);
  if (Array.isArray(value)) return value.map((each) => replaced(each, by));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner, by)]));
}

const linkTo = ({ uri, name }: GivenFile, { mimeType, _meta: meta }: FirstPart): ResourceLink => ({
  type: "resource_link",
  uri,
  name,
  mimeType,
  description: `Kept for ${keptFor}${meta ? `; in parts: the second is ${meta.next}` : ""}.`,
});

/** A file with as much of its text as is in its share of the room. */
function withBeginning(file: GivenFile, { text, _meta: meta }: FirstPart, share: number): JsonObject {
  if (text === undefined || share < leastBeginning) return file;
  const shown = truncate(text, share);
  return { ...file, ...((meta || shown !== text) && { truncated: onlyBeginning }), text: shown };
}

/** The files that a procedure gave: each is linked to and, where it is text and there is room, begins in the result. */
export function withFiles(result: ResultContent, resources: Resources): ResultContent {
  const files = filesIn(result.content);
  if (files.length === 0) return result;
  const told = new Map<GivenFile, JsonObject>();
  const kept: { readonly file: GivenFile; readonly part: FirstPart }[] = [];
  for (const file of files) {
    const found = resources.read(file.uri) as { readonly contents: readonly [FirstPart] } | undefined;
    const { uri: _, ...gone } = file;
    if (found) kept.push({ file, part: found.contents[0] });
    else told.set(file, { ...gone, truncated: "Not kept here any more: ask for fewer files at once." });
  }
  let left = maxResultLength - jsonLength(result.content);
  // The shortest first: what they leave is for the others.
  const texts = kept.filter(({ part }) => part.text !== undefined);
  const shortestFirst = texts.toSorted((one, other) => one.part.text!.length - other.part.text!.length);
  for (const [index, { file, part }] of shortestFirst.entries()) {
    const begun = withBeginning(file, part, left / (texts.length - index));
    left -= jsonLength(begun) - jsonLength(file);
    told.set(file, begun);
  }
  // A text that is shorter than its JSON was made without the files.
  const { text: _, remarks, attached = [] } = result;
  return {
    content: replaced(result.content, told) as JsonObject,
    remarks:
      kept.length > 0 ? [...remarks, `Each file is a resource at its uri, kept for ${keptFor}.`] : remarks,
    attached: [...attached, ...kept.map(({ file, part }) => linkTo(file, part))],
  };
}

/** The facts about a file, and its content: as text where it is text, else as a resource. */
export async function fileContent(
  operation: Callable,
  file: ReceivedFile,
  resources: Resources,
): Promise<ResultContent> {
  const { contentType } = file;
  const { bytes, whole } = await firstBytes(file, largestFile);
  const size = whole ? bytes.length : file.size;
  const name = visibleText(file.fileName ?? operation.tool);
  const facts = { file_name: name, content_type: contentType, ...(size !== undefined && { size }) };
  if (!whole) {
    const truncated = `Too large to pass on here. ${elsewhere(operation)}`;
    return { content: { truncated, ...facts }, remarks: [truncated] };
  }
  const resource = { name, mimeType: contentType };
  return isText(contentType)
    ? textContent(operation, facts, { ...resource, content: visibleText(bytes.toString("utf8")) }, resources)
    : linkedContent(facts, { ...resource, content: bytes }, resources);
}
