/** Each change is delivered once or marked as repeated, and none is lost, even if processes die at any step. */
import { setTimeout as wait } from "node:timers/promises";
import * as fc from "fast-check";
import { StoreSession } from "../../../core/store/session";
import { moveStore } from "../../../core/store/move";
import { withStore } from "../../../core/store/open";
import type { SinceOptions, WatchStatus } from "../../../core/api/watch-options";
import { closeLater } from "../../support/resources";
import { engines } from "../store/engines";
import {
  consume,
  datedWatch,
  DyingStore,
  emptySource,
  type Entry,
  type ReceivedChange,
  fetchFrom,
  subscribeTo,
  type WatchedSource,
} from "./watched-source";

const runs = Number(process.env.FXDESK_RUNS ?? 15);

const ids = ["a", "b", "c", "d", "e", "f"];

type Step =
  | { readonly kind: "set"; readonly id: string; readonly v: number }
  | { readonly kind: "remove"; readonly id: string }
  | { readonly kind: "all" }
  | { readonly kind: "abandoned"; readonly most: number }
  | { readonly kind: "killed"; readonly after: number; readonly isDone: boolean }
  | { readonly kind: "two" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("set" as const),
    id: fc.constantFrom(...ids),
    v: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant("remove" as const), id: fc.constantFrom(...ids) }),
  fc.record({ kind: fc.constant("all" as const) }),
  fc.record({ kind: fc.constant("two" as const) }),
  fc.record({ kind: fc.constant("abandoned" as const), most: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constant("killed" as const),
    after: fc.integer({ min: 1, max: 9 }),
    isDone: fc.boolean(),
  }),
);

const sequenceOf = ({ cursor }: ReceivedChange): number => Number(cursor.split(".")[1]);

/** Returns the entries after the changes. */
function replay(received: readonly ReceivedChange[]): Map<string, number> {
  const found = new Map<string, number>();
  const bySeq = new Map(received.map((each) => [sequenceOf(each), each]));
  for (const [, { kind, id, entry, before }] of [...bySeq].toSorted(([one], [other]) => one - other)) {
    expect(found.get(id)).toBe(before?.v);
    expect(kind).toBe(before === undefined ? "new" : entry === undefined ? "gone" : "changed");
    if (entry) found.set(id, entry.v);
    else found.delete(id);
  }
  return found;
}

function expectDeliveredOnce(received: readonly ReceivedChange[]): void {
  const delivered = new Set<string>();
  for (const { cursor, repeated } of received) {
    if (delivered.has(cursor)) expect(repeated).toBe(true);
    delivered.add(cursor);
  }
}

const set = (world: WatchedSource, entry: Entry) => world.entries.set(entry.id, entry);

describe.each(engines())("$name", ({ create }) => {
  const openStore = async (settings?: Awaited<ReturnType<typeof create>>) =>
    closeLater(new StoreSession(settings ?? (await create())));

  test("delivers each change once or marked for random changes and deaths", async () => {
    const settings = await create();
    const [one, other] = [await openStore(settings), await openStore(settings)];
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        const options = { consumer: String((number += 1)) };
        const world = emptySource();
        const changes: ReceivedChange[] = [];
        const consuming = { world, store: one, options };
        for (const each of steps) {
          if (each.kind === "set") set(world, { id: each.id, v: each.v });
          if (each.kind === "remove") world.entries.delete(each.id);
          if (each.kind === "all") changes.push(...(await consume(consuming)).changes);
          if (each.kind === "abandoned")
            changes.push(...(await consume({ ...consuming, maxChanges: each.most })).changes);
          if (each.kind === "killed") {
            const store = new DyingStore(settings, each.after, each.isDone);
            changes.push(...(await consume({ ...consuming, store, clock: one })).changes);
            await store.close();
          }
          if (each.kind === "two") {
            const both = await Promise.all([consume(consuming), consume({ ...consuming, store: other })]);
            changes.push(
              ...both
                .flatMap((found) => found.changes)
                .toSorted((a, b) => Number(a.repeated) - Number(b.repeated)),
            );
          }
        }
        changes.push(...(await consume(consuming)).changes);
        expectDeliveredOnce(changes);
        expect(replay(changes)).toEqual(new Map([...world.entries].map(([id, { v }]) => [id, v])));
      }),
      { numRuns: runs },
    );
  });

  test("repeats a change that was not acknowledged before a death, and no acknowledged one", async () => {
    const [store, world] = [await openStore(), emptySource()];
    for (const id of ["a", "b", "c"]) set(world, { id, v: 1 });
    const first = await consume({ world, store, maxChanges: 2 });
    const second = await consume({ world, store });
    const deliveries = ({ changes }: { changes: ReceivedChange[] }) =>
      changes.map(({ id, repeated }) => [id, repeated]);
    expect(deliveries(first)).toEqual([
      ["a", false],
      ["b", false],
    ]);
    expect(deliveries(second)).toEqual([
      ["b", true],
      ["c", false],
    ]);
    expect(deliveries(await consume({ world, store }))).toEqual([]);
  });

  test("does not repeat a change after ack()", async () => {
    const [store, world] = [await openStore(), emptySource()];
    set(world, { id: "a", v: 1 });
    const changes = subscribeTo({ world, store }, new AbortController().signal);
    const { value } = await changes.next();
    await value!.ack();
    await changes.return();
    expect((await consume({ world, store })).changes).toEqual([]);
  });

  test("starts now, from the beginning or from a day, and finds late entries within the overlap", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const ago = (days: number) => new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);
    const store = await openStore();
    const changesFrom = async (from: string) => {
      const world = emptySource();
      const consuming = { world, store, watch: datedWatch, options: { from, consumer: from } };
      for (const days of [0, 2, 5, 9]) set(world, { id: `old-${days}`, v: 1, day: ago(days) });
      const first = (await consume(consuming)).changes.map(({ id }) => id);
      for (const days of [1, 3, 8]) set(world, { id: `late-${days}`, v: 1, day: ago(days) });
      world.entries.delete("old-2");
      world.entries.delete("old-9");
      set(world, { id: "old-0", v: 2, day: today });
      const second = (await consume(consuming)).changes.map(({ id, kind }) => `${kind} ${id}`);
      return { first, second, windows: world.windows };
    };
    const second = ["changed old-0", "new late-1", "new late-3", "gone old-2"];
    expect(await changesFrom("now")).toEqual({ first: [], second, windows: [ago(3), ago(3)] });
    expect(await changesFrom("beginning")).toEqual({
      first: ["old-0", "old-2", "old-5", "old-9"],
      second,
      windows: [undefined, ago(3)],
    });
    expect(await changesFrom(ago(6))).toEqual({
      first: ["old-0", "old-2", "old-5"],
      second,
      windows: [ago(6), ago(3)],
    });
  });

  test("an incomplete read reports nothing as gone and does not start a watch", async () => {
    const [store, world] = [await openStore(), emptySource()];
    set(world, { id: "a", v: 1 });
    set(world, { id: "b", v: 1 });
    world.gaps.push("b cannot be read.");
    const consuming = { world, store, options: { from: "now" } };
    const { statuses } = await consume(consuming);
    expect(statuses.at(-1)).toMatchObject({
      state: "failed",
      error: { message: expect.stringMatching(/b cannot be read/) },
    });
    world.gaps.pop();
    expect((await consume(consuming)).changes).toEqual([]);
    world.gaps.push("b cannot be read.");
    world.entries.delete("b");
    const { changes, statuses: later } = await consume(consuming);
    expect([changes, later.map(({ state }) => state)]).toEqual([[], ["reading", "incomplete", "waiting"]]);
    world.gaps.pop();
    expect((await consume(consuming)).changes.map(({ kind, id }) => [kind, id])).toEqual([["gone", "b"]]);
  });

  test("respects the quota of reads over restarts and deaths during reads", async () => {
    const [store, world] = [await openStore(), emptySource()];
    const options = { readsPerDay: 4 };
    const isDue = false;
    for (let start = 0; start < 3; start += 1) await consume({ world, store, options, isDue });
    expect(world.reads).toBe(1);
    const failing = emptySource();
    failing.failure = new Error("Refused.");
    const other = { readsPerDay: 4, consumer: "other" };
    for (let start = 0; start < 3; start += 1)
      await consume({ world: failing, store, options: other, isDue }).catch(() => undefined);
    expect(failing.reads).toBe(1);
  });

  test("returns the same changes as repeated for the same cursor", async () => {
    const [store, world] = [await openStore(), emptySource()];
    const since = (cursor?: string) =>
      fetchFrom({ world, store }, { limit: 2, ...(cursor !== undefined && { cursor }) });
    for (const id of ["a", "b", "c"]) set(world, { id, v: 1 });
    const deliveries = ({ changes }: Awaited<ReturnType<typeof since>>) =>
      changes.map(({ id, repeated }) => [id, repeated]);
    const first = await since();
    expect([deliveries(first), first.hasMore]).toEqual([
      [
        ["a", false],
        ["b", false],
      ],
      true,
    ]);
    const second = await since(first.next);
    expect([deliveries(second), second.hasMore]).toEqual([[["c", false]], false]);
    expect(deliveries(await since(first.next))).toEqual([["c", true]]);
    expect(await since(second.next)).toEqual({ changes: [], next: second.next, hasMore: false, gaps: [] });
    await expect(since("elsewhere.1")).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("refuses a cursor beyond the delivered changes without losing any", async () => {
    const [store, world] = [await openStore(), emptySource()];
    const since = (cursor: string | undefined, limit = 100) =>
      fetchFrom({ world, store }, { everyMs: 1, limit, ...(cursor !== undefined && { cursor }) });
    const { next } = await since(undefined);
    expect(next).toMatch(/\.0$/);
    for (const id of ["a", "b"]) set(world, { id, v: 1 });
    const beyond = (seq: number) => next.replace(/0$/, String(seq));
    await expect(since(beyond(5))).rejects.toThrow("must come from an earlier result");
    await wait(5);
    const first = await since(next, 1);
    expect(first.changes.map(({ id }) => id)).toEqual(["a"]);
    // The change is stored but was not delivered.
    await expect(since(beyond(2))).rejects.toMatchObject({ code: "invalid_input" });
    expect((await since(first.next)).changes.map(({ id, repeated }) => [id, repeated])).toEqual([
      ["b", false],
    ]);
  });

  test("a shortened interval counts at once, but neither before a limit of reads nor a pause", async () => {
    const [store, world] = [await openStore(), emptySource()];
    set(world, { id: "a", v: 1 });
    const since = (options: SinceOptions) => fetchFrom({ world, store }, options);
    const { next: cursor, changes } = await since({});
    set(world, { id: "b", v: 1 });
    expect((await since({ cursor, everyMs: 1, readsPerDay: 24 })).changes).toEqual([]);
    expect((await since({ cursor, everyMs: 20 })).changes).toEqual([]);
    await wait(25);
    const later = await since({ cursor, everyMs: 20 });
    expect([...changes, ...later.changes].map(({ id, repeated }) => [id, repeated])).toEqual([
      ["a", false],
      ["b", false],
    ]);
    world.failure = new Error("Down.");
    await wait(25);
    await expect(since({ cursor: later.next, everyMs: 20 })).rejects.toThrow("Down.");
    await wait(25);
    await expect(since({ cursor: later.next, everyMs: 1 })).rejects.toMatchObject({ code: "unavailable" });
    expect(world.reads).toBe(3);
  });

  test("since() returns the gaps of the last read, also between reads", async () => {
    const [store, world] = [await openStore(), emptySource()];
    set(world, { id: "a", v: 1 });
    world.gaps.push("b cannot be read.");
    const since = (everyMs: number) => fetchFrom({ world, store }, { everyMs });
    expect(await since(50)).toMatchObject({ changes: [{ id: "a" }], gaps: ["b cannot be read."] });
    expect(await since(50)).toMatchObject({ changes: [{ id: "a" }], gaps: ["b cannot be read."] });
    const cursor = (await since(50)).next;
    const later = () => fetchFrom({ world, store }, { everyMs: 1, cursor });
    expect(await later()).toMatchObject({ changes: [], gaps: ["b cannot be read."] });
    world.gaps.pop();
    await wait(60);
    expect(await later()).toMatchObject({ changes: [], gaps: [] });
    expect(
      (await store.use(({ database: { run } }) => run("SELECT entry FROM fxdesk_watch_states"))).length,
    ).toBe(1);
  });

  test("retries failures of the store once a read has succeeded, and throws earlier ones", async () => {
    const world = emptySource();
    const store = await openStore();
    const use = jest.spyOn(store, "use");
    const breakOnce = () => use.mockRejectedValueOnce(new Error("The disk is full"));
    const { signal } = new AbortController();
    const statuses: string[] = [];
    const onStatus = (status: WatchStatus) => {
      statuses.push(status.state === "failed" ? status.error.message : status.state);
      if (status.state === "waiting") breakOnce();
      if (status.state !== "failed") return;
      set(world, { id: "a", v: 1 });
      void store.use(({ database: { run } }) => run("UPDATE fxdesk_watches SET next_at = 0"));
    };
    const subscribeNow = () => subscribeTo({ world, store, options: { onStatus } }, signal);
    breakOnce();
    await expect(subscribeNow().next()).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
      message: expect.stringContaining("The disk is full. Check it with `fxdesk store check`."),
    });
    const changes = subscribeNow();
    expect((await changes.next()).value).toMatchObject({ id: "a", repeated: false });
    await changes.return();
    expect(statuses.slice(0, 3)).toEqual([
      "reading",
      "waiting",
      expect.stringContaining("The disk is full."),
    ]);
  });

  test("since() throws while the last read has failed, instead of reporting no changes", async () => {
    const [store, world] = [await openStore(), emptySource()];
    world.failure = new Error("Refused.");
    const since = () => fetchFrom({ world, store }, { readsPerDay: 4 });
    await expect(since()).rejects.toThrow("Refused.");
    await expect(since()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(
        /: The last read failed\. The next read starts in 21\d{3} s at the earliest\.$/,
      ),
    });
    expect(world.reads).toBe(1);
  });

  test("moves watches with the store", async () => {
    const [from, to] = [await create(), { ...(await create()), key: Buffer.alloc(32, 7) }];
    const world = emptySource();
    set(world, { id: "a", v: 1 });
    const store = await openStore(from);
    await consume({ world, store });
    await store.close();
    await moveStore(from, to);
    set(world, { id: "a", v: 2 });
    const { changes } = await consume({ world, store: await openStore(to) });
    expect(changes).toMatchObject([{ kind: "changed", id: "a", before: { v: 1 }, repeated: false }]);
  });

  test("stores nothing of an entry in plain text", async () => {
    const settings = await create();
    const [store, world] = [await openStore(settings), emptySource()];
    set(world, { id: "GB29NWBK60161331926819", v: 4_711_471_147_114 });
    await consume({ world, store, maxChanges: 1 });
    await withStore(settings, async ({ database }) => {
      for (const table of ["fxdesk_watches", "fxdesk_watch_states", "fxdesk_watch_changes"]) {
        const text = JSON.stringify(await database.run(`SELECT * FROM ${table}`));
        expect(text.length).toBeGreaterThan(50);
        expect(text).not.toMatch(/GB29NWBK|4711471147114|"v"/);
      }
    });
  });
});
