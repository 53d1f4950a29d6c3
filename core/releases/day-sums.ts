/** Sums of a day, read from the hash chains of all environments: rows that a change could lower are not believed. */
import { createHash } from "node:crypto";
import { Big } from "big.js";
import { listEnvironments } from "../journal/events";
import { emptyHead, hashStoredEvent } from "../journal/hash-chain";
import type { Commitment, Row, SendTransaction, StatementRunner } from "../store/database";

/** Longer than any day in any time zone. */
const windowMs = 26 * 3_600_000;

/** Identifies the sum of a scope in the chain, which names no accounts and people. */
export const hashScope = (scope: string): string => createHash("sha256").update(scope).digest("hex");

/**
 * Returns the events of a chain since a time. The event before them is checked as well, so that no event can be hidden by an
 * earlier time. Throws an Error if an event was changed or is missing.
 */
async function readEvents(run: StatementRunner, environment: string, since: number): Promise<readonly Row[]> {
  const rows = await run(
    `SELECT environment, seq, entry, kind, at, content, hash FROM fxdesk_journal_events
     WHERE environment = $1 AND seq >= coalesce(
       (SELECT min(seq) FROM fxdesk_journal_events WHERE environment = $1 AND at >= $2),
       (SELECT max(seq) + 1 FROM fxdesk_journal_events WHERE environment = $1)) - 2
     ORDER BY seq`,
    [environment, since],
  );
  const isWhole = Number(rows[0]!.seq) === 1;
  let previous = isWhole ? emptyHead : { seq: Number(rows[0]!.seq), hash: String(rows[0]!.hash) };
  const events = isWhole ? rows : rows.slice(1);
  for (const row of events) {
    const event = {
      environment,
      seq: Number(row.seq),
      entry: String(row.entry),
      kind: String(row.kind),
      at: Number(row.at),
      content: String(row.content),
    };
    if (event.seq !== previous.seq + 1 || row.hash !== hashStoredEvent(previous.hash, event))
      throw new Error(
        `Event ${event.seq} of the journal of ${environment} was changed in the store, so the sums of the day are not known. ` +
          "Run `fxdesk journal verify`.",
      );
    previous = { seq: event.seq, hash: String(row.hash) };
  }
  return events;
}

/**
 * Returns the committed amounts of a day by `hashScope`, without those of this entry and of calls that were certainly not carried
 * out. Unknown outcomes count.
 */
export async function sumCommitments(
  { run, moment, entry }: SendTransaction,
  day: string,
): Promise<ReadonlyMap<string, Big>> {
  const committed = new Map<string, readonly Commitment[]>();
  for (const environment of await listEnvironments({ run }))
    for (const event of await readEvents(run, environment, moment - windowMs)) {
      const content = JSON.parse(String(event.content)) as {
        commitments?: readonly Commitment[];
        state?: string;
      };
      const id = String(event.entry);
      if (event.kind === "sent") committed.set(id, content.commitments ?? []);
      else if (content.state === "not-sent" || content.state === "rejected") committed.delete(id);
    }
  committed.delete(entry);
  const sums = new Map<string, Big>();
  for (const { scope, day: on, amount } of [...committed.values()].flat())
    if (on === day) sums.set(scope, new Big(amount).plus(sums.get(scope) ?? 0));
  return sums;
}
