/** A list that was not read completely never counts as agreeing with the journal. */
import { createServer } from "node:http";
import { join } from "node:path";
import { openJournal } from "../../../core/journal/journal";
import { parseStoreSettings } from "../../../core/store/settings";
import { closeLater, listen, tempFolder } from "../../support/resources";
import { createTestClient } from "../support/client-fixtures";
import { done, intent, longMs } from "./fixtures";

const day = new Date().toISOString().slice(0, 10);
const trade = (number: number) => ({ trade_id: `T-${number}`, reference: `R-${number}`, order_date: day });
/** Returns numbers of trades, in pages of three. */
const trades = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => trade(first + index));

/** Starts a service whose list has these pages, for the first and for later passes. A number is an error status. */
async function startList(...passes: readonly (readonly unknown[])[]): Promise<string> {
  let pass = -1;
  const server = createServer((request, response) => {
    const page = Number(new URL(request.url!, "http://localhost").searchParams.get("page") ?? 1);
    if (page === 1) pass += 1;
    const body = passes[Math.min(pass, passes.length - 1)]![page - 1] ?? [];
    if (typeof body === "number") return response.writeHead(body).end();
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

/** Records bookings with these numbers, and compares them with a service. */
async function reconcile(url: string, numbers: readonly number[]) {
  const store = join(await tempFolder(), "store.db");
  const journal = closeLater(await openJournal(parseStoreSettings({ store })));
  for (const number of numbers) {
    const call = { environment: `api ${url}`, key: `k-${number}`, reference: `R-${number}` };
    const { entry } = await journal.claim(intent(call), longMs);
    await journal.recordSent(entry);
    await journal.recordOutcome(entry, { ...done, identity: `T-${number}` });
  }
  return createTestClient({ baseUrl: url, store }).reconcileJournal();
}

const six = [1, 2, 3, 4, 5, 6];

test("agrees with a list of several pages", async () => {
  const found = await reconcile(await startList([trades(1, 3), trades(4, 3)]), six);
  expect(found).toMatchObject({ listed: 6, entries: 6, differences: [], unread: [] });
});

test.each<[what: string, pages: readonly unknown[]]>([
  ["that fails", [trades(1, 3), 403]],
  ["that is no list", [trades(1, 3), { trades: trades(4, 3) }]],
  ["that lacks items before a further page", [trades(1, 3), trades(4, 2), trades(6, 1)]],
  ["that repeats another", [trades(1, 3), trades(1, 3)]],
  ["with an item without ID", [trades(1, 3), [...trades(4, 2), { ...trade(6), trade_id: undefined }]]],
])("is incomplete after a page %s", async (_, pages) => {
  const { differences, unread } = await reconcile(await startList(pages), six);
  expect({ differences, unread }).toEqual({
    differences: [],
    unread: [expect.stringMatching(/^trades\.list: /)],
  });
});

test("reads a list again that shifts while it is read", async () => {
  const shifted = [trades(1, 3), trades(5, 3)];
  const url = await startList(shifted, [trades(1, 3), trades(4, 3), trades(7, 1)]);
  const { differences, unread } = await reconcile(url, [...six, 7]);
  expect({ differences, unread }).toEqual({ differences: [], unread: [] });
});

test("stops after 1,000 differences", async () => {
  const { differences, unread } = await reconcile(await startList([trades(1, 1_001)]), []);
  expect(differences).toHaveLength(1_000);
  expect(unread).toEqual([expect.stringContaining("1000 differences")]);
});
