/** Shared tokens. Each client has its own connection to the store, as separate processes do. */
import type { ClientOptions } from "../../../core";
import { withStore } from "../../../core/store/open";
import { extractPassword, type StoreSettings } from "../../../core/store/settings";
import { saveTokens } from "../../../core/store/tokens";
import { RotatingTokenService } from "../../support/rotating-token-service";
import { engines } from "../store/engines";
import { runLater } from "../../support/resources";
import { createTestClient, failureOf, tradeInput, disableBackoff } from "../support/client-fixtures";

const storeOptions = ({ location: store, key }: StoreSettings) => ({
  store,
  ...(key && { storeKey: key.toString("base64") }),
});

describe.each(engines())("in $name", ({ create }) => {
  let settings: StoreSettings;
  let rotating: RotatingTokenService;
  beforeEach(async () => {
    settings = await create();
    rotating = await RotatingTokenService.start();
    runLater(() => rotating.close());
  });

  const start = (given: ClientOptions["credentials"] = {}, more: ClientOptions = {}) =>
    createTestClient({
      ...rotating.addresses,
      credentials: { ...rotating.credentials, ...given },
      ...storeOptions(settings),
      ...more,
    });

  test("reuses the refresh token of an earlier process", async () => {
    for (let run = 0; run < 3; run += 1) {
      await start().trades.list();
      rotating.revoke();
    }
    expect(rotating.used).toEqual(["refresh-0", "refresh-1", "refresh-2"]);
    expect(rotating.refusals).toBe(0);
  });

  test("gives the next process a new token after a booking's token was refused", async () => {
    await start().trades.list();
    rotating.revoke();
    expect(await failureOf(start().trades.book(tradeInput))).toMatchObject({
      outcome: "rejected",
      status: 401,
    });
    await start().trades.book(tradeInput);
    expect(rotating.used).toEqual(["refresh-0", "refresh-1"]);
  });

  test("starts a new token family for another refresh token, application or environment", async () => {
    await start().trades.list();
    rotating.revoke();
    rotating.refreshToken = "refresh-new";
    await start({ refreshToken: "refresh-new" }).trades.list();
    rotating.reusableRefreshToken = "refresh-0";
    await start({ authClientId: "another" }).trades.list();
    await start({}, { environment: "sandbox" }).trades.list();
    expect(rotating.used).toEqual(["refresh-0", "refresh-new", "refresh-0", "refresh-0"]);
    expect(rotating.refusals).toBe(0);
  });

  test("falls back to the configured refresh token if the newest is refused", async () => {
    disableBackoff();
    await start().trades.list();
    rotating.revoke();
    rotating.refreshToken = "none";
    const error = await failureOf(start().trades.list());
    expect(error).toMatchObject({ code: "unauthorized", retryable: false });
    rotating.reusableRefreshToken = "refresh-0";
    await start().trades.list();
    await start().trades.book(tradeInput);
    expect(rotating.used).toEqual(["refresh-0", "refresh-1", "refresh-0", "refresh-1", "refresh-0"]);
  });

  test("reports a timeout and sends nothing if another process holds the lease", async () => {
    await start().trades.list();
    await withStore(settings, async ({ database }) => {
      await database.run("DELETE FROM fxdesk_tokens");
      await database.run("UPDATE fxdesk_leases SET expires_at = $1", [Number.MAX_SAFE_INTEGER]);
    });
    const client = start({}, { timeoutMs: 300 });
    const error = await failureOf(client.trades.book(tradeInput, { timeoutMs: 20_000 }));
    expect(error).toMatchObject({ code: "unavailable", outcome: "not-sent", retryable: true });
    expect(error.message).toContain("Timed out waiting for another process");
    expect(rotating.used).toEqual(["refresh-0"]);
  });

  test("saves tokens before their use once the store works again, without another refresh", async () => {
    const run = (sql: string) => withStore(settings, ({ database }) => database.run(sql));
    const another = { accessToken: "another", refreshToken: "another", remainingMs: 1 };
    await withStore(settings, (store) => saveTokens(store, "another", 0, another));
    // There is no room for a second family.
    await run("CREATE UNIQUE INDEX fxdesk_full ON fxdesk_tokens ((version - version))");
    const client = start();
    for (const call of [() => client.trades.list(), () => client.trades.book(tradeInput)]) {
      const error = await failureOf(call());
      expect(error).toMatchObject({ code: "unavailable", outcome: "not-sent", retryable: true });
      expect(error.message).toContain("The token store cannot be used");
    }
    await run("DROP INDEX fxdesk_full");
    // Failures are followed by a pause.
    const clock = jest.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
    runLater(() => clock.mockRestore());
    await client.trades.list();
    await start().trades.book(tradeInput);
    expect(rotating.used).toEqual(["refresh-0"]);
  });

  test("continues with a valid token while the store is unavailable", async () => {
    const client = start();
    await client.trades.list();
    await withStore(settings, ({ database }) => database.run("DROP TABLE fxdesk_tokens"));
    await client.trades.list();
    rotating.revoke();
    expect(await failureOf(client.trades.list())).toMatchObject({ code: "unavailable" });
    expect(rotating.used).toEqual(["refresh-0"]);
  });

  test("reveals no stored token", async () => {
    await start().trades.list();
    rotating.revoke();
    rotating.refreshToken = "none";
    const { key } = settings;
    settings = { ...settings, key: Buffer.alloc(32, 7) };
    const error = await failureOf(start().trades.list());
    expect(error.message).toContain("another FXDESK_STORE_KEY");
    const visible = JSON.stringify(error) + String(error.stack) + String((error.cause as Error).stack);
    const secrets = [
      "refresh-1",
      "access-token-1",
      key!.toString("base64"),
      settings.key!.toString("base64"),
    ];
    for (const secret of [...secrets, ...(extractPassword(settings.location) ? [":postgres@"] : [])])
      expect(visible).not.toContain(secret);
  });
});
