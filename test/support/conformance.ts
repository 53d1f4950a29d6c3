/** Checks sandbox responses against the derived OpenAPI document. */
import addFormats from "ajv-formats";
import Ajv2020 from "ajv/dist/2020";
import { openApiDocument } from "../../core/openapi/document";
import { contract, type Declaration, operations } from "../../core/operations";
import { ErrorMessage } from "../../core/values";
import type { PlainResponse } from "../sandbox/support/http";
import { DescribedResponses } from "./described-responses";
import { memoizePerOperation } from "../../core/spec/fields";

const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, validateSchema: false }));

const createDescribedResponses = (name: string, declared: readonly Declaration[]) =>
  new DescribedResponses(openApiDocument({ ...contract, operations: declared }, { version: "0" }), ajv, name);

/** Documents of the contract and of operations outside it. */
const contractResponses = createDescribedResponses("contract", operations);
const ownResponses = memoizePerOperation((operation) =>
  createDescribedResponses(operation.name, [operation]),
);
const responsesFor = (operation: Declaration) =>
  (operations as readonly Declaration[]).includes(operation) ? contractResponses : ownResponses(operation);

/** Statuses outside the contract that a server needs, by operation, with reasons. */
const beyondContract: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  "login.getPage": { 400: "The contract says what the application must send, and not how it is refused." },
};

/** Headers that are always present if documented. */
const alwaysSentHeaders = ["x-total-count", "X-Request-ID"];

function undocumentedStatusViolations(
  { name }: Declaration,
  { status, headers, text }: PlainResponse,
): string[] {
  if (!(status in (beyondContract[name] ?? {}))) return [`status ${status} is not documented`];
  const violations = headers.has("x-fxdesk-extension") ? [] : ["the response is not marked as an extension"];
  return ErrorMessage.safeParse(JSON.parse(text)).success
    ? violations
    : [...violations, "the body is no ErrorMessage"];
}

/** Returns the deviations of a response from the document; empty if there are none. */
function conformanceViolations(operation: Declaration, response: PlainResponse): string[] {
  const { status, headers } = response;
  const good = operation.responses[status];
  if (!good && !(status in operation.errors)) return undocumentedStatusViolations(operation, response);
  const missing = alwaysSentHeaders.filter((name) => name in (good?.headers ?? {}) && !headers.has(name));
  return [
    ...missing.map((name) => `header ${name} is missing`),
    ...responsesFor(operation).violations(operation, response),
  ];
}

/** Throws if status, content type, headers or body of a response are not documented. */
export function assertConforms(operation: Declaration, response: PlainResponse): void {
  const violations = conformanceViolations(operation, response);
  if (violations.length === 0) return;
  throw new Error(
    `${operation.name} answered ${response.status}: ${violations.join("; ")}\n${response.text.slice(0, 500)}`,
  );
}

/** Returns all documented statuses of an operation. */
export const statusesOf = ({ responses, errors }: Declaration): number[] =>
  Object.keys({ ...responses, ...errors }).map(Number);
