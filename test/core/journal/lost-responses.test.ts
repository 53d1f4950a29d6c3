/** Recovery of lost responses, against the sandbox. */
import { join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import { type ClientOptions, type FxdeskClient, OutcomeUnknown } from "@fxdesk/toolkit";
import { openJournal } from "../../../core/journal/journal";
import type { Entry } from "../../../core/journal/entry";
import { parseStoreSettings } from "../../../core/store/settings";
import { eventually } from "../../support/eventually";
import { failureOf } from "../support/client-fixtures";
import { tempFolder } from "../../support/resources";
import { makeQuote, sampleInput } from "../../support/samples";
import { openClient, openSandbox } from "../../support/sandboxes";

let sandbox: Sandbox;
let store: string;
let lines: string[];

beforeAll(async () => (sandbox = await openSandbox()));
beforeEach(async () => {
  store = join(await tempFolder(), "store.db");
  lines = [];
  sandbox.control.clearFaults();
});

const connected = (options: ClientOptions = {}): FxdeskClient =>
  openClient(sandbox, { store, onRecovered: (line) => lines.push(line), ...options });

const addFault = (operation: string, kind: "reset-before" | "reset-after" | "cut-off", times = 1) =>
  sandbox.control.addFault({ operation, kind, times });

async function entries(): Promise<readonly Entry[]> {
  const journal = await openJournal(parseStoreSettings({ store }));
  try {
    // Without the requests for quotes.
    return (await journal.list()).filter(({ operation }) => operation !== "client.request");
  } finally {
    await journal.close();
  }
}

const onlyEntry = async () => {
  const [entry, ...others] = await entries();
  expect(others).toEqual([]);
  return entry!;
};

const bookedUnder = async (client: FxdeskClient, reference: string) => {
  const found = [];
  for await (const trade of client.trades.list.all()) if (trade.reference === reference) found.push(trade);
  return found;
};

test.each(["reset-after", "cut-off"] as const)("finds a booking by its reference: %s", async (kind) => {
  const client = connected();
  const quote_id = await makeQuote(client);
  addFault("trades.book", kind);
  const response = await client.trades.book.response({ quote_id, reason: "other" });
  const { reference, entry } = response.journal!;
  expect(reference).toMatch(/^FX-/);
  const [trade, ...others] = await bookedUnder(client, reference!);
  expect(others).toEqual([]);
  expect(response).toMatchObject({ status: 201, body: trade, attempts: 1 });
  expect(response.journal).toEqual({ entry, replayed: false, reference, recovered: true });
  expect(response.violations).toEqual([
    {
      field: "",
      message: "The response was lost. These values come from trades.list, where the call was found",
    },
    { field: "bank_account", message: expect.stringContaining("expected object") as string },
  ]);
  expect(await onlyEntry()).toMatchObject({
    id: entry,
    state: "done",
    ending: { by: "recovery", status: 201, identity: trade!.trade_id },
    endingDetails: { body: trade, remark: expect.stringContaining(trade!.trade_id) as string },
  });
  expect(lines).toEqual([]);
  const again = await client.trades.book.response({ quote_id, reason: "other" });
  expect(again).toMatchObject({ body: trade, journal: { entry, replayed: true, recovered: true } });
});

test("reports a booking that was not made as unknown, with a remark on the search", async () => {
  const client = connected();
  const quote_id = await makeQuote(client);
  addFault("trades.book", "reset-before");
  const error = await failureOf(client.trades.book({ quote_id, reason: "other", reference: "INV-7" }));
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(await onlyEntry()).toMatchObject({
    id: error.journal!.entry,
    state: "unknown",
    reference: "INV-7",
    endingDetails: {
      message: error.message,
      lastFinding: "none",
      remark: expect.stringMatching(
        /^fxdesk searched trades.list at .* for the reference INV-7 .*: no match/,
      ) as string,
    },
  });
  const again = await failureOf(client.trades.book({ quote_id, reason: "other", reference: "INV-7" }));
  expect(again.message).toContain("for the reference INV-7");
  expect(again.message).toContain("Nothing was sent now.");
});

test("reports a booking that is found later in one line, and then replays it", async () => {
  const client = connected();
  const quote_id = await makeQuote(client);
  addFault("trades.book", "reset-after");
  // The list is unavailable while the caller waits.
  addFault("trades.list", "reset-before", 1_000);
  const error = await failureOf(client.trades.book({ quote_id, reason: "other" }));
  expect(error.outcome).toBe("unknown");
  expect(await onlyEntry()).toMatchObject({
    endingDetails: {
      lastFinding: "unread",
      remark: expect.stringContaining("Could not search trades.list") as string,
    },
  });
  sandbox.control.clearFaults();
  await eventually(() => lines.length > 0, { withinMs: 20_000, what: "the line" });
  const entry = await onlyEntry();
  const { identity } = entry.ending!;
  expect(lines).toEqual([
    `trades.book: carried out (201), found after its response was lost, trade_id ${identity}, ` +
      `reference ${entry.reference}, journal entry ${entry.id}.`,
  ]);
  const again = await client.trades.book.response({ quote_id, reason: "other" });
  expect(again.body.trade_id).toBe(identity);
}, 30_000);

test("stops waiting on abort and reports the call when it is found", async () => {
  const client = connected();
  const quote_id = await makeQuote(client);
  sandbox.control.addFault({ operation: "trades.list", kind: "latency", milliseconds: 2_000, times: 1 });
  addFault("trades.book", "reset-after");
  const stop = new AbortController();
  const call = failureOf(client.trades.book({ quote_id, reason: "other" }, { signal: stop.signal }));
  await eventually(async () => (await entries())[0]?.state === "unknown", {
    withinMs: 20_000,
    what: "its end",
  });
  stop.abort();
  expect(await call).toMatchObject({ outcome: "unknown" });
  expect(lines).toEqual([]);
  await eventually(() => lines.length > 0, { withinMs: 20_000, what: "the line" });
  expect(await onlyEntry()).toMatchObject({ state: "done" });
}, 60_000);

test("recovers calls of other processes when a journal is opened", async () => {
  const first = connected();
  const quote_id = await makeQuote(first);
  addFault("trades.book", "reset-after");
  addFault("trades.list", "reset-before", 1_000);
  expect(await failureOf(first.trades.book({ quote_id, reason: "other" }))).toMatchObject({
    outcome: "unknown",
  });
  await first.close();
  sandbox.control.clearFaults();
  const second = connected();
  await second.trades.book({ quote_id: await makeQuote(second), reason: "other" });
  await eventually(() => lines.length > 0, { withinMs: 20_000, what: "the line" });
  expect((await entries()).map(({ state }) => state)).toEqual(["done", "done"]);
}, 30_000);

test("returns the recovered outcome to repetitions of the call", async () => {
  const [first, second] = [connected(), connected()];
  const quote_id = await makeQuote(first);
  addFault("trades.book", "reset-after");
  const bookings = await Promise.all(
    [first, second, first, second].map((client) => client.trades.book({ quote_id, reason: "other" })),
  );
  const ids = new Set(bookings.map(({ trade_id }) => trade_id));
  expect(ids.size).toBe(1);
});

test("does not resolve two lost calls with the same reference", async () => {
  const client = connected();
  const quotes = [await makeQuote(client), await makeQuote(client)];
  const reference = "INV-9";
  addFault("trades.book", "reset-after", 2);
  const book = (quote_id: string) => failureOf(client.trades.book({ quote_id, reason: "other", reference }));
  await Promise.all(quotes.map(book));
  for (const entry of await entries())
    // The second call may be open, or booked, when the first is searched for.
    expect([entry.state, entry.endingDetails!.lastFinding]).toEqual([
      "unknown",
      expect.stringMatching(/^(several|shared)$/),
    ]);
});

describe("a payment", () => {
  test("stays unknown if the service is not known to replay", async () => {
    const client = connected();
    const input = await sampleInput("payments.initiate", client);
    addFault("payments.initiate", "reset-after");
    const paying = client.payments.initiate(input as never, { key: "pay-1" });
    expect(await failureOf(paying)).toMatchObject({ outcome: "unknown" });
  });

  test("is repeated once if the service replays, and carried out once", async () => {
    const client = connected({ settings: { replaysByRequestId: "yes" } });
    const input = await sampleInput("payments.initiate", client);
    const before = sandbox.requests.length;
    addFault("payments.initiate", "reset-after");
    const response = await client.payments.initiate.response(input as never, { key: "pay-2" });
    expect(response).toMatchObject({ status: 201, journal: { recovered: true }, violations: [] });
    expect(sandbox.requests.slice(before).filter(({ method }) => method === "POST")).toHaveLength(2);
    const again = await client.payments.initiate.response(input as never, { key: "pay-2" });
    expect(again.body.paymentId).toBe(response.body.paymentId);
    expect(await onlyEntry()).toMatchObject({
      ending: { by: "recovery", identity: response.body.paymentId },
    });
  });

  test("is not sent a third time", async () => {
    const client = connected({ settings: { replaysByRequestId: "yes" } });
    const input = await sampleInput("payments.initiate", client);
    const before = sandbox.requests.length;
    addFault("payments.initiate", "reset-after", 3);
    const error = await failureOf(client.payments.initiate(input as never, { key: "pay-3" }));
    expect(error.outcome).toBe("unknown");
    expect(sandbox.requests.slice(before).filter(({ method }) => method === "POST")).toHaveLength(2);
    expect(await onlyEntry()).toMatchObject({
      state: "unknown",
      endingDetails: { remark: expect.stringMatching(/^Repeated at/) as string },
    });
  });
});
