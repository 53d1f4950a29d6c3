/** A halt stops calls that change something or move money, for all users of the store. Reads continue. */
import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ClientOptions } from "../../../core";
import { openJournal } from "../../../core/journal/journal";
import { startHalt, endHalts } from "../../../core/store/halt";
import { withStore } from "../../../core/store/open";
import type { StoreSettings } from "../../../core/store/settings";
import { type Fault, respond } from "../../support/fault-server";
import { runLater, tempFolder } from "../../support/resources";
import { startClientAndServer, changeRequest, failureOf, tradeInput } from "../support/client-fixtures";
import { engines } from "../store/engines";

/** Responds with a trade to a booking, and with a list to other requests. */
const service: Fault = (socket, number) => respond(200, '[{"trade_id":"t-1"}]')(socket, number);
const booked = respond(201, '{"trade_id":"t-1"}');

const optionsFor = ({ location, key }: StoreSettings): ClientOptions => ({
  store: location,
  ...(key && { storeKey: key.toString("base64") }),
});

const startHaltOf = (settings: StoreSettings, environment?: string) =>
  withStore(settings, (store) => startHalt(store, { environment, by: "jane", reason: "wrong rates" }));
const endHaltOf = (settings: StoreSettings, environment?: string) =>
  withStore(settings, (store) => endHalts(store, environment));

describe.each(engines())("in $name", ({ create }) => {
  let settings: StoreSettings;
  beforeEach(async () => (settings = await create()));

  const start = (fault: Fault = service, options: ClientOptions = {}) =>
    startClientAndServer(fault, { environment: "sandbox", ...optionsFor(settings), ...options });

  test("stops changes and money calls of a running client until it is resumed", async () => {
    const { server, client } = await start();
    await client.request(changeRequest);
    await startHaltOf(settings);
    for (const call of [client.request(changeRequest), client.trades.book(tradeInput)]) {
      const error = await failureOf(call);
      expect(error).toMatchObject({ code: "halted", outcome: "not-sent", retryable: false });
      expect(error.message).toMatch(/halted at 20\d\d-.* by jane \(wrong rates\)\..*fxdesk resume/);
      expect(error.message).toContain("Nothing was sent.");
    }
    await client.trades.list();
    expect(server.heads).toHaveLength(2);
    await endHaltOf(settings);
    await client.request(changeRequest);
    expect(server.heads).toHaveLength(3);
  });

  test("keeps a booking's key usable for the same call after it", async () => {
    const { server, client } = await start(booked);
    await startHaltOf(settings);
    await failureOf(client.trades.book(tradeInput));
    const journal = await openJournal(settings);
    runLater(() => journal.close());
    expect(await journal.list()).toMatchObject([{ state: "not-sent", ending: { code: "halted" } }]);
    await endHaltOf(settings);
    await client.trades.book(tradeInput);
    expect(server.heads).toHaveLength(1);
    expect(await journal.list()).toMatchObject([{ state: "done" }]);
  });

  test("can be limited to one environment", async () => {
    const [there, elsewhere] = [await start(), await start(booked, { environment: "api" })];
    await startHaltOf(settings, "sandbox");
    for (const call of [there.client.request(changeRequest), there.client.trades.book(tradeInput)]) {
      const { code, message } = await failureOf(call);
      expect(code).toBe("halted");
      expect(message).toContain("fxdesk resume --environment sandbox");
    }
    await elsewhere.client.trades.book(tradeInput);
    await elsewhere.client.request(changeRequest);
    await endHaltOf(settings, "api");
    await failureOf(there.client.request(changeRequest));
    await endHaltOf(settings);
    await there.client.request(changeRequest);
  });
});

test("ignores a missing store file without creating it, and notices a new one", async () => {
  const location = join(await tempFolder(), "new/store.db");
  const { client } = await startClientAndServer(service, { store: location });
  await client.request(changeRequest);
  await expect(stat(location)).rejects.toThrow("ENOENT");
  await startHaltOf({ location, key: undefined });
  expect(await failureOf(client.request(changeRequest))).toMatchObject({ code: "halted" });
});

test("stops changes and money calls, but no reads, if the store is unreachable", async () => {
  const settings = { location: join(await tempFolder(), "new/store.db"), key: Buffer.alloc(32, 3) };
  await withStore(settings, async () => undefined);
  await chmod(settings.location, 0o644);
  const away = { location: "postgres://127.0.0.1:1/none", key: settings.key };
  for (const store of [settings, away]) {
    const { server, client } = await startClientAndServer(service, optionsFor(store));
    for (const call of [client.request(changeRequest), client.trades.book(tradeInput)]) {
      const error = await failureOf(call);
      expect(error).toMatchObject({ code: "unavailable", outcome: "not-sent" });
      expect(error.message).toContain(store.location);
      expect(error.message).toContain("FXDESK_STORE");
    }
    await client.trades.list();
    expect(server.heads).toHaveLength(1);
  }
});
