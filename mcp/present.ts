/** From an answer of the service to the result of a tool. */
import type { Reply } from "../core/client/reply";
import type { ReceivedFile } from "../core/client/file";
import type { Values } from "../core/operations/check";
import type { Answer, Declaration } from "../core/operations/declaration";
import { shownFile } from "./file";
import { fit, sizeOf } from "./fit";
import { shownList } from "./list";
import { plain } from "./plain";
import type { JsonObject, ToolResult } from "./protocol";
import { howToNarrow, largestResult, type Shown } from "./shown";

/** What is told beside the body when an answer differs from the contract. */
const mostDifferences = 5;

function shownObject(operation: Declaration, content: JsonObject): Shown {
  if (sizeOf(content) <= largestResult) return { content, remarks: [] };
  const truncated = `Too long to show whole: lists and texts in it are cut.${howToNarrow(operation)}`;
  return {
    content: { truncated, ...(fit(content, largestResult) as JsonObject) },
    remarks: [truncated],
  };
}

async function contentOf(
  operation: Declaration,
  answer: Answer,
  input: Values,
  reply: Reply,
): Promise<Shown> {
  if (answer.kind === "file") return shownFile(operation, reply.body as ReceivedFile);
  if (answer.kind === "empty") return { content: { says: answer.says }, remarks: [] };
  const body = plain(reply.body, answer.kind === "json" ? answer.schema : undefined);
  if (typeof body === "string") return shownObject(operation, { text: body });
  if (Array.isArray(body)) return shownList(operation, input, body, reply.total);
  const isObject = typeof body === "object" && body !== null;
  return shownObject(operation, isObject ? (body as JsonObject) : { value: body });
}

const differences = ({ problems }: Reply) =>
  problems.slice(0, mostDifferences).map(({ field, says }) => (field ? `${field}: ${says}` : says));

/** Where several answers are documented, the status tells which one it is. */
function framed(operation: Declaration, reply: Reply, content: JsonObject): JsonObject {
  const several = Object.keys(operation.answers).length > 1;
  const differs = differences(reply);
  return {
    ...(several ? { status: reply.status, body: content } : content),
    ...(differs.length > 0 && { differs_from_contract: differs }),
  };
}

/** The result of a call that the service answered. Reads a file answer to its end, or to the size that fits. */
export async function present(operation: Declaration, input: Values, reply: Reply): Promise<ToolResult> {
  const answer = operation.answers[reply.status]!;
  const { content, remarks, attached = [] } = await contentOf(operation, answer, input, reply);
  const structuredContent = framed(operation, reply, content);
  const headline = [`${operation.title}: ${answer.says}`, ...remarks].join(" ");
  const text = `${headline}\n${JSON.stringify(structuredContent)}`;
  return { content: [{ type: "text", text }, ...attached], structuredContent };
}
