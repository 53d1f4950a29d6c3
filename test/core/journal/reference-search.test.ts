/** Results of a search for a call whose response was lost, by listed items and journal entries. */
import * as fc from "fast-check";
import { listTrades, bookTrade } from "../../../core/contract/trades";
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

const looked =
  "Searched trades.list at 2026-11-22T09:00:00.000Z for the reference FX-1 from 2026-11-19 to 2026-11-23";

describe("a call is", () => {
  test("found if one item has its reference", async () => {
    const listed = [trade("t-1", "other"), trade("t-2"), trade("t-3", "")];
    expect(await finding({ listed })).toEqual({
      kind: "found",
      listed: listed[1],
      remark: `${looked}: t-2.`,
    });
  });

  test.each(["2026-11-19", "2026-11-20", "2026-11-22", "2026-11-23"])("found on %s", async (day) => {
    expect(await finding({ listed: [trade("t-1", "FX-1", day)] })).toMatchObject({ kind: "found" });
  });

  test.each(["2026-11-18", "2026-11-24", "2025-11-20", ""])("not found on %j", async (day) => {
    expect(await finding({ listed: [trade("t-1", "FX-1", day)] })).toEqual({
      kind: "none",
      remark: `${looked}: no match. Ignored: 1 on other days or of other entries.`,
    });
  });

  test("not found if no item has its reference", async () => {
    const remark = `${looked}: no match.`;
    expect(await finding({ listed: [] })).toEqual({ kind: "none", remark });
    expect(await finding({ listed: [trade("t-1", "FX-10"), trade("t-2", "fx-1")] })).toEqual({
      kind: "none",
      remark,
    });
  });

  test("left to a person if several items have its reference", async () => {
    expect(await finding({ listed: [trade("t-1"), trade("t-2")] })).toEqual({
      kind: "several",
      remark: `${looked}: several matches, t-1, t-2. A person must resolve the entry.`,
    });
  });

  test("not matched to an item of another entry", async () => {
    const others = [booked("e-2", "t-1", { reference: "else" })];
    expect(await finding({ listed: [trade("t-1")], others })).toMatchObject({ kind: "none" });
    expect(await finding({ listed: [trade("t-1"), trade("t-2")], others })).toMatchObject({
      kind: "found",
      listed: { identity: "t-2" },
    });
  });

  test("matched to its own item again", async () => {
    const entry = booked("e-1", "t-1", { state: "unknown" });
    expect(await finding({ listed: [trade("t-1")], others: [entry] }, entry)).toMatchObject({
      kind: "found",
    });
  });

  test("found, with a remark, if its reference was used before", async () => {
    const others = [booked("e-2", "t-1"), createEntry("e-3", { state: "rejected" })];
    expect(await finding({ listed: [trade("t-1"), trade("t-2")], others })).toMatchObject({
      kind: "found",
      listed: { identity: "t-2" },
      remark: `${looked}: t-2. Other entries have the same reference, so it is weak evidence: e-2, e-3.`,
    });
  });

  test.each(["unknown", "sent"] as const)(
    "not found while another entry with its reference is %s",
    async (state) => {
      const others = [createEntry("e-2", { state })];
      expect(await finding({ listed: [trade("t-1")], others })).toEqual({
        kind: "shared",
        remark:
          `${looked}: t-1, which may belong to another entry.` +
          " Other entries have the same reference, so it is weak evidence: e-2.",
      });
    },
  );

  test.each([undefined, "", " "])("not searched with the reference %j", async (reference) => {
    expect(await finding({ listed: [trade("t-1", "")] }, createEntry("e-1", { reference }))).toBeUndefined();
  });
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

/** A list of two items. The second moves from page two to page one after page one was read. */
function shiftingList(reference: string) {
  let walks = 0;
  const readPages = async function* () {
    walks += 1;
    yield walks === 1 ? [trade("t-1", reference)] : [trade("t-2", reference), trade("t-1", reference)];
    yield [trade("t-0", "other")];
  };
  return { ...createSources({ listed: [] }), readPages, walks: () => walks };
}

test("confirms a unique match of a caller's reference with a second pass", async () => {
  const sources = shiftingList("INV-1");
  const findings = await searchByReference([createEntry("e-1", { reference: "INV-1" })], sources);
  expect([findings.get("e-1")?.kind, sources.walks()]).toEqual(["several", 2]);
});

test("reads the list once for a generated reference", async () => {
  const reference = "FX-0123ABCD-4567EFGH";
  const sources = shiftingList(reference);
  const findings = await searchByReference([createEntry("e-1", { reference })], sources);
  expect([findings.get("e-1")?.kind, sources.walks()]).toEqual(["found", 1]);
});

test("does not repeat a pass after two matches", async () => {
  let walks = 0;
  const readPages = async function* () {
    walks += 1;
    yield [trade(`t-${walks}`)];
    yield [trade("t-0", "other")];
  };
  const findings = await searchByReference([createEntry("e-1")], {
    ...createSources({ listed: [] }),
    readPages,
  });
  expect([findings.get("e-1")?.kind, walks]).toEqual(["several", 2]);
});

test("skips list items without identity", () => {
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
  ]);
  expect(parseListed(listTrades, bookTrade.recovery, { trades: [] })).toEqual([]);
});
