/** One-line outcomes for logs, used when no caller is waiting any more. */
import { FxdeskError, type JournalNote } from "../spec/errors";
import { factsOf, type LogFacts } from "../spec/log";
import { resourceIdentity } from "../spec/created-resources";
import type { Callable } from "../spec/operation";
import { isProcedure } from "../spec/procedure";
import type { ServiceResponse } from "./response";

/** Strips control characters and line breaks, so that untrusted text cannot drive the terminal. */
const toSingleLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ");

function describeIdentity(operation: Callable, body: unknown): string | undefined {
  const value = resourceIdentity(operation, body);
  return value === undefined ? undefined : `${operation.identifiedBy} ${value}`;
}

/** Describes how the outcome is known if it is not the response to this call. */
function describeReplay(journal: JournalNote | undefined): string {
  if (journal?.recovered) return ", found after its response was lost";
  return journal?.replayed ? " by an earlier call, nothing was sent now" : "";
}

/** Formats the outcome of a call in one line, for example `trades.book: carried out (201), trade_id t-1.` */
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
    // A procedure may return before its work is done: an order waits for its release.
    isProcedure(operation) ? "completed" : `carried out (${result.status})${describeReplay(journal)}`,
    describeIdentity(operation, result.body),
    journal?.reference && `reference ${journal.reference}`,
    ...found,
  ];
  return toSingleLine(`${operation.name}: ${facts.filter(Boolean).join(", ")}.`);
}

/** Returns the same outcome for programs. */
export const outcomeFacts = ({ name }: Callable, result: ServiceResponse | FxdeskError): LogFacts =>
  result instanceof FxdeskError
    ? factsOf(result)
    : {
        operation: name,
        outcome: "done",
        request_id: result.requestId,
        journal_entry: result.journal?.entry,
      };
