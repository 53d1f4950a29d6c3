/** Converts responses of the service to tool results. */
import type { ServiceResponse } from "../../core/call/response";
import type { JournalNote } from "../../core/spec/errors";
import type { ReceivedFile } from "../../core/call/received-file";
import type { ResponseDeclaration, Callable } from "../../core/spec/operation";
import { linkedContent, fileContent, textContent, withFileExcerpts } from "./files";
import { truncate, jsonLength } from "./truncate";
import { listContent } from "./list";
import { withDecimalStrings } from "./values";
import type { JsonObject, ToolResult } from "../protocol";
import type { ListResult } from "../read-list";
import type { Resources } from "./links";
import { truncationNote, maxResultLength, type ResultContent } from "./content";

/** Maximum number of reported differences from the contract. */
const maxDifferences = 5;

function objectContent(operation: Callable, content: JsonObject, resources: Resources): ResultContent {
  if (jsonLength(content) <= maxResultLength) return { content, remarks: [] };
  const { tool } = operation;
  const truncated = truncationNote(operation, "Too long to show in full: lists and texts are cut.");
  const truncatedContent = { truncated, ...(truncate(content, maxResultLength) as JsonObject) };
  const completeResource = { name: tool, mimeType: "application/json", content: JSON.stringify(content) };
  const { remarks, ...rest } = linkedContent(truncatedContent, completeResource, resources);
  return { ...rest, remarks: [truncated, ...remarks] };
}

/** Links an HTML page, which is meant for a browser, instead of showing it to the model. */
const htmlContent = ({ tool }: Callable, content: string, resources: Resources): ResultContent =>
  linkedContent(
    { content_type: "text/html", size: content.length },
    { name: tool, mimeType: "text/html", content },
    resources,
  );

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The response of a call, or the rows of a list from one or more responses. */
export type CallResponse =
  | ListResult
  | { readonly pages: readonly [{ readonly response: ServiceResponse }]; readonly rows?: undefined };

async function contentOf(
  operation: Callable,
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
    return textContent(
      operation,
      {},
      { name: operation.tool, mimeType: "text/plain", content: value },
      resources,
    );
  if (Array.isArray(value)) return objectContent(operation, { count: value.length, items: value }, resources);
  return objectContent(operation, isObject(value) ? (value as JsonObject) : { value }, resources);
}

const contractDifferences = (responses: readonly { readonly response: ServiceResponse }[]) =>
  responses
    .flatMap(({ response }) => response.violations)
    .slice(0, maxDifferences)
    .map(({ field, message }) => (field ? `${field}: ${message}` : message));

/** Information that fxdesk adds to a result. */
export interface FxdeskNotes {
  /** Sentences for the model. */
  readonly notes: readonly string[];
  /** Environment and client, for calls that do more than read. */
  readonly target?: JsonObject;
  /** Journal entry, for calls that move money. */
  readonly journal?: JournalNote | undefined;
}

const replayedNote = "This is the result of an earlier call with the same key. Nothing was sent now.";
const recoveredNote =
  "The response was lost. A check with the service showed that the call was carried out once.";

const fxdeskField = ({ notes: given, target, journal }: FxdeskNotes): JsonObject => {
  const journalNotes = [
    ...(journal?.recovered ? [recoveredNote] : []),
    ...(journal?.replayed ? [replayedNote] : []),
  ];
  const notes = [...given, ...journalNotes];
  return {
    ...target,
    ...(journal && { journal_entry: journal.entry }),
    ...(journal?.reference !== undefined && { reference: journal.reference }),
    ...(notes.length > 0 && { notes }),
  };
};

/** Returns the fields that are added to the content. */
function extraContent({ pages }: CallResponse, notes: FxdeskNotes): JsonObject {
  const differs = contractDifferences(pages);
  const ours = fxdeskField(notes);
  return {
    ...(differs.length > 0 && { differs_from_contract: differs }),
    ...(Object.keys(ours).length > 0 && { fxdesk: ours }),
  };
}

/** Adds the status if the contract documents several responses. */
function structuredContentOf(
  operation: Callable,
  response: CallResponse,
  content: JsonObject,
  extras: JsonObject,
): JsonObject {
  const hasSeveralResponses = Object.keys(operation.responses).length > 1;
  return {
    ...(hasSeveralResponses ? { status: response.pages[0].response.status, body: content } : content),
    ...extras,
  };
}

/** Returns the result of a successful call. Reads a file to its end or to the size limit. */
export async function toolResultOf(
  operation: Callable,
  response: CallResponse,
  notes: FxdeskNotes,
  resources: Resources,
): Promise<ToolResult> {
  const declared = operation.responses[response.pages[0].response.status]!;
  const found = await contentOf(operation, declared, response, resources);
  const {
    content,
    text: compactText,
    remarks,
    attachments = [],
  } = operation.deliversFiles ? withFileExcerpts(found, resources) : found;
  const extras = extraContent(response, notes);
  const structuredContent = structuredContentOf(operation, response, content, extras);
  const headline = [`${operation.title}: ${declared.description}`, ...remarks].join(" ");
  const extrasText = Object.keys(extras).length > 0 ? `\n${JSON.stringify(extras)}` : "";
  const text = `${headline}\n${compactText === undefined ? JSON.stringify(structuredContent) : compactText + extrasText}`;
  return { content: [{ type: "text", text }, ...attachments], structuredContent };
}
