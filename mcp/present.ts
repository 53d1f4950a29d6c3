/** From what was read of the service to the result of a tool. */
import type { Reply } from "../core/client/reply";
import type { ReceivedFile } from "../core/client/file";
import type { Answer, Declaration } from "../core/operations/declaration";
import { linked, shownFile, shownText } from "./file";
import { fit, sizeOf } from "./fit";
import { shownRows } from "./list";
import { plain } from "./plain";
import type { JsonObject, ToolResult } from "./protocol";
import type { Found } from "./reading";
import type { Resources } from "./resources";
import { largestResult, type Shown } from "./shown";

/** What is told beside the body when an answer differs from the contract. */
const mostDifferences = 5;

function shownObject({ tool }: Declaration, content: JsonObject, resources: Resources): Shown {
  if (sizeOf(content) <= largestResult) return { content, remarks: [] };
  const truncated = "Too long to show whole: lists and texts in it are cut.";
  const short = { truncated, ...(fit(content, largestResult) as JsonObject) };
  const whole = { name: tool, mimeType: "application/json", content: JSON.stringify(content) };
  const { remarks, ...rest } = linked(short, whole, resources);
  return { ...rest, remarks: [truncated, ...remarks] };
}

/** A page for a person's browser: a model is told what it is. */
const shownPage = ({ tool }: Declaration, content: string, resources: Resources): Shown =>
  linked(
    { content_type: "text/html", size: content.length },
    { name: tool, mimeType: "text/html", content },
    resources,
  );

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** What came back: of a list the rows that were read, in one or more responses. */
export type Response =
  | Found
  | { readonly pages: readonly [{ readonly reply: Reply }]; readonly rows?: undefined };

async function contentOf(
  operation: Declaration,
  answer: Answer,
  response: Response,
  resources: Resources,
): Promise<Shown> {
  const { body } = response.pages[0].reply;
  if (answer.kind === "file") return shownFile(operation, body as ReceivedFile, resources);
  if (answer.kind === "empty") return { content: { says: answer.says }, remarks: [] };
  const schema = answer.kind === "json" ? answer.schema : undefined;
  if (response.rows && isObject(body)) return shownRows(operation, response, schema, resources);
  const value = plain(body, schema);
  if (typeof value === "string" && answer.kind === "html") return shownPage(operation, value, resources);
  if (typeof value === "string")
    return shownText({}, { name: operation.tool, mimeType: "text/plain", content: value }, resources);
  if (Array.isArray(value)) return shownObject(operation, { count: value.length, items: value }, resources);
  return shownObject(operation, isObject(value) ? (value as JsonObject) : { value }, resources);
}

const differences = (replies: readonly { readonly reply: Reply }[]) =>
  replies
    .flatMap(({ reply }) => reply.problems)
    .slice(0, mostDifferences)
    .map(({ field, says }) => (field ? `${field}: ${says}` : says));

/** What is ours to say beside what the service says. */
export interface Aside {
  /** Sentences for the model, about its arguments. */
  readonly notes: readonly string[];
  /** The connection, where what was done must not be taken for done elsewhere. */
  readonly connection?: JsonObject;
}

const asideOf = ({ notes, connection }: Aside): JsonObject => ({
  ...connection,
  ...(notes.length > 0 && { notes }),
});

/** Where several answers are documented, the status tells which one it is. */
function framed(operation: Declaration, response: Response, content: JsonObject, aside: Aside): JsonObject {
  const several = Object.keys(operation.answers).length > 1;
  const differs = differences(response.pages);
  const ours = asideOf(aside);
  return {
    ...(several ? { status: response.pages[0].reply.status, body: content } : content),
    ...(differs.length > 0 && { differs_from_contract: differs }),
    ...(Object.keys(ours).length > 0 && { fxdesk: ours }),
  };
}

/** The result of a call that the service answered. Reads a file answer to its end, or to the size that is kept. */
export async function present(
  operation: Declaration,
  response: Response,
  aside: Aside,
  resources: Resources,
): Promise<ToolResult> {
  const answer = operation.answers[response.pages[0].reply.status]!;
  const { content, remarks, attached = [] } = await contentOf(operation, answer, response, resources);
  const structuredContent = framed(operation, response, content, aside);
  const headline = [`${operation.title}: ${answer.says}`, ...remarks].join(" ");
  const text = `${headline}\n${JSON.stringify(structuredContent)}`;
  return { content: [{ type: "text", text }, ...attached], structuredContent };
}
