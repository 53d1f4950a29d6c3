/** What a documented response holds. */
import { z } from "zod";
import type { Problem } from "../operations/check";
import type { Answer, AsText, Declaration } from "../operations/declaration";
import { perOperation } from "../operations/memo";
import { identifies } from "../operations/proof";
import type { Headers } from "../transport/exchange";
import type { Text } from "../transport/content";
import { type Progress, unreadable } from "./failure";
import { lostDigits } from "./digits";

/** These schemas only check: the body is passed on as it came, with the fields they do not know. */
const compiledAnswers = perOperation((operation) => {
  const schemas = Object.entries(operation.answers).flatMap(([status, answer]) =>
    answer.kind === "json" ? [[Number(status), z.compile(answer.schema)] as const] : [],
  );
  return new Map(schemas);
});

export interface Content {
  readonly body: unknown;
  /** Finds where the body differs from the contract: work that is done for those who ask. */
  readonly problems: () => readonly Problem[];
}

interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly content: Text;
}

/**
 * Reads the text of a response. Throws when JSON was promised and something else came, and when a call that commits money
 * is answered by a success that does not say what was done.
 */
export function readResponse(
  operation: Declaration,
  answer: Answer,
  { status, headers, content: { text, bytes, doubt } }: Response,
  progress: Progress,
): Content {
  const doubts = doubt === undefined ? [] : [{ field: "", says: doubt }];
  const isText = answer.kind !== "json" || comesAsText(answer.asText, headers["content-type"]);
  if (answer.kind === "empty") return { body: undefined, problems: () => doubts };
  const body = isText ? text : parsed(operation, text, status, progress);
  if (operation.effect === "money" && !identifies(operation, status, body)) {
    const because = `The response (${status}) does not hold ${operation.identifiedBy ?? "what was done"}.`;
    throw unreadable(operation, because, progress);
  }
  return {
    body,
    problems: () =>
      isText ? doubts : [...doubts, ...misfits(operation, status, body), ...lostDigits(text, bytes)],
  };
}

const comesAsText = (asText: AsText | undefined, type: string | string[] | undefined): boolean =>
  asText !== undefined && asText.mediaTypes.includes(String(type).split(";")[0]!.trim().toLowerCase());

function parsed(operation: Declaration, text: string, status: number, progress: Progress): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable(operation, `The response (${status}) is not JSON.`, progress, cause);
  }
}

function misfits(operation: Declaration, status: number, body: unknown): Problem[] {
  const result = compiledAnswers(operation).get(status)!.safeParse(body);
  if (result.success) return [];
  return result.error.issues.map(({ path, message }) => ({
    field: path.map(String).join("."),
    says: message,
  }));
}

/** The count of all entries. A header that came twice, or is no number, counts nothing. */
export function totalOf({ pages }: Declaration, headers: Headers): number | undefined {
  const value = pages?.total === undefined ? undefined : headers[pages.total];
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : undefined;
}
