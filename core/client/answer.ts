/** What a documented answer holds. */
import { z } from "zod";
import { InvalidResponse } from "../errors";
import type { Problem } from "../operations/check";
import type { Answer, Declaration } from "../operations/declaration";
import { perOperation } from "../operations/memo";
import type { ReceivedResponse } from "../transport/transport";
import { lostAnswer } from "./refusal";

/** These schemas only check: the body is passed on as it came, with the fields they do not know. */
const compiledAnswers = perOperation((operation) => {
  const schemas = Object.entries(operation.answers).flatMap(([status, answer]) =>
    answer.kind === "json" ? [[Number(status), z.compile(answer.schema)] as const] : [],
  );
  return new Map(schemas);
});

export interface Content {
  readonly body: unknown;
  /** Where the body differs from the contract. */
  readonly problems: readonly Problem[];
}

/** Reads the text of an answer. Throws when JSON was promised and something else came. */
export function readAnswer(
  operation: Declaration,
  { status, headers }: Pick<ReceivedResponse, "status" | "headers">,
  answer: Answer,
  received: string,
): Content {
  if (answer.kind === "empty") return { body: undefined, problems: [] };
  if (answer.kind !== "json" || comesAsText(answer.asText?.mediaTypes, headers["content-type"]))
    return { body: received, problems: [] };
  const body = parsed(operation, status, received);
  const result = compiledAnswers(operation).get(status)!.safeParse(body);
  if (result.success) return { body, problems: [] };
  const problems = result.error.issues.map(({ path, message }) => ({
    field: path.map(String).join("."),
    says: message,
  }));
  return { body, problems };
}

const comesAsText = (types: readonly string[] = [], type: string | string[] | undefined) =>
  types.includes(String(type).split(";")[0]!.trim().toLowerCase());

function parsed(operation: Declaration, status: number, received: string): unknown {
  try {
    return JSON.parse(received);
  } catch (cause) {
    const because = `The answer (${status}) is not JSON.`;
    if (operation.effect === "money") throw lostAnswer(operation, because, { status, cause });
    throw new InvalidResponse(`${operation.name}: ${because}`, {
      operation: operation.name,
      code: "invalid_response",
      outcome: "unknown",
      status,
      cause,
    });
  }
}

/** The count of all entries. A header that came twice, or is no number, counts nothing. */
export function totalOf({ pages }: Declaration, headers: ReceivedResponse["headers"]): number | undefined {
  const value = pages?.total === undefined ? undefined : headers[pages.total];
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : undefined;
}
