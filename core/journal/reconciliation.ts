/** Compares the journal with the lists of the service: calls that one of the two has and the other lacks. */
import type { ClientContext } from "../call/client-context";
import type { Handler } from "../call/middleware";
import { addDays, dayMs, dayOf, startOf } from "../calendars/days";
import type { CallScope } from "../store/call-scope";
import { isDay } from "../values/values";
import { openJournal } from "./journal";
import { compareScope, type JournalDifference, type ReconciliationPeriod } from "./list-comparison";
import { createOutcomeLookup, scopesOf } from "./outcome-lookup";

/** A period of which a day may be left out. */
export type PartialPeriod = { readonly [Day in keyof ReconciliationPeriod]?: string | undefined };

/** Calls of the period that are not compared. */
export interface ExcludedCalls extends CallScope {
  readonly entries: number;
}

/** Result of comparing the journal with the service. */
export interface JournalReconciliation extends ReconciliationPeriod {
  /** Number of items that the service lists in the period. */
  readonly listed: number;
  /** Number of compared entries. */
  readonly entries: number;
  /** Number of calls in progress, which have no outcome to compare yet. */
  readonly inProgress: number;
  /** 1,000 at most. */
  readonly differences: readonly JournalDifference[];
  /** Reasons why the comparison is incomplete; empty if it is complete. */
  readonly unread: readonly string[];
  /** Calls that the service does not list, and those of other environments and clients. */
  readonly notCompared: readonly ExcludedCalls[];
}

const defaultDays = 7;

/** Returns the period. Throws a TypeError if a day is invalid, or the first is after the last. */
function periodOf({ from, to = dayOf(Date.now()) }: PartialPeriod): ReconciliationPeriod {
  const days = { to, from: from ?? (isDay(to) ? addDays(to, 1 - defaultDays) : to) };
  for (const [name, day] of Object.entries(days))
    if (!isDay(day)) throw new TypeError(`${name} must be a day as YYYY-MM-DD, not ${JSON.stringify(day)}.`);
  if (days.from > to) throw new TypeError(`from must not be after to: ${days.from} is after ${to}.`);
  return days;
}

/**
 * Compares the calls of this connection's environment and client with the lists of the service. Changes nothing, except that
 * calls of processes that died get their outcome. Throws a TypeError for an invalid period, an Error if the store cannot be
 * opened. `sendRequest` sends without other middleware.
 */
export async function reconcileJournal(
  context: ClientContext,
  sendRequest: Handler,
  given: PartialPeriod,
): Promise<JournalReconciliation> {
  const period = periodOf(given);
  const begun = { from: startOf(period.from).getTime(), to: startOf(period.to).getTime() + dayMs };
  const lookup = createOutcomeLookup(context, sendRequest);
  const journal = await openJournal(context.store);
  // Requests in the background do not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  try {
    await journal.settleAbandoned();
    const result = {
      ...period,
      listed: 0,
      entries: 0,
      inProgress: 0,
      differences: new Array<JournalDifference>(),
      unread: new Array<string>(),
    };
    const compared = scopesOf(context).filter(
      ({ operation }) => lookup.operation(operation)?.recovery?.kind === "listed",
    );
    for (const scope of compared) await compareScope(scope, { journal, lookup, period, begun, result });
    const isCompared = (other: CallScope) =>
      compared.some(
        ({ environment, client, operation }) =>
          environment === other.environment && client === other.client && operation === other.operation,
      );
    const counts = await journal.countBegun(begun);
    return { ...result, notCompared: counts.filter((each) => !isCompared(each)) };
  } finally {
    clearInterval(alive);
    await journal.close();
  }
}
