/** From an answer of the service to the result of a tool. */
import type { Reply } from "../core/client/call";
import type { ReceivedFile } from "../core/client/file";
import type { Values } from "../core/operations/check";
import type { Answer, Declaration, Paging } from "../core/operations/declaration";
import { callerFields } from "../core/operations/fields";
import { presentFile } from "./file";
import { fit, sizeOf } from "./fit";
import { plain } from "./plain";
import type { JsonObject, ToolResult } from "./protocol";

/** Characters of JSON in one result: about 5,000 tokens, well below where hosts cut. */
export const largestResult = 20_000;

/** What is told beside the body when an answer differs from the contract. */
const mostDifferences = 5;

/** Where in a list a page is, and whether another one follows. */
function placeOf({ page, size, defaultSize }: Paging, input: Values, count: number, total?: number) {
  const number = Number(input[page] ?? 1);
  const asked = Number(input[size] ?? defaultSize);
  const before = (number - 1) * asked;
  const more = total === undefined ? count >= Math.min(asked, defaultSize) : before + count < total;
  return {
    [page]: number,
    [size]: asked,
    ...(total !== undefined && { total }),
    ...(more && count > 0 && { next_page: number + 1 }),
  };
}

function contentOf(operation: Declaration, answer: Answer, input: Values, reply: Reply): JsonObject {
  if (answer.kind === "empty") return { says: answer.says };
  const body = plain(reply.body, answer.kind === "json" ? answer.schema : undefined);
  if (answer.kind !== "json") return { text: body };
  if (Array.isArray(body)) {
    const place = operation.pages && placeOf(operation.pages, input, body.length, reply.total);
    return { count: body.length, ...place, items: body };
  }
  return typeof body === "object" && body !== null ? (body as JsonObject) : { value: body };
}

/** How to ask for less, in the fields of the operation itself. */
function howToNarrow(operation: Declaration): string {
  const filters = callerFields(operation).filter(({ place, required }) => place === "query" && !required);
  return filters.length > 0
    ? ` Call again with ${filters.map(({ name }) => name).join(", ")} to narrow it.`
    : "";
}

/** The page as if less had been asked for: what was left out begins the next one. */
function smallerPage({ page, size }: Paging, content: JsonObject, shown: readonly unknown[]): JsonObject {
  const before = (Number(content[page]) - 1) * Number(content[size]);
  let count = shown.length;
  while (before % count !== 0) count -= 1;
  const next = before / count + 2;
  return {
    truncated: `Only ${count} of them fit in one result: go on with ${page} ${next} and ${size} ${count}.`,
    ...content,
    count,
    [page]: next - 1,
    [size]: count,
    next_page: next,
    items: shown.slice(0, count),
  };
}

/** The content, cut where it is too large; a cut says so, and how to see the rest. */
function sized(operation: Declaration, content: JsonObject): JsonObject {
  if (sizeOf(content) <= largestResult) return content;
  const fitted = fit(content, largestResult) as JsonObject;
  const { items } = fitted;
  if (Array.isArray(items) && operation.pages) return smallerPage(operation.pages, content, items);
  const what = Array.isArray(items)
    ? `Only the first ${items.length} of them fit in one result.`
    : "Too long to show whole: lists and texts in it are cut.";
  return { truncated: what + howToNarrow(operation), ...fitted };
}

/** The answer in words of ours only: what other people wrote never stands in the first line. */
function headline(
  operation: Declaration,
  answer: Answer,
  { count, total, next_page, truncated }: JsonObject,
) {
  const entries = count === undefined ? "" : ` ${count as number} ${count === 1 ? "entry" : "entries"}.`;
  const all = total === undefined ? "" : ` ${total as number} in all.`;
  const next = next_page === undefined ? "" : ` More may follow on page ${next_page as number}.`;
  const rest = truncated === undefined ? next : ` ${truncated as string}`;
  return `${operation.title}: ${answer.says}${entries}${all}${rest}`;
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
  const { content, attached = [] } =
    answer.kind === "file"
      ? await presentFile(operation, reply.body as ReceivedFile, largestResult)
      : { content: sized(operation, contentOf(operation, answer, input, reply)) };
  const structuredContent = framed(operation, reply, content);
  const text = `${headline(operation, answer, content)}\n${JSON.stringify(structuredContent)}`;
  return { content: [{ type: "text", text }, ...attached], structuredContent };
}
