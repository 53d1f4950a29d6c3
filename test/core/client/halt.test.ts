/** A halt: nothing leaves that changes something or moves money, for all that share the store, and reads go on. */
import { randomUUID } from "node:crypto";
import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ClientOptions } from "../../../core";
import { openJournal } from "../../../core/journal/journal";
import { beginHalt, endHalts, haltsInForce } from "../../../core/store/halt";
import { withStore } from "../../../core/store/open";
import type { StoreSettings } from "../../../core/store/settings";
import { type Fault, respond } from "../../support/fault-server";
import { against, change, failure, later, trade } from "../support/against";
import { engines, folder } from "../store/engines";

const files = folder();

/** Responds to a booking with a trade, to everything else with a list. */
const service: Fault = (socket, number) => respond(200, '[{"trade_id":"t-1"}]')(socket, number);
const booked = respond(201, '{"trade_id":"t-1"}');

const optionsFor = ({ place, key }: StoreSettings): ClientOptions => ({
  store: place,
  ...(key && { storeKey: key.toString("base64") }),
});

const begin = (settings: StoreSettings, environment?: string) =>
  withStore(settings, (store) => beginHalt(store, { environment, by: "jane", reason: "wrong rates" }));
const end = (settings: StoreSettings, environment?: string) =>
  withStore(settings, (store) => endHalts(store, environment));

describe.each(engines())("in $name", ({ create }) => {
  let settings: StoreSettings;
  beforeEach(async () => (settings = await create()));

  const start = (fault: Fault = service, options: ClientOptions = {}) =>
    against(fault, { environment: "sandbox", ...optionsFor(settings), ...options });

  test("stops changes and money of a client that runs already, at once, until it is ended", async () => {
    const { server, client } = await start();
    await client.request(change);
    await begin(settings);
    for (const call of [client.request(change), client.trades.book(trade)]) {
      const error = await failure(call);
      expect(error).toMatchObject({ code: "halted", outcome: "not-sent", retryable: false });
      expect(error.message).toMatch(
        /halted since 20\d\d-.* by jane \(wrong rates\)\. fxdesk resume ends that/,
      );
      expect(error.message).toContain("Nothing was sent.");
    }
    await client.trades.list();
    expect(server.heads).toHaveLength(2);
    await end(settings);
    await client.request(change);
    expect(server.heads).toHaveLength(3);
  });

  test("leaves a booking's key to the same call after it", async () => {
    const { server, client } = await start(booked);
    await begin(settings);
    await failure(client.trades.book(trade));
    const journal = await openJournal(settings);
    later(() => journal.close());
    expect(await journal.list()).toMatchObject([{ state: "not-sent", ending: { code: "halted" } }]);
    await end(settings);
    await client.trades.book(trade);
    expect(server.heads).toHaveLength(1);
    expect(await journal.list()).toMatchObject([{ state: "done" }]);
  });

  test("of one environment stops that one", async () => {
    const [there, elsewhere] = [await start(), await start(booked, { environment: "api" })];
    await begin(settings, "sandbox");
    for (const call of [there.client.request(change), there.client.trades.book(trade)]) {
      const { code, message } = await failure(call);
      expect(code).toBe("halted");
      expect(message).toContain("fxdesk resume --environment sandbox");
    }
    await elsewhere.client.trades.book(trade);
    await elsewhere.client.request(change);
    await end(settings, "api");
    await failure(there.client.request(change));
    await end(settings);
    await there.client.request(change);
  });

  test("that is in force is not begun anew, and ends whole", async () => {
    const first = await begin(settings);
    await begin(settings, "sandbox");
    const again = await withStore(settings, (store) =>
      beginHalt(store, { environment: undefined, by: "joe", reason: undefined }),
    );
    expect(again).toEqual(first);
    expect(await end(settings)).toHaveLength(2);
    expect(await withStore(settings, haltsInForce)).toEqual([]);
    expect(await end(settings)).toEqual([]);
  });
});

test("without a file nothing is halted, none is made, and one that comes is seen", async () => {
  const place = join(files.path, randomUUID(), "store.db");
  const { client } = await against(service, { store: place });
  await client.request(change);
  await expect(stat(place)).rejects.toThrow("ENOENT");
  await begin({ place, key: Buffer.alloc(32) });
  expect(await failure(client.request(change))).toMatchObject({ code: "halted" });
});

test("a store of which nobody can tell stops changes and money, and no read", async () => {
  const settings = { place: join(files.path, randomUUID(), "store.db"), key: Buffer.alloc(32, 3) };
  await withStore(settings, async () => undefined);
  await chmod(settings.place, 0o644);
  const away = { place: "postgres://127.0.0.1:1/none", key: settings.key };
  for (const store of [settings, away]) {
    const { server, client } = await against(service, optionsFor(store));
    for (const call of [client.request(change), client.trades.book(trade)]) {
      const error = await failure(call);
      expect(error).toMatchObject({
        code: "unavailable",
        outcome: "not-sent",
        attempts: expect.any(Number) as number,
      });
      expect(error.message).toContain(store.place);
      expect(error.message).toContain("FXDESK_STORE");
    }
    await client.trades.list();
    expect(server.heads).toHaveLength(1);
  }
});
