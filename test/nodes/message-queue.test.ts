/** The messages of one node: as many under way as its connection carries, the rest in a queue with an end. */
import { getEventListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import * as fc from "fast-check";
import { createClient } from "../../core/client/client";
import type { ExtendedService } from "../../core/client/extensions";
import type { Interceptor } from "../../core/call/interceptors";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { Backpressure } from "../../nodes/operation/output/backpressure";
import { type HandlerContext, createHandler } from "../../nodes/operation/controller";
import { MessageQueue, type RefusalReason } from "../../nodes/operation/queue";
import { eventually } from "../support/eventually";

interface Item {
  readonly number: number;
}

/** A queue whose messages end when they are told to. */
function createTestQueue(maxInFlight: number, maxWaiting: number) {
  const ends = new Map<Item, () => void>();
  const [handled, aborted]: [number[], number[]] = [[], []];
  const refused: [number, RefusalReason][] = [];
  let maxSeen = 0;
  const queue = new MessageQueue<Item>(
    { maxInFlight, maxWaiting },
    {
      async handle(item, signal) {
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

  expect(queue.cancel(({ number }) => number % 2 === 1)).toBe(3);
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

/** While a message is handled. */
interface HandledMessage {
  readonly signal: AbortSignal;
  readonly cancel: () => void;
}

/** Handles messages one after another, and does something during each but the last; returns their signals. */
async function signalsOf(canReuseSignals: boolean, acts: readonly ((now: HandledMessage) => void)[]) {
  const signals: AbortSignal[] = [];
  const ends: (() => void)[] = [];
  const queue = new MessageQueue<Item>(
    { maxInFlight: 1, maxWaiting: 10, canReuseSignals },
    {
      handle: (_item, signal) => {
        signals.push(signal);
        return new Promise((resolve) => ends.push(resolve));
      },
      refuse: () => undefined,
      onChanged: () => undefined,
    },
  );
  for (const number of range(0, acts.length + 1)) queue.add({ number });
  for (const [number, act] of acts.entries()) {
    act({ signal: signals[number]!, cancel: () => queue.cancel((item) => item.number === number) });
    ends[number]!();
    await eventually(() => signals.length > number + 1, { withinMs: 5_000, what: "the next message" });
  }
  return signals;
}

const doNothing = () => undefined;

test("reuses a signal unless it was aborted or still has listeners", async () => {
  const signals = await signalsOf(true, [
    doNothing,
    ({ cancel }) => cancel(),
    ({ signal }) => signal.addEventListener("abort", doNothing),
  ]);

  expect(signals.map((signal) => signals.indexOf(signal))).toEqual([0, 0, 2, 3]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false, false]);
});

test("where somebody else's code gets it, the end of a message ends nothing that is left of those before", async () => {
  const derived: AbortSignal[] = [];
  const derive = ({ signal }: HandledMessage) => derived.push(AbortSignal.any([signal]));
  const signals = await signalsOf(false, [derive, doNothing, ({ cancel }) => cancel()]);

  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, true, false]);
  expect(derived.map(({ aborted }) => aborted)).toEqual([false]);
});

const passThrough: Interceptor = (call, next) => next(call);

test.each<[what: string, name: string, interceptors: readonly Interceptor[], areOwn: boolean]>([
  ["an operation are its own", "trades.list", [], true],
  ["an operation are not its own with an interceptor round it", "trades.list", [passThrough], false],
  ["a procedure are not its own", "cash.getPosition", [], false],
])("the signals of %s", async (_, name, interceptors, areOwn) => {
  const service: ExtendedService = { ...fxdeskService, interceptors };
  const client = createClient({ baseUrl: "https://api.example.com" }, service);
  const context = { RED: {}, node: {}, config: {}, chosen: { connection: { client } } };

  expect(createHandler(name, context as unknown as HandlerContext).canReuseSignals).toBe(areOwn);
  await client.close();
});

test("who waited until messages have gone on leaves no listener on the signal", async () => {
  const completed: ((event: object) => void)[] = [];
  const hooks = {
    add: (_event: string, heard: () => void) => completed.push(heard),
    remove: () => undefined,
  };
  const goneOn = new Backpressure({ hooks } as never);
  const { signal } = new AbortController();
  const { sent, end } = goneOn.track({ wires: [["next"]] } as never, { _msgid: "M1" });
  sent.add();

  const gone = sent.drained(signal);
  await eventually(() => getEventListeners(signal, "abort").length === 1, {
    withinMs: 5_000,
    what: "a listener",
  });
  completed[0]!({ msg: { _msgid: "M1" }, node: { id: "next" } });
  await gone;
  end();

  expect(getEventListeners(signal, "abort")).toEqual([]);
});
