/** An order whose booking left, and of which it is found out later what became: by who has the order then. */
import type { Entry, Journal } from "../../../core/journal/entry";
import { openJournal } from "../../../core/journal/journal";
import { KeptStore } from "../../../core/journal/kept-store";
import { type OrderDesk, OrderRunner } from "../../../core/releases/runner";
import { withStore } from "../../../core/store/open";
import { eventually } from "../../support/eventually";
import { done, intent, longMs, unknown } from "../journal/calls-made";
import { anOrder, type Place, placeOf } from "./place";

let place: Place;
let store: KeptStore;
let journal: Journal;
beforeAll(async () => {
  place = await placeOf();
  store = new KeptStore(place.store);
  journal = await openJournal(place.store);
});
afterAll(async () => {
  await journal.close();
  await store.close();
  await place.close();
});

const run = (sql: string, values: (string | number)[]) =>
  withStore(place.store, ({ database }) => database.run(sql, values));

interface Order {
  readonly release: string;
  readonly environment: string;
  readonly entry: Entry;
}

/** An order of which nobody knows what became of its booking, and which nobody has. */
async function unknownOrder(key: string): Promise<Order> {
  const asker = place.client({ people: "/nowhere/people.json" });
  const { release } = await asker.orders.order(anOrder());
  const { sealed } = (await place.desk.get(release)).release;
  const { environment } = sealed;
  const { entry } = await journal.claim(intent({ environment, key }), longMs);
  await journal.recordSent(entry);
  await journal.end(entry, unknown);
  await run(
    "UPDATE fxdesk_releases SET state = 'unknown', entry = $2, next_at = 0, held_until = 0 WHERE id = $1",
    [release, entry.id],
  );
  return { release, environment, entry };
}

/** Works on orders, until it is stopped, where trades cannot be read; `calls` are those that were made. */
function runnerOver({ environment }: Order, recover: OrderDesk["recover"]) {
  const calls: string[] = [];
  const desk: Partial<OrderDesk> = {
    store,
    journal,
    environment,
    recover,
    isTrusted: async () => true,
    call: async ({ name }) => {
      calls.push(name);
      throw new Error("There is no such trade.");
    },
    get: { name: "trades.get" } as OrderDesk["get"],
  };
  const runner = new OrderRunner(desk as OrderDesk);
  runner.start();
  return { runner, calls };
}

const found = (entry: Entry) => journal.end(entry, { ...done, by: "recovery" });

test("a booking that is found too late is told by who has the order then", async () => {
  const order = await unknownOrder("late");
  let isFound = false;
  const { runner, calls } = runnerOver(order, async () => {
    // It takes so long that another process has the order when it comes to its end.
    await run("UPDATE fxdesk_releases SET fence = fence + 1, held_until = $2 WHERE id = $1", [
      order.release,
      Date.now() + longMs,
    ]);
    await found(order.entry);
    isFound = true;
  });
  await eventually(() => isFound, { withinMs: 10_000, what: "the booking" });
  await runner.stop();
  const [row] = await run("SELECT state FROM fxdesk_releases WHERE id = $1", [order.release]);
  expect([row!.state, calls]).toEqual(["unknown", []]);
});

test("an order that is booked does not say any more that nobody knows", async () => {
  const order = await unknownOrder("found");
  let looks = 0;
  const { runner } = runnerOver(order, async () => {
    looks += 1;
    if (looks > 1) await found(order.entry);
  });
  const standing = async () => (await place.desk.get(order.release)).release;
  const remarked = await eventually(
    async () => {
      const { state, progress } = await standing();
      return state === "unknown" && progress.remark;
    },
    { withinMs: 10_000, what: "a remark" },
  );
  expect(remarked).toContain("Nobody knows what became of a booking");
  const booked = await eventually(
    async () => {
      const release = await standing();
      return release.state === "booked" && release;
    },
    { withinMs: 10_000, what: "the booking" },
  );
  await runner.stop();
  expect(booked.progress).toMatchObject({ identity: done.identity });
  expect(booked.progress.remark).toBeUndefined();
});
