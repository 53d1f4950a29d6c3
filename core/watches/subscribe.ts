/** Delivers the changes of a watch one after the other. */
import type { Delivery, WatchOptions } from "../api/watch-options";
import { FxdeskError } from "../spec/errors";
import { toChange } from "./stored-rows";
import { Poller, type WatchDependencies } from "./poller";
import type { NextStep } from "./repository";

/** Maximum number of changes fetched at once. Each is marked individually before its delivery. */
const maxChangesPerStep = 100;

/**
 * Yields every change until the signal is aborted. Of all consumers with the same watch, one has the lease at a time.
 * Requesting the next change acknowledges the one before it. The next step is to
 *
 * - `deliver`, if changes are stored. Each is marked as delivered first, so if the process dies before the
 *   acknowledgement, it is delivered again with `repeated: true`.
 * - `poll`, if a read is due. It stores its changes with the new states, and the next step delivers them.
 * - `wait`, if another consumer has the lease, or the next read is not due yet.
 */
export async function* subscribe(
  dependencies: WatchDependencies,
  options: WatchOptions,
  signal: AbortSignal,
): AsyncGenerator<Delivery, void, void> {
  const poller = new Poller(dependencies, options, signal);
  const { repository } = poller;
  const { name } = dependencies.watch;
  let acknowledged = 0;
  let hasRead = false;
  try {
    while (!signal.aborted) {
      const step = await acquireNextStep(poller, acknowledged, hasRead, signal);
      if (step.kind === "deliver")
        for (const stored of step.changes) {
          const { seq } = stored;
          // If the store fails here, the next step fails too and reports the error.
          if (!(await repository.markDelivered(seq, acknowledged).catch(() => false))) break;
          yield { ...toChange(name, repository.id, stored), ack: () => repository.acknowledge(seq) };
          acknowledged = seq;
          if (signal.aborted) break;
        }
      else if (step.kind === "poll") {
        const failure = await poller.poll(step.due);
        // A permanent failure of the first read is thrown; later ones are retried, because reads worked before.
        if (failure instanceof FxdeskError && !failure.retryable && !hasRead) throw failure;
        hasRead ||= failure === undefined;
      } else await poller.wait(step);
    }
  } finally {
    if (acknowledged > 0) await repository.acknowledge(acknowledged).catch(() => undefined);
    await repository.releaseLease().catch(() => undefined);
  }
}

/** Retries failures of the store once a read has succeeded, because the store worked before. */
async function acquireNextStep(
  poller: Poller,
  acknowledged: number,
  hasRead: boolean,
  signal: AbortSignal,
): Promise<NextStep> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await poller.acquireNextStep(acknowledged, maxChangesPerStep);
    } catch (error) {
      if (!hasRead || signal.aborted) throw error;
      await poller.waitAfterFailure(error as Error, failures);
    }
  }
}
