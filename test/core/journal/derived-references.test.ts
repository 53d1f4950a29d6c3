/** Generated references derive from the call and its key, so that a lost journal does not lose its trades. */
import { join } from "node:path";
import { bookTrade } from "../../../core/contract/trades";
import { tempFolder } from "../../support/resources";
import { createTestClient, tradeInput } from "../support/client-fixtures";
import { startBook } from "./lossy-book";

const base = { baseUrl: "https://desk.example", environment: "sandbox", clientId: "c-1" } as const;
const referenceOf = (client: object = {}, input: object = {}, key?: string) =>
  createTestClient({ ...base, ...client }).prepare(bookTrade, { ...tradeInput, ...input }, key ? { key } : {})
    .values.reference;

test("are the same for the same call", () => {
  expect(referenceOf()).toMatch(/^FX-[0-9A-HJKMNP-TV-Z]{8}-[0-9A-HJKMNP-TV-Z]{8}$/);
  expect(referenceOf()).toBe(referenceOf());
  expect(referenceOf({}, { reference: " " })).not.toBe(" ");
});

test("differ by environment, client, key and terms", () => {
  const references = [
    referenceOf(),
    referenceOf({ baseUrl: "https://other.example" }),
    referenceOf({ environment: "api" }),
    referenceOf({ clientId: "c-2" }),
    referenceOf({}, {}, "INV-17"),
    referenceOf({}, { quote_id: "q-2" }),
    referenceOf({}, { quote_id: "q-2" }, "INV-17"),
    referenceOf({}, { reason: "travel_costs" }),
  ];
  expect(new Set(references).size).toBe(references.length);
});

test("find the trade of a call whose journal was lost", async () => {
  const book = await startBook();
  book.book = (reference) => {
    if (book.references.length === 0) book.references.push(reference);
    return 409;
  };
  const bookOnce = async () => {
    const client = createTestClient({ baseUrl: book.url, store: join(await tempFolder(), "store.db") });
    return (await client.trades.book(tradeInput)).trade_id;
  };
  expect([await bookOnce(), await bookOnce()]).toEqual(["T-0", "T-0"]);
  expect(book.references).toHaveLength(1);
});
