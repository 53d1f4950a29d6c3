/** Outcomes that callers hear while the store fails at any request. */
import type { FxdeskClient, FxdeskError } from "../../../core";
import type { StoreSettings } from "../../../core/store/settings";
import { engines } from "../store/engines";
import { createTestClient, tradeInput } from "../support/client-fixtures";
import { startDatabaseProxy } from "./database-proxy";
import { type Book, startBook } from "./lossy-book";

type Answer = { readonly trade: string } | FxdeskError;

/** Bounds the wait for a call that a process claimed and could not end. */
const limits = { queueTimeoutMs: 2_000, timeoutMs: 2_000 };
const batchSize = 8;

describe.each(engines().slice(1))("a store ($name) that fails at each request in turn", ({ create }) => {
  let settings: StoreSettings;
  beforeAll(async () => (settings = await create()));

  const clientAt = (book: Book, { location, key }: StoreSettings) =>
    createTestClient({
      baseUrl: book.url,
      store: location,
      storeKey: key!.toString("base64"),
      ...limits,
      onRecovered: () => undefined,
    });

  const answerOf = (client: FxdeskClient): Promise<Answer> =>
    client.trades.book(tradeInput).then(
      ({ trade_id }) => ({ trade: trade_id }),
      (error: FxdeskError) => error,
    );

  /** An answer is true if it names the trade, the entry of a call that may have been sent, or warns of an earlier call. */
  function assertTrue(answer: Answer, { references }: Book): void {
    if ("trade" in answer) return expect(answer.trade).toBe("T-0");
    if (answer.outcome === "not-sent") {
      expect(["unavailable", "timeout"]).toContain(answer.code);
      if (references.length > 0)
        expect(answer.message).toContain("An earlier call with this quote_id may have been sent");
      return;
    }
    expect(answer.outcome).toBe("unknown");
    expect(answer.journal?.entry).toEqual(expect.any(String));
    if (answer.code === "outcome_unknown") expect(answer.message).toContain("The response was lost");
  }

  /** Two callers, one after the other, while the store fails at one request. Returns false if they made fewer requests. */
  async function callTwice(request: number, before: "request" | "response"): Promise<boolean> {
    const [book, proxy] = [await startBook(), await startDatabaseProxy(settings)];
    const clients = [clientAt(book, proxy.settings), clientAt(book, proxy.settings)];
    // Opens their stores.
    for (const client of clients) await client.recover();
    proxy.disconnectAt(request, before);
    const answers = [];
    for (const client of clients) {
      answers.push(await answerOf(client));
      assertTrue(answers.at(-1)!, book);
    }
    const isReached = request <= proxy.requestCount();
    if (!isReached) expect(answers).toEqual([{ trade: "T-0" }, { trade: "T-0" }]);
    await proxy.disconnect();
    await proxy.reconnect();
    await Promise.all(clients.map((client) => client.close()));
    assertTrue(await answerOf(clientAt(book, settings)), book);
    expect(book.references.length).toBeLessThanOrEqual(1);
    return isReached;
  }

  test.each(["request", "response"] as const)(
    "gives two callers true outcomes (before the %s)",
    async (before) => {
      let isReached = true;
      for (let first = 1; isReached; first += batchSize) {
        const batch = Array.from({ length: batchSize }, (_, index) => callTwice(first + index, before));
        isReached = (await Promise.all(batch)).every(Boolean);
      }
    },
  );
});
