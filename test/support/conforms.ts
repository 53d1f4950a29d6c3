/** Whether an answer of the sandbox is one that the derived OpenAPI document shows. */
import addFormats from "ajv-formats";
import Ajv2020 from "ajv/dist/2020";
import { openApiDocument } from "../../core/openapi/document";
import { contract, type Declaration, operations } from "../../core/operations";
import { perOperation } from "../../core/operations/memo";
import { ErrorMessage } from "../../core/schema";
import type { PlainAnswer } from "../sandbox/support/http";
import { DescribedAnswers } from "./described-answers";

const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, validateSchema: false }));

const describe = (name: string, declared: readonly Declaration[]) =>
  new DescribedAnswers(openApiDocument({ ...contract, operations: declared }, { version: "0" }), ajv, name);

/** The contract is one document; what is declared beside it has one of its own. */
const ofContract = describe("contract", operations);
const ofItsOwn = perOperation((operation) => describe(operation.name, [operation]));
const describedOf = (operation: Declaration) =>
  (operations as readonly Declaration[]).includes(operation) ? ofContract : ofItsOwn(operation);

/** Statuses that the contract does not list and a server cannot do without, by operation, and why. */
const beyondContract: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  "login.getPage": { 400: "The contract says what the application must send, and not how it is refused." },
};

/** Headers that an answer never lacks where they are documented at all. */
const always = ["x-total-count", "X-Request-ID"];

function beyondProblems({ name }: Declaration, { status, headers, text }: PlainAnswer): string[] {
  if (!(status in (beyondContract[name] ?? {}))) return [`status ${status} is not documented`];
  const problems = headers.has("x-fxdesk-extension") ? [] : ["the answer is not marked as an extension"];
  return ErrorMessage.safeParse(JSON.parse(text)).success
    ? problems
    : [...problems, "the body is no ErrorMessage"];
}

/** What is wrong with an answer; nothing when it is documented in every part. */
function misfits(operation: Declaration, answer: PlainAnswer): string[] {
  const { status, headers } = answer;
  const good = operation.answers[status];
  if (!good && !(status in operation.errors)) return beyondProblems(operation, answer);
  const missing = always.filter((name) => name in (good?.headers ?? {}) && !headers.has(name));
  return [
    ...missing.map((name) => `header ${name} is missing`),
    ...describedOf(operation).problems(operation, answer),
  ];
}

/** Throws when an answer is not one that the operation documents: its status, content type, headers and body. */
export function conforms(operation: Declaration, answer: PlainAnswer): void {
  const problems = misfits(operation, answer);
  if (problems.length === 0) return;
  throw new Error(
    `${operation.name} answered ${answer.status}: ${problems.join("; ")}\n${answer.text.slice(0, 500)}`,
  );
}

/** Every status an operation documents. */
export const statusesOf = ({ answers, errors }: Declaration): number[] =>
  Object.keys({ ...answers, ...errors }).map(Number);
