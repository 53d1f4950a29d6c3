/** A file of the service, or a long text, as the result of a tool. */
import { bytesOf } from "../core/client/deliver";
import type { ReceivedFile } from "../core/client/file";
import type { Callable } from "../core/declaration/operation";
import type { Deliver } from "../core/declaration/procedure";
import { visibleText } from "./visible-text";
import { truncate } from "./truncate";
import type { JsonObject } from "./protocol";
import type { Resource, Resources } from "./resources";
import { cutNote, maxResultLength, type ResultContent } from "./result-content";

/** Bytes of a file that is kept. */
const largestFile = 8 * 1024 * 1024;

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
  const truncated = cutNote(operation, "Only the beginning is shown.");
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
