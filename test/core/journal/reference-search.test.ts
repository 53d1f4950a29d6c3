/** Results of a search for a call whose response was lost, by listed items and journal entries. */
import * as fc from "fast-check";
import { listTrades, bookTrade } from "../../../core/contract/trades";
import { addDays } from "../../../core/calendars/days";
import type { Entry } from "../../../core/journal/entry";
import {
  type ListedItem,
  parseListed,
  searchByReference,
  type SearchSources,
} from "../../../core/journal/reference-search";

const begunAt = Date.parse("2026-11-20T10:00:00Z");
const now = Date.parse("2026-11-22T09:00:00Z");

const createEntry = (id: string, change: Partial<Entry> = {}): Entry => ({
  id,
  environment: "sandbox https://sandbox.example.com",
  client: "C-1",
  operation: "trades.book",
  key: id,
  terms: "",
  surface: "client",
  reference: "FX-1",
  state: "unknown",
  begunAt,
  changedAt: begunAt,
  ending: undefined,
  intent: undefined,
  endingDetails: undefined,
  ...change,
});

const trade = (identity: string, reference = "FX-1", day = "2026-11-20"): ListedItem => ({
  identity,
  reference,
  day,
  body: { trade_id: identity, reference, order_date: day },
});

interface Situation {
  readonly listed: readonly ListedItem[];
  /** Other entries of the journal. */
  readonly others?: readonly Entry[];
}

function createSources({ listed, others = [] }: Situation): SearchSources {
  return {
    listName: "trades.list",
    readPages: async function* () {
      yield listed;
    },
    position: { page: 1, isNewestFirst: false },
    entriesWithSameReference: async ({ id, reference }) =>
      others.filter((other) => other.id !== id && other.reference === reference),
    findByIdentity: async (identity) => others.find(({ ending }) => ending?.identity === identity),
    now,
  };
}

const finding = async (situation: Situation, entry = createEntry("e-1")) =>
  (await searchByReference([entry], createSources(situation))).get(entry.id);

const booked = (id: string, identity: string, change: Partial<Entry> = {}) =>
  createEntry(id, { state: "done", ending: { state: "done", by: "call", identity }, ...change });

const unknownOther = createEntry("e-2", { state: "unknown" });
const cases: Readonly<Record<string, [found: string, Situation, reference?: string]>> = {
  "one item with the reference": ["t-2", { listed: [trade("t-1", "other"), trade("t-2"), trade("t-3", "")] }],
  "a day before the call": ["t-1", { listed: [trade("t-1", "FX-1", "2026-11-19")] }],
  "a day after the search": ["t-1", { listed: [trade("t-1", "FX-1", "2026-11-23")] }],
  "two days before the call": ["none", { listed: [trade("t-1", "FX-1", "2026-11-18")] }],
  "two days after the search": ["none", { listed: [trade("t-1", "FX-1", "2026-11-24")] }],
  "no day": ["none", { listed: [trade("t-1", "FX-1", "")] }],
  "other references": ["none", { listed: [trade("t-1", "FX-10"), trade("t-2", "fx-1")] }],
  "several items with the reference": ["several", { listed: [trade("t-1"), trade("t-2")] }],
  "an item of another entry": ["none", { listed: [trade("t-1")], others: [booked("e-2", "t-1")] }],
  "an item of another entry, and one more": [
    "t-2",
    { listed: [trade("t-1"), trade("t-2")], others: [booked("e-2", "t-1", { reference: "else" })] },
  ],
  "its own item": ["t-1", { listed: [trade("t-1")], others: [booked("e-1", "t-1")] }],
  "a reference that is lost twice": ["shared", { listed: [trade("t-1")], others: [unknownOther] }],
  "a reference under way": [
    "shared",
    { listed: [trade("t-1")], others: [createEntry("e-2", { state: "sent" })] },
  ],
  "no reference": ["not searched", { listed: [trade("t-1", "")] }, ""],
  "a blank reference": ["not searched", { listed: [trade("t-1", "")] }, " "],
};
test.each(Object.entries(cases))("with %s", async (_, [expected, situation, reference = "FX-1"]) => {
  const result = await finding(situation, createEntry("e-1", { reference }));
  expect(result?.kind === "found" ? result.listed.identity : (result?.kind ?? "not searched")).toBe(expected);
});

test("remarks what was searched and which entries weaken the evidence", async () => {
  const others = [booked("e-2", "t-1"), createEntry("e-3", { state: "rejected" })];
  const { remark } = (await finding({ listed: [trade("t-1"), trade("t-2")], others }))!;
  expect(remark).toMatch(/trades\.list .* FX-1 from 2026-11-19 to 2026-11-23: t-2\. .*: e-2, e-3\.$/);
});

test("respects an entry with the same reference that ends during the search", async () => {
  const other = createEntry("e-2", { state: "sent" });
  const journal = [other];
  const sources: SearchSources = {
    ...createSources({ listed: [trade("t-1")] }),
    entriesWithSameReference: async () => {
      const found = [...journal];
      journal[0] = booked("e-2", "t-1");
      return found;
    },
    findByIdentity: async (identity) => journal.find(({ ending }) => ending?.identity === identity),
  };
  expect((await searchByReference([createEntry("e-1")], sources)).get("e-1")).toMatchObject({ kind: "none" });
});

test("searches for several entries in one pass", async () => {
  let walks = 0;
  const pages = [[trade("t-1", "FX-1"), trade("t-2", "FX-2")]];
  const readPages = async function* () {
    walks += 1;
    yield* pages;
  };
  const entries = ["FX-1", "FX-2", "FX-3"].map((reference) => createEntry(reference, { reference }));
  const findings = await searchByReference(entries, { ...createSources({ listed: [] }), readPages });
  expect([...findings].map(([id, { kind }]) => [id, kind])).toEqual([
    ["FX-1", "found"],
    ["FX-2", "found"],
    ["FX-3", "none"],
  ]);
  expect(walks).toBe(1);
});

/** A list whose head grows or shrinks while it is read. */
function movingList(size: number, changes: readonly ("add" | "remove" | "none")[]) {
  const list = Array.from({ length: 30 }, (_, index) => trade(`t-${index}`, `old-${index}`));
  list.splice(17, 0, trade("mine"));
  const waiting = [...changes];
  let added = 0;
  return async function* () {
    for (let start = 0; start < list.length; start += size) {
      yield list.slice(start, start + size);
      const change = waiting.shift();
      if (change === "add") list.unshift(trade(`new-${(added += 1)}`, "new"));
      if (change === "remove" && list[0]!.identity !== "mine") list.shift();
    }
  };
}

test("finds an item in the next search if a moving list hid it", async () => {
  const sources = (size: number, changes: readonly ("add" | "remove" | "none")[]) => ({
    ...createSources({ listed: [] }),
    readPages: movingList(size, changes),
  });
  const entry = createEntry("e-1");
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 40 }),
      // Enough for one change at each page of the first pass.
      fc.array(fc.constantFrom("add" as const, "remove" as const, "none" as const), { maxLength: 3 }),
      async (size, changes) => {
        const moving = sources(size, changes);
        const first = (await searchByReference([entry], moving)).get("e-1")!;
        const found = first.kind === "none" ? (await searchByReference([entry], moving)).get("e-1") : first;
        expect(found).toMatchObject({ kind: "found", listed: { identity: "mine" } });
      },
    ),
    { numRuns: 300 },
  );
});

const shifting = (reference: string, ...passes: ListedItem[][]) => {
  let walks = 0;
  const readPages = async function* () {
    yield passes[walks++]!;
    yield [trade("t-0", "other")];
  };
  const search = searchByReference([createEntry("e-1", { reference })], {
    ...createSources({ listed: [] }),
    readPages,
  });
  return search.then((findings) => [findings.get("e-1")?.kind, walks]);
};

test("confirms a unique match of a caller's reference, but not of a generated one, with a second pass", async () => {
  const passes = (reference: string) => [
    [trade("t-1", reference)],
    [trade("t-2", reference), trade("t-1", reference)],
  ];
  const generated = "FX-0123ABCD-4567EFGH";
  expect(await shifting("INV-1", ...passes("INV-1"))).toEqual(["several", 2]);
  expect(await shifting("INV-1", [trade("t-1", "INV-1")], [trade("t-2", "INV-1")])).toEqual(["several", 2]);
  expect(await shifting(generated, ...passes(generated))).toEqual(["found", 1]);
});

/** 2,000 trades on 40 pages, 25 a day, up to the day after the call. */
const history = Array.from({ length: 2_000 }, (_, index) =>
  trade(`t-${index}`, `ref-${index}`, addDays("2026-11-21", -Math.floor(index / 25))),
);
const mine = trade("mine", "FX-1");
const newestFirst = [...history.slice(0, 30), mine, ...history.slice(30)];
const shuffled = newestFirst.map((_, index, all) => all[(index * 997) % all.length]!);
const orders: [name: string, list: readonly ListedItem[], first: number, later: number][] = [
  ["newest first", newestFirst, 41, 4],
  ["oldest first", newestFirst.toReversed(), 41, 4],
  ["in no order", shuffled, 41, 41],
];
test.each(orders)("reads few pages of a list %s", async (_, list, first, later) => {
  let pages = 0;
  const position = { page: 1, isNewestFirst: false };
  const readPages = async function* (firstPage: number) {
    for (let start = (firstPage - 1) * 50; start < list.length; start += 50) {
      pages += 1;
      yield list.slice(start, start + 50);
    }
  };
  const generated = createEntry("e-1", { reference: "FX-0123ABCD-4567EFGH" });
  const search = async (entry: Entry) => {
    pages = 0;
    const sources = { ...createSources({ listed: [] }), readPages, position };
    return (await searchByReference([entry], sources)).get("e-1")!.kind;
  };
  expect([await search(generated), pages <= first]).toEqual(["none", true]);
  expect([await search(generated), pages <= later]).toEqual(["none", true]);
  expect(await search(createEntry("e-1"))).toBe("found");
  expect(pages <= 2 * later).toBe(true);
  // An older call is searched for on older pages.
  const older = createEntry("e-1", { reference: "ref-1500", begunAt: Date.parse("2026-09-22T10:00:00Z") });
  expect(await search(older)).toBe("found");
});

test("reads list items, also without identity", () => {
  const body = [
    { trade_id: "t-1", reference: " FX-1 ", order_date: "2026-11-20" },
    { trade_id: 7, order_date: "2026-11-20T10:00:00Z" },
    { trade_id: "", reference: "FX-1" },
    null,
    "t-2",
    {},
  ];
  expect(parseListed(listTrades, bookTrade.recovery, body)).toEqual([
    { identity: "t-1", reference: "FX-1", day: "2026-11-20", body: body[0] },
    { identity: "7", reference: "", day: "2026-11-20", body: body[1] },
    { identity: "", reference: "FX-1", day: "", body: body[2] },
    ...[null, "t-2", {}].map((item) => ({ identity: "", reference: "", day: "", body: item })),
  ]);
  // A response that is no list is not read as an empty one.
  const noList = { trades: [] };
  expect(parseListed(listTrades, bookTrade.recovery, noList)).toEqual([
    { identity: "", reference: "", day: "", body: noList },
  ]);
});
