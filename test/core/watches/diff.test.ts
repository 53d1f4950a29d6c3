/** Changes that a read reports, and the states after it. */
import * as fc from "fast-check";
import { applyDiff, diff, type DiffWindow } from "../../../core/watches/diff";
import type { EntryState } from "../../../core/watches/stored-rows";
import { datedWatch, type Entry, watch } from "./watched-source";

const [day1, day5, day9] = ["2026-03-01", "2026-03-05", "2026-03-09"];
const later: DiffWindow = { from: undefined, start: undefined };
const input = {};

const stored = (states: Record<string, readonly [number, string]>) =>
  new Map<string, EntryState>(Object.entries(states).map(([id, [v, day]]) => [id, { state: { v }, day }]));
const entry = (id: string, v: number, day?: string): Entry => ({ id, v, ...(day !== undefined && { day }) });

const { reportsGone: _reportsGone, ...withoutGone } = datedWatch;

test.each([
  [
    "entries before the first day",
    { a: [1, day1] },
    {
      watch: datedWatch,
      current: [entry("a", 2, day1), entry("b", 1, day1)],
      window: { ...later, from: day5 },
    },
    [],
    "",
  ],
  [
    "states before the first day, within the overlap",
    { a: [1, "2026-03-02"] },
    { watch: datedWatch, current: [], window: { ...later, from: day5 } },
    [],
    "a=1",
  ],
  [
    "expired states of a partial read",
    { a: [1, day1] },
    { watch: datedWatch, current: [], gaps: ["No a."], window: { ...later, from: day5 } },
    [],
    "a=1",
  ],
  [
    "a missing entry of a watch that reports none as gone",
    { a: [1, day5] },
    { watch: withoutGone, current: [], window: { ...later, from: day5 } },
    [],
    "a=1",
  ],
  [
    "an entry that moves to another day",
    { a: [1, day5] },
    { watch: datedWatch, current: [entry("a", 1, day9)], window: { ...later, from: day5 } },
    [],
    "a=1",
  ],
  [
    "an entry that moves before the first day",
    { a: [1, day5] },
    { watch: datedWatch, current: [entry("a", 1, day1)], window: { ...later, from: day5 } },
    ["gone a before 1"],
    "",
  ],
] as const)("%s", (_name, states, read, changes, after) => {
  const {
    watch: own = watch,
    current,
    gaps = [],
    window = later,
  } = read as {
    watch?: typeof watch;
    current: readonly Entry[];
    gaps?: readonly string[];
    window?: DiffWindow;
  };
  const previous = stored(states);
  const found = diff({ watch: own, input }, previous, { entries: current, gaps }, window);
  expect(
    found.changes.map(
      ({ kind, id, before }) => `${kind} ${id}${before ? ` before ${String(before["v"])}` : ""}`,
    ),
  ).toEqual(changes);
  const statesAfter = [...applyDiff(previous, found)].map(([id, { state }]) => `${id}=${String(state["v"])}`);
  expect(statesAfter.toSorted().join(" ")).toBe(after);
});

test("reports oldest first, whatever the order of the read", () => {
  const timed = { ...datedWatch, time: (each: unknown) => (each as Entry).day ?? "" };
  const days = fc.uniqueArray(fc.integer({ min: 0, max: 27 }), { maxLength: 12 });
  fc.assert(
    fc.property(days, fc.boolean(), fc.boolean(), (numbers, isSorted, isKnown) => {
      const order = isSorted ? numbers.toSorted((a, b) => b - a) : numbers;
      const entries = order.map((each) =>
        entry(`e${each}`, 2, `2026-03-${String(each + 1).padStart(2, "0")}`),
      );
      const previous = stored(
        isKnown ? Object.fromEntries(entries.map(({ id, day }) => [id, [1, day!]])) : {},
      );
      const { changes } = diff({ watch: timed, input }, previous, { entries, gaps: [] }, later);
      expect(changes.map(({ id }) => id)).toEqual(
        numbers.toSorted((a, b) => a - b).map((each) => `e${each}`),
      );
    }),
    { seed: 28 },
  );
});

test("reports entries of the same time in the other order than a list that begins with the newest", () => {
  const timed = { ...datedWatch, time: (each: unknown) => (each as Entry).day ?? "" };
  const entries = [entry("c", 1, day5), entry("b", 1, day5), entry("a", 1, day1)];
  const { changes } = diff({ watch: timed, input }, new Map(), { entries, gaps: [] }, later);
  expect(changes.map(({ id }) => id)).toEqual(["a", "b", "c"]);
});

test("updates the stored day of an entry that moves", () => {
  const { updatedStates } = diff(
    { watch: datedWatch, input },
    stored({ a: [1, day5] }),
    { entries: [entry("a", 1, day9)], gaps: [] },
    later,
  );
  expect(updatedStates).toEqual(new Map([["a", { state: { v: 1 }, day: day9 }]]));
});
