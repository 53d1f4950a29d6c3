/** Settles a booking that was sent: the journal has its outcome, or recovery finds it. */
import type { Order } from "../releases/release";
import { type OrderDependencies, transition } from "./leased-order";
import { verify } from "./verify";

/** Interval between checks of a booking without outcome. */
const outcomePollMs = 2_000;

/** Records the outcome of a booking. No other booking of the order starts until this one has certainly failed. */
export async function settle(dependencies: OrderDependencies, order: Order, entryId: string): Promise<void> {
  const { journal, recover, store } = dependencies;
  // Ends the journal entry if its process died.
  await journal.waitForOutcome(entryId, AbortSignal.timeout(100)).catch(() => undefined);
  let entry = await journal.get(entryId);
  if (entry?.state === "unknown") {
    await recover(entryId).catch(() => undefined);
    entry = await journal.get(entryId);
  }
  switch (entry?.state) {
    case "done": {
      const booked = await transition(store, order, {
        to: "booked",
        identity: entry.ending!.identity!,
        dueInMs: 0,
      });
      // If another process holds the lease by now, it verifies the trade.
      if (booked) await verify(dependencies, booked);
      return;
    }
    case "not-sent":
    case "rejected": {
      const { message, note, remark } = (entry.endingDetails ?? {}) as Readonly<Record<string, string>>;
      await transition(store, order, {
        to: "released",
        remark: `The last booking failed: ${message ?? note ?? remark ?? ""}`,
        dueInMs: outcomePollMs,
      });
      return;
    }
    case "intended":
    case "sent":
      await transition(store, order, { dueInMs: outcomePollMs });
      return;
    case "unknown":
    case undefined:
      await transition(store, order, {
        to: "unknown",
        remark: entry
          ? `The outcome of a booking is unknown (journal entry ${entryId}). No other booking starts until it is found ` +
            `or resolved with \`fxdesk journal resolve ${entryId}\`.`
          : `Journal entry ${entryId} is missing.`,
        dueInMs: outcomePollMs,
      });
  }
}
