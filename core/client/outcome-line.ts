/** What became of a call, in one line for a log: what a surface says when nobody waits for the outcome any more. */
import { FxdeskError } from "../errors";
import type { Declaration } from "../declaration/operation";
import type { ServiceResponse } from "./response";

/** Text of others on one line, without what a terminal would obey. */
const onOneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ");

function identity({ identifiedBy }: Declaration, body: unknown): string | undefined {
  const value =
    identifiedBy === undefined
      ? undefined
      : (body as Record<string, unknown> | null | undefined)?.[identifiedBy];
  return typeof value === "string" || typeof value === "number" ? `${identifiedBy} ${value}` : undefined;
}

/** Such as `trades.book: carried out (201), trade_id t-1.` */
export function outcomeLine(operation: Declaration, ended: ServiceResponse | FxdeskError): string {
  const requestId = ended.requestId === undefined ? undefined : `request ${ended.requestId}`;
  if (ended instanceof FxdeskError) {
    const outcome = { "not-sent": "not sent", rejected: "refused", unknown: "outcome unknown" }[
      ended.outcome
    ];
    const because = ended.message.replace(`${operation.name}: `, "");
    return onOneLine(`${operation.name}: ${[outcome, requestId].filter(Boolean).join(", ")}. ${because}`);
  }
  const facts = [`carried out (${ended.status})`, identity(operation, ended.body), requestId];
  return onOneLine(`${operation.name}: ${facts.filter(Boolean).join(", ")}.`);
}
