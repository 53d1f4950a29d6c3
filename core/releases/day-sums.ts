/** Sums of a day, read from the hash chains of all environments: rows that a change could lower are not believed. */
import { createHash } from "node:crypto";
import { Big } from "big.js";
import { readEventsSince } from "../journal/checked-events";
import { listEnvironments } from "../journal/events";
import type { Commitment, SendTransaction } from "../store/database";

/** Longer than any day in any time zone. */
const windowMs = 26 * 3_600_000;

/** Only such amounts are recorded: a negative one would lower a sum. */
const amountPattern = /^\d+(\.\d+)?$/;

/** Identifies the sum of a scope in the chain, which names no accounts and people. */
export const hashScope = (scope: string): string => createHash("sha256").update(scope).digest("hex");

/**
 * Returns the committed amounts of a day by `hashScope`, without those of this entry and of calls that were certainly not carried
 * out. Unknown outcomes count. Throws an Error if an event was changed in the store, or its amount is no decimal.
 */
export async function sumCommitments(
  transaction: SendTransaction,
  day: string,
): Promise<ReadonlyMap<string, Big>> {
  const { moment, entry } = transaction;
  const committed = new Map<string, readonly Commitment[]>();
  const done = new Set<string>();
  for (const environment of await listEnvironments(transaction))
    for (const event of await readEventsSince(transaction, environment, moment - windowMs)) {
      const content = JSON.parse(String(event.content)) as {
        commitments?: readonly Commitment[];
        state?: string;
      };
      const id = String(event.entry);
      // No other outcome follows this one, and no call is sent again before it was rejected or not sent.
      if (content.state === "done") done.add(id);
      if (event.kind === "sent")
        committed.set(id, [...(committed.get(id) ?? []), ...(content.commitments ?? [])]);
      else if (["not-sent", "rejected"].includes(content.state ?? "") && !done.has(id)) committed.delete(id);
    }
  committed.delete(entry);
  const sums = new Map<string, Big>();
  for (const { scope, day: on, amount } of [...committed.values()].flat()) {
    if (!amountPattern.test(amount))
      throw new Error(
        `The journal has the amount ${JSON.stringify(amount)} of a call, so the sums of the day are unknown. Run \`fxdesk journal verify\`.`,
      );
    if (on === day) sums.set(scope, new Big(amount).plus(sums.get(scope) ?? 0));
  }
  return sums;
}
