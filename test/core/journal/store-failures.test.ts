/** Outcomes that callers hear when the store fails. */
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { demo } from "@fxdesk/sandbox";
import type { ClientOptions } from "@fxdesk/toolkit";
import type { Entry } from "../../../core/journal/entry";
import { parseEntryRow, writeEntryRow } from "../../../core/journal/entry-rows";
import { openJournal } from "../../../core/journal/journal";
import { withStore } from "../../../core/store/open";
import { closeLater, tempFolder } from "../../support/resources";
import { createTestClient, failureOf, tradeInput } from "../support/client-fixtures";
import { makeQuote } from "../../support/samples";
import { openClient, openSandbox } from "../../support/sandboxes";
import { engines, key } from "../store/engines";
import { startDatabaseProxy } from "./database-proxy";
import { startBook } from "./lossy-book";

describe.each(engines().slice(1))("a store ($name) that fails during a search", ({ create }) => {
  test.each(["first", "second"])("gives the %s caller the entry as last known", async (caller) => {
    const settings = await create();
    const [proxy, book] = [await startDatabaseProxy(settings), await startBook()];
    const journal = closeLater(await openJournal(settings));
    const clientAt = (store: string) =>
      createTestClient({ baseUrl: book.url, store, storeKey: settings.key!.toString("base64") });
    if (caller === "second") {
      const other = clientAt(settings.location);
      book.beforeList = async () => 403;
      const { journal: note } = await failureOf(other.trades.book(tradeInput));
      await other.close();
      const { endingDetails, ...entry } = (await journal.get(note!.entry))!;
      // As left by a process that ended before its search.
      const details = { message: endingDetails!.message };
      await journal.recordOutcome(entry as Entry, { ...entry.ending!, by: "recovery", details });
      await journal.reschedule(note!.entry, 0);
    }
    book.beforeList = () => proxy.disconnect();
    const error = await failureOf(clientAt(proxy.settings.location).trades.book(tradeInput));
    const [entry] = await journal.list();
    expect(error).toMatchObject({
      code: "outcome_unknown",
      outcome: "unknown",
      message: expect.stringContaining("The response was lost") as string,
      journal: { entry: entry!.id, reference: book.references[0] },
    });
    expect(entry).toMatchObject({ state: "unknown" });
  });
});

test.each([
  ["quote_id", {}],
  ["key", { key: "INV-17" }],
])("warns of an earlier call with this %s while the store is away", async (name, options) => {
  const client = createTestClient({ baseUrl: "http://127.0.0.1:9", store: await tempFolder() });
  const error = await failureOf(client.trades.book(tradeInput, options));
  expect(error).toMatchObject({ code: "unavailable", outcome: "not-sent" });
  expect(error.message).toContain(`An earlier call with this ${name} may have been sent`);
});

test("returns the outcome of another process that made the call after the claim of this one had ended", async () => {
  const settings = { location: join(await tempFolder(), "store.db"), key };
  const sandbox = await openSandbox({ reusableQuotes: true });
  const book = async (credentials: ClientOptions["credentials"]) => {
    const client = openClient(sandbox, {
      store: settings.location,
      storeKey: key.toString("base64"),
      credentials: { apiKey: demo.apiKey, ...credentials },
    });
    const quote_id = await quote;
    return (await client.trades.book({ quote_id, reason: "other" }, { key: "INV-18" })).trade_id;
  };
  const quote = makeQuote(openClient(sandbox));
  const token = new EventEmitter();
  const asked = once(token, "asked");
  const late = book({
    accessToken: async () => {
      const given = once(token, "given");
      token.emit("asked");
      return String((await given)[0]);
    },
  });
  await asked;
  await withStore(settings, async ({ run, sealer }) => {
    const [row] = await run("SELECT * FROM fxdesk_journal_entries");
    const { sql, values } = writeEntryRow(sealer, { ...parseEntryRow(row!), claim_expires_at: 0 });
    await run(sql, values);
  });
  const booked = await book({ accessToken: demo.accessToken });
  token.emit("given", demo.accessToken);
  expect(await late).toBe(booked);
});

test("gives no such warning for a random key, which no call had before", async () => {
  const address = "http://127.0.0.1:9";
  const client = createTestClient({ baseUrl: address, xs2aUrl: address, store: await tempFolder() });
  const error = await failureOf(
    client.payments.cancel({
      "payment-service": "payments",
      "payment-product": "sepa-credit-transfers",
      paymentId: "p-1",
    }),
  );
  expect(error).toMatchObject({ code: "unavailable", outcome: "not-sent" });
  expect(error.message).not.toContain("earlier call");
});
