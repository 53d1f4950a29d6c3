/** A file of the service as the result of a tool. */
import type { ReceivedFile } from "../core/client/file";
import type { Declaration } from "../core/operations/declaration";
import { clean } from "./clean";
import { fit } from "./fit";
import type { JsonObject } from "./protocol";
import { largestResult, type Shown } from "./shown";

/** Bytes of a file that is passed on whole as an embedded resource. */
const largestBinary = 256 * 1024;
/** Bytes of a text file that are read: more than can be shown, whatever the characters. */
const largestText = 64 * 1024;

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

const elsewhere = ({ name }: Declaration) =>
  `A person can save it whole on the command line: fxdesk call ${name} … --output FILE.`;

/** The facts about a file, and its content: as text where it is text, else embedded. */
export async function shownFile(operation: Declaration, file: ReceivedFile): Promise<Shown> {
  const text = isText(file.contentType);
  const { bytes, whole } = await firstBytes(file, text ? largestText : largestBinary);
  const size = whole ? bytes.length : file.size;
  const name = clean(file.fileName ?? operation.tool);
  const facts = { file_name: name, content_type: file.contentType, ...(size !== undefined && { size }) };
  if (text) return shownText(operation, facts, clean(bytes.toString("utf8")));
  if (!whole) return cut(facts, `Too large to pass on here. ${elsewhere(operation)}`);
  const uri = `fxdesk://${operation.tool}/${encodeURIComponent(name)}`;
  const resource = { uri, mimeType: file.contentType, blob: bytes.toString("base64") };
  return {
    content: { ...facts, resource: uri },
    remarks: ["It is embedded in this result."],
    attached: [{ type: "resource", resource }],
  };
}

const cut = (facts: JsonObject, truncated: string): Shown => ({
  content: { truncated, ...facts },
  remarks: [truncated],
});

function shownText(operation: Declaration, facts: JsonObject, text: string): Shown {
  const beginning = fit(text, largestResult);
  if (beginning === text) return { content: { ...facts, text }, remarks: [] };
  return cut({ ...facts, text: beginning }, `Only the beginning is shown. ${elsewhere(operation)}`);
}
