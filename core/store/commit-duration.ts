/** Publishes the duration of each transaction on the diagnostics channel `fxdesk:commit`. */
import { channel } from "node:diagnostics_channel";
import type { Database } from "./database";

export interface CommitEvent {
  /** Includes the wait for other processes. */
  readonly milliseconds: number;
}

export const commitChannel = channel("fxdesk:commit");

/** Measures the transactions of a database. Costs nothing without a subscriber. */
export function measureCommits(database: Database): Database {
  async function measure<T>(work: () => Promise<T>): Promise<T> {
    if (!commitChannel.hasSubscribers) return work();
    const startedAt = performance.now();
    const result = await work();
    commitChannel.publish({ milliseconds: performance.now() - startedAt } satisfies CommitEvent);
    return result;
  }
  return {
    ...database,
    transaction: (work, options) => measure(() => database.transaction(work, options)),
    transactInPhases: (phases, options) => measure(() => database.transactInPhases(phases, options)),
  };
}
