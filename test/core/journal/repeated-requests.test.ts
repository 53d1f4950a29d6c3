/** A gateway that repeats a booking receives a 409 for its repeat, so a 409 alone does not show that nothing was booked. */
import { join } from "node:path";
import type { FxdeskClient } from "../../../core";
import { openJournal } from "../../../core/journal/journal";
import { parseStoreSettings } from "../../../core/store/settings";
import { closeLater, tempFolder } from "../../support/resources";
import { createTestClient, failureOf, tradeInput } from "../support/client-fixtures";
import { type Book, startBook } from "./lossy-book";

let book: Book;
let client: FxdeskClient;
let store: string;
beforeEach(async () => {
  book = await startBook();
  store = join(await tempFolder(), "store.db");
  client = createTestClient({ baseUrl: book.url, store, onRecovered: () => undefined });
});

async function entry() {
  const [found] = await closeLater(await openJournal(parseStoreSettings({ store }))).list();
  return found!;
}

function bookThenRefuse(reference: string): number {
  book.references.push(reference);
  return 409;
}

test("finds the trade that was booked before the 409", async () => {
  book.book = bookThenRefuse;
  const response = await client.trades.book.response(tradeInput);
  expect(response).toMatchObject({ body: { trade_id: "T-0" }, journal: { recovered: true } });
  expect(await entry()).toMatchObject({ state: "done", ending: { by: "recovery", identity: "T-0" } });
  const again = await client.trades.book.response(tradeInput);
  expect(again).toMatchObject({ body: { trade_id: "T-0" }, journal: { replayed: true } });
});

test("is rejected if no trade has the reference", async () => {
  book.book = () => 409;
  const error = await failureOf(client.trades.book(tradeInput));
  expect(error).toMatchObject({ name: "Conflict", code: "conflict", outcome: "rejected", status: 409 });
  expect(await entry()).toMatchObject({ state: "rejected", ending: { status: 409, code: "conflict" } });
  const again = await failureOf(client.trades.book(tradeInput));
  expect(again).toMatchObject({ name: "Conflict", outcome: "rejected", journal: { replayed: true } });
  expect(again.message).toContain(error.message.replace("trades.book: ", ""));
});

test("is looked up after the caller aborts, because it was answered", async () => {
  book.book = () => 409;
  const controller = new AbortController();
  book.beforeList = async () => controller.abort();
  const error = await failureOf(client.trades.book(tradeInput, { signal: controller.signal }));
  expect(error).toMatchObject({ code: "conflict", outcome: "rejected", status: 409 });
});

test.each([
  ["rejected", () => 409],
  ["done", bookThenRefuse],
])("is unknown while the list fails, and %s after it", async (state, handle) => {
  book.book = handle;
  book.beforeList = async () => 403;
  const error = await failureOf(client.trades.book({ ...tradeInput, reference: "INV-1" }));
  expect(error).toMatchObject({ code: "outcome_unknown", outcome: "unknown", status: 409 });
  expect(error.message).not.toContain("not carried out");
  expect(await entry()).toMatchObject({ id: error.journal!.entry, state: "unknown" });
  book.beforeList = async () => undefined;
  const other = createTestClient({ baseUrl: book.url, store, onRecovered: () => undefined });
  await client.close();
  await other.recover(error.journal!.entry).catch(() => undefined);
  await other.recover(error.journal!.entry).catch(() => undefined);
  expect(await entry()).toMatchObject({ state });
});

test("stays unknown if two trades have the reference", async () => {
  book.book = bookThenRefuse;
  book.references.push("INV-1");
  const error = await failureOf(client.trades.book({ ...tradeInput, reference: "INV-1" }));
  expect(error).toMatchObject({ code: "outcome_unknown", outcome: "unknown" });
});
