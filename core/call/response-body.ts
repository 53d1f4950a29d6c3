/** Reads the body of a documented response. */
import { z } from "zod";
import type { ResponseDeclaration, AsText, Declaration } from "../spec/operation";
import { provesExecution } from "../spec/execution-proof";
import type { Headers } from "../http/exchange";
import type { DecodedText } from "../http/content-decoding";
import { type CallProgress, unreadableResponseError } from "./call-errors";
import { findLostDigits } from "./lost-digits";
import type { Violation } from "../spec/errors";
import { memoizePerOperation } from "../spec/fields";
import { isDeeperThan } from "../values/json";

/** Used for validation only: the body is passed on unchanged, including unknown fields. */
const compiledSchemas = memoizePerOperation((operation) => {
  const schemas = Object.entries(operation.responses).flatMap(([status, response]) =>
    response.kind === "json" ? [[Number(status), z.compile(response.schema)] as const] : [],
  );
  return new Map(schemas);
});

export interface ResponseContent {
  readonly body: unknown;
  /** Finds deviations from the contract. Lazy, because it takes as long as parsing. */
  readonly violations: () => readonly Violation[];
}

/** A response with its decoded text. */
export interface TextResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly content: DecodedText;
}

/**
 * Reads the body of a response. Throws if JSON was expected and is invalid, and if the success of a money call does not
 * identify what was done.
 */
export function readBody(
  operation: Declaration,
  declared: ResponseDeclaration,
  { status, headers, content: { text, problem } }: TextResponse,
  progress: CallProgress,
): ResponseContent {
  const problems = problem === undefined ? [] : [{ field: "", message: problem }];
  const isText = declared.kind !== "json" || isTextResponse(declared.asText, headers["content-type"]);
  if (declared.kind === "empty") return { body: undefined, violations: () => problems };
  const body = isText ? text : parseJson(operation, text, status, progress);
  if (isDeeperThan(maxResponseDepth, body))
    throw unreadableResponseError(
      operation,
      `The response (${status}) has more than ${maxResponseDepth} levels of lists and objects.`,
      progress,
    );
  if (operation.effect === "money" && !provesExecution(operation, status, body)) {
    const reason = `The response (${status}) does not contain ${operation.identifiedBy ?? "the result"}.`;
    throw unreadableResponseError(operation, reason, progress);
  }
  const violations = () =>
    isText
      ? problems
      : [...problems, ...findBodyViolations(operation, status, body), ...findLostDigits(text)];
  return { body, violations };
}

/** Limit of nesting that the journal, tools and terminals can print, so that each outcome can be reported everywhere. */
const maxResponseDepth = 1_000;

const isTextResponse = (asText: AsText | undefined, type: string | string[] | undefined): boolean =>
  asText !== undefined && asText.mediaTypes.includes(String(type).split(";")[0]!.trim().toLowerCase());

function parseJson(operation: Declaration, text: string, status: number, progress: CallProgress): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadableResponseError(operation, `The response (${status}) is not JSON.`, progress, cause);
  }
}

/** Returns the deviations of a body from the schema documented for its status. */
export function findBodyViolations(operation: Declaration, status: number, body: unknown): Violation[] {
  const result = compiledSchemas(operation).get(status)!.safeParse(body);
  if (result.success) return [];
  return result.error.issues.map(({ path, message }) => ({
    field: path.map(String).join("."),
    message,
  }));
}

/** Returns the total count of a list. A repeated or non-numeric header is ignored. */
export function parseTotal({ pages }: Declaration, headers: Headers): number | undefined {
  const value = pages?.total === undefined ? undefined : headers[pages.total];
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : undefined;
}
