/** Idempotency of money calls: each key is sent once, and its outcome is replayed. */
import { randomUUID } from "node:crypto";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { CallOptions, ClientOptions, FxdeskError } from "../../../core";
import type { Entry } from "../../../core/journal/entry";
import { type Journal, openJournal } from "../../../core/journal/journal";
import { parseStoreSettings } from "../../../core/store/settings";
import { type Fault, inSequence, reset, respond, silence } from "../../support/fault-server";
import { eventually } from "../../support/eventually";
import { heldServer } from "../../support/held-server";
import { closeLater, listen, runLater } from "../../support/resources";
import {
  startClientAndServer,
  untilArrived,
  createTestClient,
  closedPortUrl,
  failureOf,
  startFaultServer,
  tradeInput,
} from "../support/client-fixtures";
import { engines, useTempFolder } from "../store/engines";
import { startDatabaseProxy } from "./database-proxy";

const storeKey = Buffer.alloc(32, 7).toString("base64");
const files = useTempFolder();
const freshStore = () => ({ store: join(files.path, randomUUID(), "store.db"), storeKey });

const booked = respond(201, '{"trade_id":"t-1","bank_account":{},"maturity_date":"2026-01-05"}', {
  "x-request-id": "r-1",
});
const refused = (status: number) => respond(status, '{"code":"no_such_quote","message":"m","details":"d"}');

const payment = {
  "payment-service": "payments",
  "payment-product": "sepa-credit-transfers",
  debtorAccount: { iban: "DE89370400440532013000" },
  instructedAmount: { currency: "EUR", amount: "12.50" },
  creditorAccount: { iban: "FR6400000000000000012345697" },
  creditorName: "Ferme Duval SARL",
  "TPP-Redirect-URI": "https://app.example/done",
} as const;
const initiated = respond(
  201,
  '{"transactionStatus":"RCVD","paymentId":"p-1","_links":{"self":{"href":"/v1/payments/x/p-1"}}}',
);

/** Opens the journal as another process would. */
async function journalOf(given: ReturnType<typeof freshStore>): Promise<Journal> {
  return closeLater(await openJournal(parseStoreSettings(given)));
}

async function onlyEntry(given: ReturnType<typeof freshStore>): Promise<Entry> {
  const entries = await (await journalOf(given)).list();
  expect(entries).toHaveLength(1);
  return entries[0]!;
}

test("stores the intent before connecting, and the sent mark before writing the head", async () => {
  const given = freshStore();
  const server = closeLater(await heldServer());
  const client = createTestClient({ baseUrl: server.url, environment: "sandbox", actor: "jane", ...given });
  const call = client.trades.book.response(tradeInput);
  await server.untilArrived(1);
  const sent = await onlyEntry(given);
  expect(sent).toMatchObject({
    environment: `sandbox ${server.url}`,
    client: "c-1",
    operation: "trades.book",
    key: "q-1",
    surface: "client",
    state: "sent",
    intent: {
      actor: "jane",
      call: {
        method: "POST",
        address: server.url,
        target: "/trades?quote_id=q-1&client_id=c-1",
        body: JSON.stringify({ reason: "other", reference: sent.reference }),
      },
    },
  });
  expect(JSON.stringify(sent)).not.toContain("token");
  server.respond(booked);
  expect((await call).journal).toEqual({ entry: sent.id, replayed: false, reference: sent.reference });
  expect(await onlyEntry(given)).toMatchObject({
    id: sent.id,
    state: "done",
    ending: { by: "call", status: 201, requestId: "r-1", identity: "t-1" },
  });
});

describe("the same call under its key again", () => {
  test("returns the recorded response and sends nothing", async () => {
    const { server, client } = await startClientAndServer(booked, freshStore());
    const first = await client.trades.book.response(tradeInput);
    const again = await client.trades.book.response(tradeInput);
    expect(again).toEqual({
      status: 201,
      body: first.body,
      headers: first.headers,
      total: undefined,
      requestId: "r-1",
      attempts: 0,
      violations: first.violations,
      journal: { ...first.journal, replayed: true },
    });
    expect(server.heads).toHaveLength(1);
  });

  test("returns it in another process, and after the first one ended", async () => {
    const given = freshStore();
    const { server, client } = await startClientAndServer(booked, given);
    await client.trades.book(tradeInput);
    await client.close();
    const other = createTestClient({ baseUrl: server.url, ...given });
    expect((await other.trades.book.response(tradeInput)).journal).toMatchObject({ replayed: true });
    expect(server.heads).toHaveLength(1);
  });

  test("returns it under another spelling of the address", async () => {
    const given = freshStore();
    const { server, client } = await startClientAndServer(booked, given);
    await client.trades.book(tradeInput);
    for (const host of ["localhost", "LOCALHOST", "127.1", "0.0.0.0", "[::ffff:127.0.0.1]"]) {
      const baseUrl = server.url.replace("127.0.0.1", host);
      const { journal } = await createTestClient({ baseUrl, ...given }).trades.book.response(tradeInput);
      expect(journal).toMatchObject({ replayed: true });
    }
    expect(server.heads).toHaveLength(1);
  });

  test("is refused under another name of the environment", async () => {
    const given = freshStore();
    const { server, client } = await startClientAndServer(booked, given);
    await client.trades.book(tradeInput);
    const renamed = createTestClient({ baseUrl: server.url, ...given, environment: "sandbox" });
    for (const key of [undefined, "new-key"]) {
      const error = await failureOf(renamed.trades.book(tradeInput, { ...(key && { key }) }));
      expect(error).toMatchObject({ code: "conflict", outcome: "not-sent", retryable: false });
      expect(error.message).toContain("api");
    }
    expect(server.heads).toHaveLength(1);
    // The refused call has written to the store, but the first name keeps the address.
    await client.trades.book({ ...tradeInput, quote_id: "q-2" }, { key: "new-key" });
    expect(server.heads).toHaveLength(2);
  });

  test("recognises the same terms in any order and spelling", async () => {
    const { server, client } = await startClientAndServer(initiated, freshStore());
    const inOrder = Object.fromEntries(Object.entries(payment).toReversed()) as typeof payment;
    await client.payments.initiate(payment, { key: "INV-17" });
    const { journal } = await client.payments.initiate.response(inOrder, { key: "INV-17" });
    expect(journal).toMatchObject({ replayed: true });
    expect(server.heads).toHaveLength(1);
  });

  test.each([400, 404, 409, 422])("throws the refusal (%s) again", async (status) => {
    const { server, client } = await startClientAndServer(refused(status), freshStore());
    const first = await failureOf(client.trades.book(tradeInput));
    const again = await failureOf(client.trades.book(tradeInput));
    expect(again).toBeInstanceOf(first.constructor);
    expect(again.toJSON()).toEqual({
      ...first.toJSON(),
      message: expect.stringMatching(
        /: Nothing was sent now\. This repeats the outcome of the earlier call with this key \(journal entry .*\): /,
      ) as string,
      retryable: false,
      attempts: 0,
      journal: { ...first.journal, replayed: true },
    });
    expect(again.message).toContain(first.message.replace("trades.book: ", ""));
    expect(server.heads).toHaveLength(1);
  });

  test("reports an unknown outcome until it is resolved", async () => {
    const given = freshStore();
    const { server, client } = await startClientAndServer(reset, given);
    const first = await failureOf(client.trades.book(tradeInput));
    expect(first).toMatchObject({ outcome: "unknown", journal: { replayed: false } });
    const again = await failureOf(client.trades.book(tradeInput));
    expect(again).toMatchObject({ name: "OutcomeUnknown", code: "outcome_unknown", outcome: "unknown" });
    expect(again.journal).toEqual({ ...first.journal, replayed: true });

    const journal = await journalOf(given);
    const entry = (await journal.get(first.journal!.entry))!;
    await journal.recordOutcome(entry, {
      state: "done",
      by: "person",
      identity: "t-9",
      details: { note: "Seen." },
    });
    const found = await client.trades.book.response(tradeInput);
    expect(found).toMatchObject({ status: 201, body: { trade_id: "t-9" }, journal: { replayed: true } });
    expect(found.violations).toEqual([
      { field: "", message: expect.stringContaining("only the identifier of this") },
    ]);
    expect(server.heads).toHaveLength(1);
  });

  test("names the reference before the first search", async () => {
    const given = freshStore();
    const silent = createServer((socket) => {
      socket.on("error", () => undefined);
      runLater(() => socket.destroy());
    });
    const client = createTestClient({ baseUrl: `http://127.0.0.1:${await listen(silent)}`, ...given });
    const stop = new AbortController();
    // The call times out early; the search after it gets no response either and has the default limit.
    const call = failureOf(client.trades.book(tradeInput, { timeoutMs: 300, signal: stop.signal }));
    const journal = await journalOf(given);
    const unknown = async () => (await journal.list({ state: ["unknown"] }))[0];
    const waiting = { withinMs: 10_000, what: "an unknown outcome" };
    const { endingDetails, reference } = await eventually(unknown, waiting);
    stop.abort();
    expect(endingDetails).toMatchObject({ remark: `Search the service for the reference ${reference}.` });
    expect(await call).toMatchObject({ outcome: "unknown" });
  });

  test("sends the call after a person resolved it as not sent", async () => {
    const given = freshStore();
    const { server, client } = await startClientAndServer(inSequence(reset, booked), given);
    const { journal: note } = await failureOf(client.trades.book(tradeInput));
    const journal = await journalOf(given);
    await journal.recordOutcome((await journal.get(note!.entry))!, {
      state: "not-sent",
      by: "person",
      details: {},
    });
    expect((await client.trades.book.response(tradeInput)).journal).toMatchObject({
      entry: note!.entry,
      replayed: false,
    });
    expect(server.heads).toHaveLength(2);
  });

  test.each([401, 403, 429])("is sent again after %s, which rejected the caller", async (status) => {
    const { server, client } = await startClientAndServer(inSequence(refused(status), booked), freshStore());
    const error = await failureOf(client.trades.book(tradeInput));
    expect(error).toMatchObject({ outcome: "rejected", status });
    const response = await client.trades.book.response(tradeInput);
    expect(response).toMatchObject({
      status: 201,
      journal: { entry: error.journal!.entry, replayed: false },
    });
    expect(server.heads).toHaveLength(2);
  });
});

describe("another call under the key", () => {
  const others: [what: string, input: object][] = [
    ["another reason", { ...tradeInput, reason: "travel_costs" }],
    ["a reference", { ...tradeInput, reference: "INV-1" }],
  ];
  test.each(others)("is refused: %s", async (_, input) => {
    const { server, client } = await startClientAndServer(booked, freshStore());
    const { journal } = await client.trades.book.response(tradeInput);
    const error = await failureOf(client.trades.book(input as typeof tradeInput));
    expect(error).toMatchObject({ name: "Conflict", code: "conflict", outcome: "not-sent", attempts: 0 });
    expect(error.message).toContain('The quote_id "q-1" was already used');
    expect(error.earlier).toMatchObject({
      state: "done",
      id: "t-1",
      journal_entry: journal!.entry,
      result: { trade_id: "t-1", maturity_date: "2026-01-05" },
    });
    expect(error.message).toContain(
      "Nothing was sent now. If you send this call with another quote_id, both calls may be carried out.",
    );
    expect(server.heads).toHaveLength(1);
  });

  test("can use the quote if the key was implicit and nothing was carried out", async () => {
    const given = freshStore();
    const { server, client } = await startClientAndServer(inSequence(refused(400), booked), given);
    const { journal } = await failureOf(client.trades.book(tradeInput));
    const corrected = { ...tradeInput, reason: "travel_costs" } as const;
    const response = await client.trades.book.response(corrected);
    expect(response.journal).toMatchObject({ entry: journal!.entry, replayed: false });
    expect(server.heads).toHaveLength(2);
    expect(await failureOf(client.trades.book(tradeInput))).toMatchObject({
      code: "conflict",
      outcome: "not-sent",
    });
    expect((await client.trades.book.response(corrected)).journal).toMatchObject({ replayed: true });
  });

  test("is refused under an explicit key even if nothing was carried out", async () => {
    const { server, client } = await startClientAndServer(inSequence(refused(400), booked), freshStore());
    await failureOf(client.trades.book(tradeInput, { key: "INV-17" }));
    const corrected = { ...tradeInput, reason: "travel_costs" } as const;
    const error = await failureOf(client.trades.book(corrected, { key: "INV-17" }));
    expect(error).toMatchObject({ code: "conflict", outcome: "not-sent" });
    expect(server.heads).toHaveLength(1);
  });

  test("belongs to the company, or without one to the person", async () => {
    const given = freshStore();
    const { server, client } = await startClientAndServer(initiated, given);
    const pay = (psu: Record<string, string>) =>
      client.payments.initiate.response(payment, { key: "INV-17", psu });
    await pay({ "PSU-ID": "jane", "PSU-Corporate-ID": "acme" });
    expect((await pay({ "PSU-ID": "joe", "PSU-Corporate-ID": "acme" })).journal?.replayed).toBe(true);
    expect((await pay({ "PSU-ID": "jane" })).journal?.replayed).toBe(false);
    expect((await pay({ "PSU-ID": "joe" })).journal?.replayed).toBe(false);
    expect(server.heads).toHaveLength(3);
  });
});

test("gives a call without key and single-use field a unique key", async () => {
  const given = freshStore();
  const { server, client } = await startClientAndServer(initiated, given);
  const [one, other] = [
    await client.payments.initiate.response(payment),
    await client.payments.initiate.response(payment),
  ];
  expect(one.journal!.entry).not.toBe(other.journal!.entry);
  expect(server.heads).toHaveLength(2);
  const keys = (await (await journalOf(given)).list()).map(({ key }) => key);
  expect(new Set(keys).size).toBe(2);
});

test.each(["", "   ", "a".repeat(201), "a\nb", "a\0b", "\ud800", 7, null])(
  "refuses the key %j",
  async (key) => {
    const { server, client } = await startClientAndServer(booked, freshStore());
    const error = await failureOf(client.trades.book(tradeInput, { key: key as string }));
    expect(error).toMatchObject({
      code: "invalid_input",
      outcome: "not-sent",
      violations: [
        { field: "key", message: expect.stringContaining("text of 1 to 200 characters") as string },
      ],
    });
    expect(server.heads).toHaveLength(0);
  },
);

describe.each(engines())("concurrent calls with one key, on $name", ({ create }) => {
  /** Creates clients that share nothing but the store, like separate processes. */
  async function racing(fault: Fault, count: number, options: ClientOptions = {}) {
    const { location, key } = await create();
    const server = await startFaultServer(fault);
    const clients = Array.from({ length: count }, () =>
      createTestClient({
        baseUrl: server.url,
        store: location,
        storeKey: key!.toString("base64"),
        ...options,
      }),
    );
    return { server, clients };
  }

  test("sends one call and returns its response to the others", async () => {
    const { server, clients } = await racing((socket) => void setTimeout(booked, 50, socket, 1), 4);
    const responses = await Promise.all(clients.map((client) => client.trades.book.response(tradeInput)));
    expect(responses.map(({ body }) => body.trade_id)).toEqual(Array(4).fill("t-1"));
    expect(responses.filter(({ journal }) => !journal!.replayed)).toHaveLength(1);
    expect(new Set(responses.map(({ journal }) => journal!.entry)).size).toBe(1);
    expect(server.heads).toHaveLength(1);
  });

  test("sends one call and reports its lost response to the others", async () => {
    const { server, clients } = await racing((socket) => void setTimeout(reset, 50, socket, 1), 4);
    const errors = await Promise.all(clients.map((client) => failureOf(client.trades.book(tradeInput))));
    expect(errors.map(({ code }) => code)).toEqual(Array(4).fill("outcome_unknown"));
    expect(server.heads).toHaveLength(1);
  });

  test("limits the wait for another call", async () => {
    const { server, clients } = await racing(silence, 1);
    const first = failureOf(clients[0]!.trades.book(tradeInput, { timeoutMs: 60_000 }));
    await untilArrived(server, 1);
    /** Retries with a longer limit if the deadline passed before the journal was read. */
    const endedWithin = async (limit: (ms: number) => CallOptions): Promise<FxdeskError> => {
      for (let ms = 50; ; ms *= 2) {
        const error = await failureOf(clients[0]!.trades.book(tradeInput, limit(ms)));
        if (error.outcome !== "not-sent" || ms > 10_000) return error;
      }
    };
    const late = await endedWithin((queueTimeoutMs) => ({ queueTimeoutMs }));
    expect(late).toMatchObject({
      name: "Timeout",
      code: "timeout",
      outcome: "unknown",
      retryable: true,
      attempts: 0,
    });
    expect(late.message).toContain("Another process is making this call");
    expect(await endedWithin((ms) => ({ signal: AbortSignal.timeout(ms) }))).toMatchObject({
      name: "Aborted",
      outcome: "unknown",
      retryable: false,
    });
    await server.close();
    expect(await first).toMatchObject({ outcome: "unknown", journal: late.journal });
    expect(server.heads).toHaveLength(1);
  });
});

describe.each(engines().slice(1))("while the store ($name) is briefly unavailable", ({ create }) => {
  async function behindProxy() {
    const { location, key } = await create();
    const proxy = await startDatabaseProxy({ location, key });
    const given = { store: proxy.settings.location, storeKey: key!.toString("base64") };
    const server = closeLater(await heldServer());
    const client = createTestClient({ baseUrl: server.url, ...given });
    const journal = await journalOf({ ...given, store: location });
    return { proxy, server, client, journal };
  }

  test("returns the outcome at once and journals it when the store is back", async () => {
    const { proxy, server, client, journal } = await behindProxy();
    const call = client.trades.book.response(tradeInput);
    await server.untilArrived(1);
    await proxy.disconnect();
    server.respond(booked);
    const { body, journal: note } = await call;
    expect(body.trade_id).toBe("t-1");
    expect(await journal.get(note!.entry)).toMatchObject({ state: "sent" });
    await proxy.reconnect();
    const isDone = async () => (await journal.get(note!.entry))!.state === "done";
    await eventually(isDone, { withinMs: 20_000, what: "the ending in the journal" });
  });

  test("waits for pending outcomes on close", async () => {
    const { proxy, server, client, journal } = await behindProxy();
    const call = client.trades.book.response(tradeInput);
    await server.untilArrived(1);
    await proxy.disconnect();
    server.respond(booked);
    const { journal: note } = await call;
    const closed = client.close();
    await proxy.reconnect();
    await closed;
    expect(await journal.get(note!.entry)).toMatchObject({ state: "done", ending: { identity: "t-1" } });
  });

  test("sends no money call", async () => {
    const { proxy, server, client, journal } = await behindProxy();
    const first = client.trades.book(tradeInput);
    await server.untilArrived(1);
    server.respond(booked);
    await first;
    await proxy.disconnect();
    const error = await failureOf(client.trades.book({ ...tradeInput, quote_id: "q-2" }));
    expect(error).toMatchObject({ code: "unavailable", outcome: "not-sent" });
    await proxy.reconnect();
    const again = client.trades.book({ ...tradeInput, quote_id: "q-2" });
    await server.untilArrived(2);
    server.respond(booked);
    await again;
    expect((await journal.list()).map(({ state }) => state)).toEqual(["done", "done"]);
  });
});

describe("without the store", () => {
  const broken: [what: string, store: () => Promise<string>, words: RegExp][] = [
    [
      "a file that is not a database",
      async () => {
        const path = join(files.path, `${randomUUID()}.db`);
        await writeFile(path, "no database ".repeat(1_000), { mode: 0o600 });
        return path;
      },
      /not a database/,
    ],
    [
      "a folder in its place",
      async () => {
        const path = join(files.path, randomUUID());
        await mkdir(path);
        return path;
      },
      /is not a file/,
    ],
    [
      "an unreachable server",
      async () => (await closedPortUrl()).replace("http://", "postgres://fx:pass-word-1@").concat("/fxdesk"),
      /ECONNREFUSED/,
    ],
  ];
  test.each(broken)("(%s) makes reads and refuses money calls", async (_, place, words) => {
    const store = await place();
    const { server, client } = await startClientAndServer(respond(200, "[]"), { store, storeKey });
    expect(await client.trades.list()).toEqual([]);
    const error = await failureOf(client.trades.book(tradeInput));
    expect(error).toMatchObject({
      name: "Unavailable",
      code: "unavailable",
      outcome: "not-sent",
      retryable: true,
      attempts: 0,
    });
    expect(error.message).toMatch(words);
    expect(error.message).toContain(store.replace("fx:pass-word-1@", ""));
    expect(error.message).toContain("fxdesk store check");
    expect(JSON.stringify(error)).not.toContain("pass-word-1");
    expect(server.heads).toHaveLength(1);
  });

  test("sends money calls again once the store is available", async () => {
    const path = join(files.path, randomUUID());
    await mkdir(path);
    const { server, client } = await startClientAndServer(booked, {
      store: join(path, "store.db"),
      storeKey,
    });
    await mkdir(join(path, "store.db"));
    expect(await failureOf(client.trades.book(tradeInput))).toMatchObject({ code: "unavailable" });
    await rmdir(join(path, "store.db"));
    expect(await client.trades.book(tradeInput)).toMatchObject({ trade_id: "t-1" });
    expect(server.heads).toHaveLength(1);
  });
});
