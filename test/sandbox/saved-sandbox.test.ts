/** Tests save, load, fork and undo. */
import {
  type Sandbox,
  type SandboxOptions,
  type SavedSandbox,
  SavedSandboxError,
  startSandbox,
} from "@fxdesk/sandbox";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { randomUUID } from "node:crypto";
import { closeLater } from "../support/resources";
import { makeQuote } from "../support/samples";
import { openClient, openSandbox } from "../support/sandboxes";

const now = new Date("2026-03-16T09:00:00Z");
const clientOf = (sandbox: Sandbox): FxdeskClient => {
  const { clientId, contactId } = sandbox.demo;
  return openClient(sandbox, { clientId, contactId });
};

const start = (options: SandboxOptions = {}) => openSandbox({ now, daysBehind: 20, ...options });

const load = (saved: unknown) => openSandbox({ saved: JSON.parse(JSON.stringify(saved)) as SavedSandbox });

const eur = async (client: FxdeskClient) => {
  const [account] = await client.accounts.list({ currencies: "EUR" });
  return account!;
};

test("restores accounts, log, faults and scheduled events in another sandbox", async () => {
  const sandbox = await start();
  const client = clientOf(sandbox);
  await client.accountDetails.request({ currency: "CHF", country: "CH" });
  sandbox.force("trades.list", 404);
  const other = await load(sandbox.save());
  expect(other.requests).toEqual(sandbox.requests);
  expect(other.control.listFaults()).toEqual(sandbox.control.listFaults());
  expect(other.demo).toEqual(sandbox.demo);
  other.advance(60_000);
  sandbox.advance(60_000);
  const statuses = async (of: Sandbox) =>
    (await clientOf(of).accountDetails.list()).map(({ status }) => status);
  expect(await statuses(other)).toEqual(await statuses(sandbox));
  expect(other.save()).toEqual(sandbox.save());
});

test("forks an independent copy", async () => {
  const sandbox = await start();
  const fork = closeLater(await sandbox.fork());
  const [before, account] = [sandbox.save(), await eur(clientOf(fork))];
  fork.control.payIn({ currency: "EUR", amount: "100", reference: "X", debtor_name: "Y" });
  expect((await clientOf(fork).transactions.list({ account_id: account.account_id })).at(0)).toMatchObject({
    amount: { amount: "100.00" },
  });
  expect(sandbox.save()).toEqual(before);
  expect(fork.baseUrl).not.toBe(sandbox.baseUrl);
});

test("copies e-mails to a fork, which stores new ones in memory", async () => {
  const sandbox = await start();
  const client = clientOf(sandbox);
  await client.statements.emailTrades({ date_from: "2026-03" });
  const fork = closeLater(await sandbox.fork());
  await clientOf(fork).statements.emailTrades({ date_from: "2026-03" });
  expect([sandbox.mails.length, fork.mails.length]).toEqual([1, 2]);
  expect(fork.mails[0]!.message.equals(sandbox.mails[0]!.message)).toBe(true);
});

test("continues a running clock from the saved time", async () => {
  const sandbox = closeLater(await startSandbox({ daysBehind: 5 }));
  sandbox.advance(10 * 86_400_000);
  const other = await load(sandbox.save());
  const apart = Date.parse(other.control.getClock().now) - Date.parse(sandbox.control.getClock().now);
  expect(Math.abs(apart)).toBeLessThan(30_000);
});

test("saves settings, including unlimited ones", async () => {
  const sandbox = await start({ quoteSeconds: 77, requestsPerSecond: 3 });
  const other = await load(sandbox.save());
  expect(other.save()).toEqual(sandbox.save());
  const unlimited = await load((await start()).save());
  const account = await eur(clientOf(unlimited));
  expect(account.currency).toBe("EUR");
});

describe("undo", () => {
  test("restores state and log, and repeats later responses", async () => {
    const sandbox = await start();
    const client = clientOf(sandbox);
    await client.trades.list();
    const before = sandbox.requests.length;
    const book = async () => {
      const quote_id = await makeQuote(client);
      return client.trades.book({ quote_id, reason: "other", reference: "PO-1" }, { key: randomUUID() });
    };
    const { trade_id } = await book();
    const [quoted] = sandbox.requests.slice(before);
    sandbox.control.undo({ request: quoted!.number });
    expect(sandbox.requests).toHaveLength(before);
    await expect(client.trades.get({ trade_id })).rejects.toMatchObject({ status: 404 });
    sandbox.control.undo({ request: before + 1 });
    expect((await book()).trade_id).toBe(trade_id);
  });

  test("removes later e-mails only", async () => {
    const sandbox = await start();
    const client = clientOf(sandbox);
    const mail = () => client.statements.emailTrades({ date_from: "2026-03" });
    await mail();
    const [first] = sandbox.mails;
    await mail();
    sandbox.control.undo({ request: sandbox.requests.at(-1)!.number });
    expect(sandbox.mails).toEqual([first]);
  });

  test("supports the last 100 requests and refuses older ones", async () => {
    const sandbox = await start();
    for (let n = 0; n < 160; n += 1) await fetch(`${sandbox.baseUrl}/accounts`);
    expect(() => sandbox.control.undo({ request: 1 })).toThrow("The request can no longer be undone.");
    sandbox.control.undo({ request: 61 });
    expect(sandbox.requests.at(-1)!.number).toBe(60);
    expect(() => sandbox.control.undo({ request: 61 })).toThrow("The request can no longer be undone.");
  });
});

test("logs exchanges with secrets redacted, except demo credentials", async () => {
  const sandbox = await start();
  const get = (authorization: string, key: string) =>
    fetch(`${sandbox.baseUrl}/accounts?currencies=EUR&client_id=client-demo`, {
      headers: { authorization, "x-api-key": key },
    });
  await get("Bearer demo-access-token", "demo-api-key");
  await get("Bearer of-somebody", "mine");
  const said = [1, 2].map((number) => sandbox.control.getExchange({ number }));
  expect(said.map(({ request }) => request.headers)).toMatchObject([
    { authorization: "Bearer demo-access-token", "x-api-key": "demo-api-key" },
    { authorization: "(redacted)", "x-api-key": "(redacted)" },
  ]);
  expect(said[0]!.response.body).toContain("account_id");
  expect(JSON.stringify(sandbox.save())).not.toContain("of-somebody");
});

/** Posts secrets in each possible body format. */
const postTyped = (sandbox: Sandbox, path: string, body: string | URLSearchParams, type?: string) =>
  fetch(sandbox.baseUrl + path, {
    method: "POST",
    redirect: "manual",
    body,
    ...(type !== undefined && { headers: { "content-type": type } }),
  });

test("redacts passwords, codes and tokens in the log and in saved states", async () => {
  const sandbox = await start();
  const { authClientId: client_id, redirectUri: redirect_uri, email } = sandbox.demo;
  const login = (password: string) =>
    postTyped(
      sandbox,
      "/login",
      new URLSearchParams({ client_id, redirect_uri, state: "s", email, password, after: "x" }),
    );
  await login("my own & secret");
  await postTyped(sandbox, "/login", `password=mySecret-2&email=${email}`, "text/plain");
  await postTyped(
    sandbox,
    "/token",
    new URLSearchParams({ code: "mySecret-3", client_secret: "mySecret-4" }),
  );
  await postTyped(
    sandbox,
    "/v1/consents",
    String.raw`{"psuData": {"password" : "my\"Secret-5"}, "refresh_token":"mySecret-6"}`,
    "application/json",
  );
  await login(sandbox.demo.password);
  const [first, , , , last] = [1, 2, 3, 4, 5].map((number) => sandbox.control.getExchange({ number }));
  expect(first!.request.body).toContain("password=(redacted)&after=x");
  expect(first!.request.body).toContain(`email=${encodeURIComponent(email)}`);
  expect(last!.request.body).toContain(`password=${sandbox.demo.password}`);
  expect(last!.response.headers.location).toMatch(/[?&]code=\(redacted\)(&|$)/);
  const recordedTexts = [JSON.stringify(sandbox.save()), await (await fetch(sandbox.baseUrl)).text()];
  expect(recordedTexts.flatMap((text) => text.match(/my\S{0,12}secret\S{0,2}/gi) ?? [])).toEqual([]);
});

describe("refuses to load", () => {
  test.each([
    ["a newer version", { fxdesk_sandbox: 5, state: {} }, /version 5, but .* only version 4\./],
    ["an older version", { fxdesk_sandbox: 3, state: {} }, /version 3, but .* only version 4\./],
    ["a version as text", { fxdesk_sandbox: "4", state: {} }, /version "4", but .* only version 4\./],
    ["something else", { hello: 1 }, /fxdesk_sandbox is missing/],
    ["nothing", null, /fxdesk_sandbox is missing/],
    ["a part", { fxdesk_sandbox: 4, state: { beginning: {} } }, /damaged/],
    ["an unknown value", { fxdesk_sandbox: 4, state: { $sum: 1 } }, /damaged: \$sum is not/],
  ])("%s", async (_what, saved, message) => {
    const refused = await startSandbox({ saved: saved as never }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SavedSandboxError);
    expect((refused as Error).message).toMatch(message);
  });

  test("a state combined with options that it determines", async () => {
    const saved = (await start()).save();
    await expect(startSandbox({ saved, seed: "two" })).rejects.toThrow("seed cannot be combined");
  });
});
