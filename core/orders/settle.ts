/** Records the outcome of a request that was sent. */
import type { Entry } from "../journal/entry";
import type { Call, Order, Release } from "../releases/release";
import { outcomePollMs } from "../releases/repository";
import { type ExecutorDependencies, never, transition } from "./leased-release";
import { verify } from "./verify";

/**
 * Records the outcome of a sent request. An order is booked again only after its booking has certainly failed, a call is sent
 * again only if it was certainly not sent.
 */
export async function settle(
  dependencies: ExecutorDependencies,
  release: Release,
  entryId: string,
): Promise<void> {
  const { journal, recover, store } = dependencies;
  // Ends the journal entry if its process died.
  await journal.waitForOutcome(entryId, AbortSignal.timeout(100)).catch(() => undefined);
  let entry = await journal.get(entryId);
  if (entry?.state === "unknown") {
    await recover(entryId).catch(() => undefined);
    entry = await journal.get(entryId);
  }
  if (entry?.state === "intended" || entry?.state === "sent")
    await transition(store, release, { dueInMs: outcomePollMs });
  else if (release.sealed.kind === "order") await settleOrder(dependencies, release as Order, entryId, entry);
  else await settleCall(dependencies, release as Call, entryId, entry);
}

function remarkOf({ endingDetails }: Entry): string {
  const { message, note, remark = "" } = (endingDetails ?? {}) as Readonly<Record<string, string>>;
  return message ?? note ?? remark;
}

const resolveAdvice = (entryId: string): string =>
  `until it is found or resolved with \`fxdesk journal resolve ${entryId}\`.`;

async function settleOrder(
  dependencies: ExecutorDependencies,
  order: Order,
  entryId: string,
  entry: Entry | undefined,
): Promise<void> {
  const { store } = dependencies;
  switch (entry?.state) {
    case "done": {
      const identity = entry.ending!.identity!;
      const booked = await transition(store, order, { to: "booked", identity, dueInMs: 0 });
      // If another process holds the lease by now, it verifies the trade.
      if (booked) await verify(dependencies, booked);
      return;
    }
    case "not-sent":
    case "rejected":
      await transition(store, order, {
        to: "released",
        remark: `The last booking failed: ${remarkOf(entry)}`,
        dueInMs: outcomePollMs,
      });
      return;
    default:
      await transition(store, order, {
        to: "unknown",
        remark: entry
          ? `The outcome of a booking is unknown (journal entry ${entryId}). No other booking starts ${resolveAdvice(entryId)}`
          : `Journal entry ${entryId} is missing.`,
        dueInMs: outcomePollMs,
      });
  }
}

async function settleCall(
  { store }: ExecutorDependencies,
  release: Call,
  entryId: string,
  entry: Entry | undefined,
): Promise<void> {
  switch (entry?.state) {
    case "done": {
      const { identity } = entry.ending!;
      const found = identity === undefined ? {} : { identity };
      await transition(store, release, { outcome: "done", ...found, dueInMs: never });
      return;
    }
    case "not-sent":
      await transition(store, release, {
        to: "released",
        remark: `The call was not sent: ${remarkOf(entry)}`,
        dueInMs: outcomePollMs,
      });
      return;
    case "rejected":
      await transition(store, release, { outcome: "rejected", remark: remarkOf(entry), dueInMs: never });
      return;
    default:
      await transition(store, release, {
        outcome: "unknown",
        remark: entry
          ? `The outcome is unknown (journal entry ${entryId}) ${resolveAdvice(entryId)}`
          : `Journal entry ${entryId} is missing.`,
        dueInMs: outcomePollMs,
      });
  }
}
