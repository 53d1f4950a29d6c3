/** Renders responses of the service as tool results. */
import type { ReceivedFile } from "../../core/call/received-file";
import type { ServiceResponse } from "../../core/call/response";
import type { Callable } from "../../core/spec/operation";
import { isObject, type JsonObject, type ResultContent, type ToolResult } from "./content";
import { fileContent, withFileExcerpts } from "./files";
import { linkedContent, type Resources, textContent } from "./links";
import { listContent } from "./list";
import type { ListResult } from "./rows";
import { visibleText } from "../../core/values/visible-text";
import { jsonLength, maxResultLength, shownBody, truncate, truncationNote } from "./values";

/** Maximum number of reported differences from the contract. */
const maxDifferences = 5;

/** The response of a call, or the rows of a list from one or more responses. */
export type CallResponse =
  | ListResult
  | { readonly pages: readonly [{ readonly response: ServiceResponse }]; readonly rows?: undefined };

/** Information that fxdesk adds to a result. */
export interface FxdeskNotes {
  /** Sentences for the model. */
  readonly notes: readonly string[];
  /** Environment and client, for calls that do more than read. */
  readonly target?: JsonObject;
}

/** Renders the response of a successful call. Reads a file to its end or to the size limit. */
export async function renderResult(
  operation: Callable,
  response: CallResponse,
  notes: FxdeskNotes,
  resources: Resources,
): Promise<ToolResult> {
  const [{ response: first }] = response.pages;
  const found = await contentOf(operation, response, resources);
  const shown = operation.deliversFiles ? withFileExcerpts(found, resources) : found;
  const { content, text: compactText, remarks, attachments = [] } = shown;
  const extras = extraContent(response, notes);
  const hasSeveralResponses = Object.keys(operation.responses).length > 1;
  const structuredContent = {
    ...(hasSeveralResponses ? { status: first.status, body: content } : content),
    ...extras,
  };
  const { description } = operation.responses[first.status]!;
  const headline = [`${operation.title}: ${description}`, ...remarks].join(" ");
  const extrasText = Object.keys(extras).length > 0 ? `\n${JSON.stringify(extras)}` : "";
  const text = `${headline}\n${compactText === undefined ? JSON.stringify(structuredContent) : compactText + extrasText}`;
  return { content: [{ type: "text", text }, ...attachments], structuredContent };
}

/** Renders the body by its kind: file, empty, list, HTML, text or object. */
async function contentOf(
  operation: Callable,
  response: CallResponse,
  resources: Resources,
): Promise<ResultContent> {
  const { status, body } = response.pages[0].response;
  const declared = operation.responses[status]!;
  if (declared.kind === "file") return fileContent(operation, body as ReceivedFile, resources);
  if (declared.kind === "empty") return { content: { description: declared.description }, remarks: [] };
  const schema = declared.kind === "json" ? declared.schema : undefined;
  if (response.rows && isObject(body)) return listContent(operation, response, schema, resources);
  const value = shownBody(body, schema);
  if (typeof value === "string" && declared.kind === "html") return htmlContent(operation, value, resources);
  if (typeof value === "string") {
    const resource = { name: operation.tool, mimeType: "text/plain", content: value };
    return textContent(operation, {}, resource, resources);
  }
  if (Array.isArray(value)) return objectContent(operation, { count: value.length, items: value }, resources);
  return objectContent(operation, isObject(value) ? value : { value }, resources);
}

function objectContent(operation: Callable, content: JsonObject, resources: Resources): ResultContent {
  if (jsonLength(content) <= maxResultLength) return { content, remarks: [] };
  const truncated = truncationNote(operation, "Too long to show in full: lists and texts are cut.");
  const truncatedContent = { truncated, ...(truncate(content, maxResultLength) as JsonObject) };
  const resource = {
    name: operation.tool,
    mimeType: "application/json",
    content: JSON.stringify(content),
  };
  const { remarks, ...rest } = linkedContent(truncatedContent, resource, resources);
  return { ...rest, remarks: [truncated, ...remarks] };
}

/** Links an HTML page, which is meant for a browser, instead of showing it to the model. */
const htmlContent = ({ tool }: Callable, content: string, resources: Resources): ResultContent =>
  linkedContent(
    { content_type: "text/html", size: content.length },
    { name: tool, mimeType: "text/html", content },
    resources,
  );

/** Quotes a name that the contract does not have. */
const fieldText = (field: string): string =>
  /^[\w.-]+$/.test(field) ? field : JSON.stringify(visibleText(field));

const contractDifferences = ({ pages }: CallResponse) =>
  pages
    .flatMap(({ response }) => response.violations)
    .slice(0, maxDifferences)
    .map(({ field, message }) => (field ? `${fieldText(field)}: ${message}` : message));

const replayedNote = "This is the result of an earlier call with the same key. Nothing was sent now.";
const recoveredNote =
  "The response was lost. A check with the service showed that the call was carried out once.";

/** Returns the fields that are added to the content. */
function extraContent(response: CallResponse, { notes: given, target }: FxdeskNotes): JsonObject {
  const { journal } = response.pages[0].response;
  const notes = [
    ...given,
    ...(journal?.recovered ? [recoveredNote] : []),
    ...(journal?.replayed ? [replayedNote] : []),
  ];
  const fxdesk = {
    ...target,
    ...(journal && { journal_entry: journal.entry }),
    ...(journal?.reference !== undefined && { reference: journal.reference }),
    ...(notes.length > 0 && { notes }),
  };
  const differs = contractDifferences(response);
  return {
    ...(differs.length > 0 && { differs_from_contract: differs }),
    ...(Object.keys(fxdesk).length > 0 && { fxdesk }),
  };
}
