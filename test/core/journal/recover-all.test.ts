/** A search for all calls with unknown outcomes looks at each of them, or says why not. */
import { join } from "node:path";
import type { Intent } from "../../../core/journal/entry";
import { type Journal, openJournal } from "../../../core/journal/journal";
import { parseStoreSettings } from "../../../core/store/settings";
import { closeLater, tempFolder } from "../../support/resources";
import { createTestClient } from "../support/client-fixtures";
import { intent, longMs, unknown } from "./fixtures";
import { type Book, startBook } from "./lossy-book";

let journal: Journal;
let store: string;
let book: Book;
beforeEach(async () => {
  store = join(await tempFolder(), "store.db");
  journal = closeLater(await openJournal(parseStoreSettings({ store })));
  book = await startBook();
});

/** Records a call whose process died after it was sent. Its key is its reference. */
async function lose(reference: string, change: Partial<Intent> = {}): Promise<string> {
  const scope = { environment: `api ${book.url}`, client: "c-1" };
  const { entry } = await journal.claim(intent({ ...scope, key: reference, reference, ...change }), longMs);
  await journal.recordSent(entry);
  await journal.recordOutcome(entry, { ...unknown, by: "recovery" });
  return entry.id;
}

const recover = () => createTestClient({ baseUrl: book.url, store, onRecovered: () => undefined }).recover();

test("looks at 1,200 entries", async () => {
  const references = Array.from({ length: 1_200 }, (_, index) => `FX-${index}`);
  const lost = await Promise.all(references.map((reference) => lose(reference)));
  book.references.push(...references.slice(0, -1));
  const found = await recover();
  const states = new Map(found.map(({ entry, state }) => [entry, state]));
  expect(states).toEqual(
    new Map(lost.map((id, index) => [id, index === lost.length - 1 ? "unknown" : "done"])),
  );
  expect(found).toHaveLength(lost.length);
});

test("looks at the calls of other clients, too", async () => {
  const lost = await lose("FX-1", { client: "c-2" });
  book.references.push("FX-1");
  expect(await recover()).toMatchObject([{ entry: lost, state: "done", identity: "T-0" }]);
});

const reasons: [what: string, change: () => Partial<Intent>, remark: RegExp][] = [
  [
    "of another environment",
    () => ({ environment: "api http://127.0.0.1:9" }),
    /api http:\/\/127\.0\.0\.1:9/,
  ],
  ["that cannot be looked up", () => ({ operation: "payments.initiate" }), /payments\.initiate/],
];
test.each(reasons)("names a call %s", async (_, change, remark) => {
  const lost = await lose("FX-1", change());
  const expected = { entry: lost, state: "unknown", remark: expect.stringMatching(remark) as string };
  expect(await recover()).toMatchObject([expected]);
});

test("names a call that another process looks up, or died while doing so", async () => {
  const [leased, lost] = [await lose("FX-1"), await lose("FX-2")];
  await journal.leaseOne(leased, longMs);
  book.references.push("FX-1", "FX-2");
  expect(await recover()).toMatchObject([
    { entry: lost, state: "done" },
    { entry: leased, state: "unknown", remark: expect.stringMatching(/until \d{4}-/) as string },
  ]);
});
