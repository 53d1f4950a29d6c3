/** Shared pacing. Each client has its own connection to the store, as separate processes do. */
import type { ClientOptions, FxdeskClient } from "../../../core";
import { createPace, openPaceStore, reserveCalls, updatePace } from "../../../core/store/shared-pace";
import type { StoreSettings } from "../../../core/store/settings";
import { inSequence, respond } from "../../support/fault-server";
import { eventually } from "../../support/eventually";
import { runLater } from "../../support/resources";
import { createTestClient, failureOf, startFaultServer } from "../support/client-fixtures";
import { engines } from "../store/engines";

const list = respond(200, "[]");

describe.each(engines())("in $name", ({ create }) => {
  let settings: StoreSettings;
  beforeEach(async () => (settings = await create()));

  const start = (baseUrl: string, options: ClientOptions = {}) =>
    createTestClient({
      baseUrl,
      store: settings.location,
      storeKey: settings.key!.toString("base64"),
      pacing: "shared",
      ...options,
    });

  const versions = async () => {
    const { database } = await openPaceStore(settings);
    const rows = await database.run("SELECT name, version, interval_ms FROM fxdesk_rate_limits");
    await database.close();
    return rows;
  };

  test("applies a requested pause to all clients", async () => {
    const server = await startFaultServer(respond(429, "", { "retry-after": "3600" }));
    const [first, second] = [start(server.url), start(server.url)];
    await failureOf(first.trades.list());
    expect(await failureOf(second.trades.list())).toMatchObject({
      code: "rate_limited",
      outcome: "not-sent",
    });
    const elsewhere = start((await startFaultServer(list)).url);
    await elsewhere.trades.list();
    const other = start(server.url, { clientId: "c-2" });
    expect(await failureOf(other.trades.list())).toMatchObject({ outcome: "rejected" });
    expect(server.heads).toHaveLength(2);
  });

  test("keeps a configured limit over all clients, with a fair share for each", async () => {
    const server = await startFaultServer(list);
    const clients = Array.from({ length: 4 }, () => start(server.url, { requestsPerSecond: 60 }));
    await Promise.all(clients.map((client) => client.trades.list()));
    const begun = performance.now();
    const done = clients.map(() => 0);
    let atFirstEnd: number[] | undefined;
    const all = async (client: FxdeskClient, index: number) => {
      const calls = Array.from({ length: 20 }, async () => {
        await client.trades.list();
        done[index]! += 1;
      });
      await Promise.all(calls);
      atFirstEnd ??= [...done];
    };
    await Promise.all(clients.map(all));
    expect(performance.now() - begun).toBeGreaterThan((1_000 * 75) / 60);
    for (const count of atFirstEnd!) expect(count).toBeGreaterThanOrEqual(8);
  });

  test("slows down all clients after a refusal, and starts the next at that rate", async () => {
    const server = await startFaultServer(inSequence(list, list, list, respond(429), list));
    const client = start(server.url);
    for (let count = 0; count < 4; count += 1) await client.trades.list();
    const [pace] = await eventually(
      async () => {
        const rows = await versions();
        return Number(rows[0]?.interval_ms) > 10 && rows;
      },
      { withinMs: 10_000, what: "a slower pace" },
    );
    await client.close();
    await start(server.url).trades.list();
    expect((await versions())[0]!.interval_ms).toBe(pace!.interval_ms);
  });

  test.each([
    ["shorter than the interval", 100, 3_000],
    ["longer than the interval", 60_000, 60_000],
  ])("keeps the remaining interval of one call per second during a pause %s", async (_, pauseMs, aheadMs) => {
    const { database } = await openPaceStore(settings);
    await createPace(database, "a", { intervalMs: 1_000, content: "{}" });
    const { version } = (await reserveCalls(database, "a", 4, 0, 0))!;
    const { now, nextAt } = (await updatePace(database, "a", version, {
      intervalMs: 1_000,
      content: "{}",
      pauseMs,
    }))!;
    await database.close();

    expect(nextAt - now).toBeGreaterThan(aheadMs - 1_000);
    expect(nextAt - now).toBeLessThanOrEqual(aheadMs + 1_000);
  });
});

test("limits the rate per process and warns once if the store is unavailable", async () => {
  const server = await startFaultServer(list);
  const warn = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  runLater(() => warn.mockRestore());
  const client = createTestClient({
    baseUrl: server.url,
    pacing: "shared",
    store: "postgres://jane:secret@127.0.0.1:1/none",
    storeKey: Buffer.alloc(32).toString("base64"),
  });
  await Promise.all(Array.from({ length: 20 }, () => client.trades.list()));
  expect(server.heads).toHaveLength(20);
  expect(warn.mock.calls).toHaveLength(1);
  expect(String(warn.mock.calls[0]![0])).toMatch(
    /^The shared rate limiter cannot use the store postgres:\/\/127.0.0.1:1\/none \(/,
  );
  expect(String(warn.mock.calls[0]![0])).not.toContain("secret");
});
