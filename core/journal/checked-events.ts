/** Events of a chain since a time, checked against their hashes. */
import type { Row, StoreAccess } from "../store/database";
import { openRow } from "../store/rows";
import { eventsTable } from "../store/schema";
import { emptyHead, hashStoredEvent } from "./hash-chain";

/**
 * Returns the events of a chain since a time, in milliseconds since 1970. The event before them is checked as well, so that no
 * event can be hidden by an earlier time. Throws an Error if an event was changed, is missing, or was written without the store key.
 */
export async function readEventsSince(
  { run, sealer }: StoreAccess,
  environment: string,
  since: number,
): Promise<readonly Row[]> {
  const rows = await run(
    `SELECT e.*, span.first
     FROM (SELECT coalesce(
         (SELECT min(seq) FROM fxdesk_journal_events WHERE environment = $1 AND at >= $2),
         (SELECT max(seq) + 1 FROM fxdesk_journal_events WHERE environment = $1)) - 2 AS first) AS span
     JOIN fxdesk_journal_events AS e ON e.environment = $1 AND e.seq >= span.first
     ORDER BY e.seq`,
    [environment, since],
  );
  const first = Number(rows[0]?.first ?? 0);
  const events = first < 1 ? rows : rows.slice(1);
  let previous = first < 1 ? emptyHead : { seq: first, hash: String(rows[0]!.hash) };
  const isBaseMissing = first >= 1 && Number(rows[0]!.seq) !== first;
  for (const { first: _, ...stored } of events) {
    const row = openRow(eventsTable, stored, sealer);
    const event = {
      environment,
      seq: Number(row.seq),
      entry: String(row.entry),
      kind: String(row.kind),
      at: Number(row.at),
      content: String(row.content),
    };
    const isNext = event.seq === previous.seq + 1 && row.hash === hashStoredEvent(previous.hash, event);
    if (isBaseMissing || !isNext) throw chainChangedError(environment, previous.seq + 1);
    previous = { seq: event.seq, hash: String(row.hash) };
  }
  return events;
}

const chainChangedError = (environment: string, seq: number) =>
  new Error(
    `Event ${seq} of the journal of ${environment} was changed or removed in the store, so it is not known what was sent. ` +
      "Run `fxdesk journal verify`.",
  );
