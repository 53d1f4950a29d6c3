/** The messages of one node: as many under way as its connection carries, the rest in a queue with an end. */
import { setTimeout as pause } from "node:timers/promises";
import * as fc from "fast-check";
import { MessageQueue, type RefusalReason } from "../../nodes/operation/queue";
import { eventually } from "../support/eventually";

interface Item {
  readonly number: number;
}

/** A queue whose messages are ended by the test. */
function createTestQueue(maxInFlight: number, maxWaiting: number) {
  const ends = new Map<Item, () => void>();
  const [handled, aborted]: [number[], number[]] = [[], []];
  const refused: [number, RefusalReason][] = [];
  let maxSeen = 0;
  const queue = new MessageQueue<Item>(
    { maxInFlight, maxWaiting },
    {
      async handle(item, { signal }) {
        handled.push(item.number);
        maxSeen = Math.max(maxSeen, queue.inFlight);
        await new Promise<void>((resolve) => {
          ends.set(item, resolve);
          signal.addEventListener("abort", () => {
            aborted.push(item.number);
            resolve();
          });
        });
        ends.delete(item);
      },
      refuse: ({ number }, why) => void refused.push([number, why]),
      onChanged: () => undefined,
    },
  );
  const items = Array.from({ length: 30 }, (_, number) => ({ number }));
  const endOne = () => [...ends.values()][0]?.();
  const settled = () =>
    eventually(() => queue.inFlight === 0 && queue.waiting === 0, {
      withinMs: 5_000,
      what: "an empty queue",
    });
  return { queue, items, handled, aborted, refused, endOne, settled, most: () => maxSeen };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

test("messages are handled in the order in which they came, so many at once; what is too much is refused", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 20 }),
      async (atOnce, longest) => {
        const { queue, items, handled, refused, endOne, most } = createTestQueue(atOnce, longest);
        for (const item of items) queue.add(item);
        const taken = Math.min(items.length, atOnce + longest);
        for (let ended = 0; ended < taken; ended += 1) {
          endOne();
          await pause(0);
        }
        expect(handled).toEqual(range(0, taken));
        expect(refused).toEqual(range(taken, items.length).map((number) => [number, "full"]));
        expect(most()).toBeLessThanOrEqual(atOnce);
        expect([queue.inFlight, queue.waiting]).toEqual([0, 0]);
      },
    ),
    { seed: 1, numRuns: 20 },
  );
});

test("cancels matching messages, waiting or in progress", async () => {
  const { queue, items, aborted, refused } = createTestQueue(2, 10);
  for (const item of items.slice(0, 6)) queue.add(item);

  queue.cancel(({ number }) => number % 2 === 1);
  await eventually(() => refused.length === 2, { withinMs: 5_000, what: "two refusals" });

  expect(aborted).toEqual([1]);
  expect(refused).toEqual([
    [3, "cancelled"],
    [5, "cancelled"],
  ]);
});

test("close aborts messages in progress, refuses waiting and new ones, and then resolves", async () => {
  const { queue, items, aborted, refused, settled } = createTestQueue(2, 10);
  for (const item of items.slice(0, 5)) queue.add(item);

  const closed = queue.close();
  queue.add(items[5]!);
  await closed;
  await settled();

  expect(aborted).toEqual([0, 1]);
  expect(refused).toEqual([2, 3, 4, 5].map((number) => [number, "closed"]));
});
