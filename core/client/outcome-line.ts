/** What became of a call, in one line for a log: what a surface says when nobody waits for the outcome any more. */
import { FxdeskError, type JournalNote } from "../errors";
import { identityIn } from "../declaration/created";
import type { Callable } from "../declaration/operation";
import { isProcedure } from "../declaration/procedure";
import type { ServiceResponse } from "./response";

/** Text of others on one line, without what a terminal would obey. */
const onOneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ");

function identity(operation: Callable, body: unknown): string | undefined {
  const value = identityIn(operation, body);
  return value === undefined ? undefined : `${operation.identifiedBy} ${value}`;
}

/** How it is known that a call was carried out, where no response to it says so now. */
function waysOf(journal: JournalNote | undefined): string {
  if (journal?.recovered) return ", found after its response was lost";
  return journal?.replayed ? " by an earlier call, nothing was sent" : "";
}

/** Such as `trades.book: carried out (201), trade_id t-1.` */
export function outcomeLine(operation: Callable, ended: ServiceResponse | FxdeskError): string {
  const { requestId: id, journal } = ended;
  const found = [id && `request ${id}`, journal && `journal entry ${journal.entry}`];
  if (ended instanceof FxdeskError) {
    const outcome = { "not-sent": "not sent", rejected: "refused", unknown: "outcome unknown" }[
      ended.outcome
    ];
    const because = ended.message.replace(`${operation.name}: `, "");
    return onOneLine(`${operation.name}: ${[outcome, ...found].filter(Boolean).join(", ")}. ${because}`);
  }
  const facts = [
    // What a procedure was asked for may still be to come: an order waits for a yes.
    isProcedure(operation) ? "answered" : `carried out (${ended.status})${waysOf(journal)}`,
    identity(operation, ended.body),
    journal?.reference && `reference ${journal.reference}`,
    ...found,
  ];
  return onOneLine(`${operation.name}: ${facts.filter(Boolean).join(", ")}.`);
}
