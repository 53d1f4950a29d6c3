/** What became of a call, in one line for a log: what a surface says when nobody waits for the outcome any more. */
import { FxdeskError, type JournalNote } from "../errors";
import { resourceIdentity } from "../declaration/created-resources";
import type { Callable } from "../declaration/operation";
import { isProcedure } from "../declaration/procedure";
import type { ServiceResponse } from "./response";

/** Text of others on one line, without what a terminal would obey. */
const toSingleLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ");

function describeIdentity(operation: Callable, body: unknown): string | undefined {
  const value = resourceIdentity(operation, body);
  return value === undefined ? undefined : `${operation.identifiedBy} ${value}`;
}

/** How it is known that a call was carried out, where no response to it says so now. */
function describeReplay(journal: JournalNote | undefined): string {
  if (journal?.recovered) return ", found after its response was lost";
  return journal?.replayed ? " by an earlier call, nothing was sent" : "";
}

/** Such as `trades.book: carried out (201), trade_id t-1.` */
export function formatOutcomeLine(operation: Callable, result: ServiceResponse | FxdeskError): string {
  const { requestId: id, journal } = result;
  const found = [id && `request ${id}`, journal && `journal entry ${journal.entry}`];
  if (result instanceof FxdeskError) {
    const outcome = { "not-sent": "not sent", rejected: "refused", unknown: "outcome unknown" }[
      result.outcome
    ];
    const reason = result.message.replace(`${operation.name}: `, "");
    return toSingleLine(`${operation.name}: ${[outcome, ...found].filter(Boolean).join(", ")}. ${reason}`);
  }
  const facts = [
    // What a procedure was asked for may still be to come: an order waits for a yes.
    isProcedure(operation) ? "answered" : `carried out (${result.status})${describeReplay(journal)}`,
    describeIdentity(operation, result.body),
    journal?.reference && `reference ${journal.reference}`,
    ...found,
  ];
  return toSingleLine(`${operation.name}: ${facts.filter(Boolean).join(", ")}.`);
}
