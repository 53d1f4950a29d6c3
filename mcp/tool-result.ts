/** From what was read of the service to the result of a tool. */
import type { ServiceResponse } from "../core/client/response";
import type { ReceivedFile } from "../core/client/file";
import type { ResponseDeclaration, Declaration } from "../core/declaration/operation";
import { linkedContent, fileContent, textContent } from "./file-content";
import { truncate, jsonLength } from "./truncate";
import { listContent } from "./list-content";
import { withDecimalStrings } from "./decimal-strings";
import type { JsonObject, ToolResult } from "./protocol";
import type { ListResult } from "./list-results";
import type { Resources } from "./resources";
import { maxResultLength, type ResultContent } from "./result-content";

/** What is told beside the body when a response differs from the contract. */
const mostDifferences = 5;

function objectContent({ tool }: Declaration, content: JsonObject, resources: Resources): ResultContent {
  if (jsonLength(content) <= maxResultLength) return { content, remarks: [] };
  const truncated = "Too long to show whole: lists and texts in it are cut.";
  const short = { truncated, ...(truncate(content, maxResultLength) as JsonObject) };
  const whole = { name: tool, mimeType: "application/json", content: JSON.stringify(content) };
  const { remarks, ...rest } = linkedContent(short, whole, resources);
  return { ...rest, remarks: [truncated, ...remarks] };
}

/** A page for a person's browser: a model is told what it is. */
const htmlContent = ({ tool }: Declaration, content: string, resources: Resources): ResultContent =>
  linkedContent(
    { content_type: "text/html", size: content.length },
    { name: tool, mimeType: "text/html", content },
    resources,
  );

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** What came back: of a list the rows that were read, in one or more responses. */
export type CallResponse =
  | ListResult
  | { readonly pages: readonly [{ readonly response: ServiceResponse }]; readonly rows?: undefined };

async function contentOf(
  operation: Declaration,
  declared: ResponseDeclaration,
  response: CallResponse,
  resources: Resources,
): Promise<ResultContent> {
  const { body } = response.pages[0].response;
  if (declared.kind === "file") return fileContent(operation, body as ReceivedFile, resources);
  if (declared.kind === "empty") return { content: { description: declared.description }, remarks: [] };
  const schema = declared.kind === "json" ? declared.schema : undefined;
  if (response.rows && isObject(body)) return listContent(operation, response, schema, resources);
  const value = withDecimalStrings(body, schema);
  if (typeof value === "string" && declared.kind === "html") return htmlContent(operation, value, resources);
  if (typeof value === "string")
    return textContent({}, { name: operation.tool, mimeType: "text/plain", content: value }, resources);
  if (Array.isArray(value)) return objectContent(operation, { count: value.length, items: value }, resources);
  return objectContent(operation, isObject(value) ? (value as JsonObject) : { value }, resources);
}

const differences = (responses: readonly { readonly response: ServiceResponse }[]) =>
  responses
    .flatMap(({ response }) => response.violations)
    .slice(0, mostDifferences)
    .map(({ field, message }) => (field ? `${field}: ${message}` : message));

/** What fxdesk adds to a result of its own. */
export interface FxdeskNotes {
  /** Sentences for the model, about its arguments. */
  readonly notes: readonly string[];
  /** Where it was done, where that was more than reading. */
  readonly target?: JsonObject;
}

const fxdeskField = ({ notes, target }: FxdeskNotes): JsonObject => ({
  ...target,
  ...(notes.length > 0 && { notes }),
});

/** Where several responses are documented, the status tells which one it is. */
function structuredContentOf(
  operation: Declaration,
  response: CallResponse,
  content: JsonObject,
  notes: FxdeskNotes,
): JsonObject {
  const several = Object.keys(operation.responses).length > 1;
  const differs = differences(response.pages);
  const ours = fxdeskField(notes);
  return {
    ...(several ? { status: response.pages[0].response.status, body: content } : content),
    ...(differs.length > 0 && { differs_from_contract: differs }),
    ...(Object.keys(ours).length > 0 && { fxdesk: ours }),
  };
}

/** The result of a call that the service responded to. Reads a file response to its end, or to the size that is kept. */
export async function toolResultOf(
  operation: Declaration,
  response: CallResponse,
  notes: FxdeskNotes,
  resources: Resources,
): Promise<ToolResult> {
  const declared = operation.responses[response.pages[0].response.status]!;
  const { content, remarks, attached = [] } = await contentOf(operation, declared, response, resources);
  const structuredContent = structuredContentOf(operation, response, content, notes);
  const headline = [`${operation.title}: ${declared.description}`, ...remarks].join(" ");
  const text = `${headline}\n${JSON.stringify(structuredContent)}`;
  return { content: [{ type: "text", text }, ...attached], structuredContent };
}
