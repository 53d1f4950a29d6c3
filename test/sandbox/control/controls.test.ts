/** Tests the controls and their effect on clients. */
import { readFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { createClient, type FxdeskClient } from "@fxdesk/toolkit";
import { contract } from "@fxdesk/toolkit/operations";
import { controls, HttpError, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { eventually } from "../../support/eventually";
import { closeLater } from "../../support/resources";
import { sampleInput } from "../../support/samples";
import { openSandboxAndClient } from "../../support/sandboxes";
import { ask } from "../support/http";

const now = new Date("2026-03-16T09:00:00Z");
let sandbox: Sandbox;
let client: FxdeskClient;

const connectControls = () =>
  createClient({ baseUrl: sandbox.baseUrl }, { ...contract, operations: controls });
let remote: ReturnType<typeof connectControls>;
beforeEach(async () => {
  ({ sandbox, client } = await openSandboxAndClient({ now, daysBehind: 90 }));
  remote = closeLater(connectControls());
});

async function euros() {
  const [account] = await client.accounts.list({ currencies: "EUR" });
  return account!.account_id;
}

async function balance(account_id: string) {
  const [found] = await client.accounts.listBalances({ account_id, balance_types: ["InterimAvailable"] });
  return Number(found?.amount?.amount);
}

describe("the clock", () => {
  test("moves forward by seconds and days, and to a time", async () => {
    const { sandbox: control } = remote;
    expect(await control.getClock()).toEqual({ now: "2026-03-16T09:00:00.000Z" });
    expect(await control.advanceClock({ seconds: 90 })).toEqual({ now: "2026-03-16T09:01:30.000Z" });
    expect(await control.advanceClock({ days: 2 })).toEqual({ now: "2026-03-18T09:01:30.000Z" });
    expect(await control.setClock({ now: "2026-04-01T00:00:00Z" })).toEqual({
      now: "2026-04-01T00:00:00.000Z",
    });
  });

  test("does not move back", async () => {
    await expect(remote.sandbox.setClock({ now: "2026-03-15T00:00:00Z" })).rejects.toMatchObject({
      code: "conflict",
      service: { code: "clock_past" },
    });
  });

  test("jumps at most 366 days ahead", async () => {
    await expect(remote.sandbox.setClock({ now: "2027-03-17T09:00:00.001Z" })).rejects.toMatchObject({
      status: 400,
      service: { details: expect.stringContaining("2027-03-17T09:00:00.000Z") as string },
    });
    await remote.sandbox.setClock({ now: "2027-03-17T09:00:00Z" });
  });

  test("stays within the simulated years", async () => {
    const refused = { status: 400, service: { details: expect.stringContaining("2069-12-31") as string } };
    for (const time of ["1999-12-31T23:59:59Z", "2070-01-01T00:00:00Z", "9999-12-31T00:00:00Z"])
      await expect(remote.sandbox.reset({ now: time })).rejects.toMatchObject(refused);
    expect(await remote.sandbox.getClock()).toEqual({ now: now.toISOString() });
    await remote.sandbox.reset({ now: "2069-12-31T09:00:00Z" });
    await expect(remote.sandbox.advanceClock({ days: 1 })).rejects.toMatchObject(refused);
    expect(() => sandbox.advance(Number.MAX_SAFE_INTEGER)).toThrow(RangeError);
    expect((await client.trades.list()).length).toBeGreaterThan(0);
  });

  test.each([
    ...["1999-12-31T23:59:59Z", "2070-01-01T00:00:00Z", "no time"].map((time) => ({ now: new Date(time) })),
    ...[0, 1.5, 366, Number.NaN].map((daysBehind) => ({ daysBehind })),
  ])("does not start with %p", async (options) => {
    await expect(startSandbox(options)).rejects.toThrow(RangeError);
  });

  test("runs due events before it is read", async () => {
    const running = closeLater(await startSandbox({ daysBehind: 5 }));
    const { control } = running;
    const at = () => Date.parse(control.getClock().now);
    const seen = [at()];
    const later = () => at() >= seen[0]! + 15 && at();
    seen.push(await eventually(later, { withinMs: 30_000, what: "a later time" }));
    running.advance(86_400_000);
    seen.push(at());
    expect(seen[2]).toBeGreaterThanOrEqual(seen[1]! + 86_400_000);
  });
});

const usdFor = async () => {
  const { body } = await client.request({
    method: "POST",
    path: "/quotes",
    query: { client_id: sandbox.demo.clientId, quote_type: "estimate" },
    body: { amount: 1000, operation: "sell", buy_currency: "USD", sell_currency: "EUR" },
  });
  return (body as { estimated_rate: number }).estimated_rate;
};

describe("the market", () => {
  test("moves to a rate, which quotes follow with the bank's margin", async () => {
    expect(await remote.sandbox.moveRate({ symbol: "EURUSD", rate: 1.4 })).toEqual({
      symbol: "EURUSD",
      rate: 1.4,
    });
    expect(await usdFor()).toBeCloseTo(1.4 * 0.9985, 6);
    expect(await remote.sandbox.listRates()).toContainEqual({ symbol: "EURUSD", rate: 1.4 });
  });

  test.each([
    [{ symbol: "EURXAU", rate: 1 }, "XAU is not traded"],
    [{ symbol: "EUREUR", rate: 1 }, "two different currencies"],
    [{ symbol: "EURUSD", rate: 100 }, "a factor of at most 10"],
  ])("refuses %j", async (input, message) => {
    await expect(remote.sandbox.moveRate(input)).rejects.toThrow(message);
  });
});

describe("incoming payments", () => {
  test("appear on the account as incoming transactions", async () => {
    const account_id = await euros();
    const before = await balance(account_id);
    const { transaction_id } = await remote.sandbox.payIn({
      currency: "EUR",
      amount: "1250.50",
      reference: "INV-7",
      debtor_name: "Kontor & Söhne",
    });
    // Read the balance immediately, because incoming money pays due trades at once.
    expect(await client.transactions.get({ account_id, transaction_id })).toMatchObject({
      balance: { amount: { amount: (before + 1250.5).toFixed(2) } },
      transaction_reference: "INV-7",
      credit_debit_indicator: "Credit",
      amount: { amount: "1250.50", currency: "EUR" },
    });
  });

  test.each([
    [{ currency: "EUR", amount: "1.0010" }, "too many decimals"],
    [{ currency: "EUR", amount: "10.000" }, "amount can mean 10 or 10000: write 10 or 10000"],
    [{ currency: "EUR", amount: "0" }, "more than zero"],
    [{ currency: "EUR", amount: "1000000000000.00" }, "amount must be at most 999999999999.99 EUR"],
    [{ amount: "1" }, "Exactly one of account_id and currency"],
    [{ currency: "SEK", amount: "1" }, "account is unknown"],
  ])("are refused with %j", async (input, message) => {
    await expect(remote.sandbox.payIn(input)).rejects.toThrow(message);
  });
});

test("limits the balance of an account above the maximum of a statement", async () => {
  const account_id = await euros();
  const most = { account_id, amount: "999999999999.99" };
  for (let times = 1; times < 1_000; times += 1) sandbox.control.payIn(most);
  await expect(remote.sandbox.payIn(most)).rejects.toMatchObject({
    status: 409,
    service: { code: "account_full", message: expect.stringContaining("999999999999990") },
  });
  expect(await balance(account_id)).toBeGreaterThan(999 * 999_999_999_999);
});

const fileOf = async (input: object) => {
  const { status, body } = await client.statements.getFile(
    input as { account_id: string; statement_id: string },
  );
  return status === 200 ? "file" : body.status;
};

describe("statements", () => {
  test("delays a requested one", async () => {
    const statementRequest = await sampleInput("statements.getFile", client);
    await remote.sandbox.addStatementFault({
      statement_id: String(statementRequest.statement_id),
      decision: "delay",
      seconds: 60,
    });
    sandbox.advance(50_000);
    expect(await fileOf(statementRequest)).toBe("Pending");
    sandbox.advance(20_000);
    expect(await fileOf(statementRequest)).toBe("file");
  });
});

type Config = Parameters<FxdeskClient["approvalsWorkflow"]["replaceConfig"]>[0];

describe("decisions of people", () => {
  test.each([
    ["approve", "finalised", "ACTC"],
    ["refuse", "failed", "RJCT"],
  ] as const)("%s an authorisation", async (decision, scaStatus, transactionStatus) => {
    const input = await sampleInput("payments.getAuthorisation", client);
    const [waiting] = await remote.sandbox.listAuthorisations();
    expect(waiting).toMatchObject({ authorisation_id: input["authorisation-id"], title: "Payment" });
    expect(waiting!.terms.map(({ name }) => name)).toEqual(expect.arrayContaining(["From", "Total"]));
    const decided = { authorisation_id: waiting!.authorisation_id, decision };
    await remote.sandbox.decideAuthorisation(decided);
    expect((await client.payments.getAuthorisation(input as never)).scaStatus).toBe(scaStatus);
    const { "payment-service": service, "payment-product": product, paymentId } = input;
    const payment = { "payment-service": service, "payment-product": product, paymentId };
    expect(await client.payments.getStatus(payment as never)).toMatchObject({ transactionStatus });
    expect(await remote.sandbox.listAuthorisations()).toEqual([]);
    await expect(remote.sandbox.decideAuthorisation(decided)).rejects.toMatchObject({ code: "conflict" });
  });

  test.each(["approve", "reject"] as const)("%s the approvals configuration that waits", async (decision) => {
    await client.approvalsWorkflow.updateSettings({ enabled: true, dual_admin: true });
    const before = (await sampleInput("approvalsWorkflow.replaceConfig", client)) as Config;
    const rules = before.rules.map((rule) => ({ ...rule, id: `${rule.id}-new` }));
    const newConfig = { ...before, rules };
    expect(await client.approvalsWorkflow.replaceConfig(newConfig)).toMatchObject({
      status: "pending_approval",
    });
    await expect(client.approvalsWorkflow.replaceConfig(newConfig)).rejects.toMatchObject({
      code: "conflict",
    });
    await remote.sandbox.decideApprovals({ decision });
    const after = await client.approvalsWorkflow.getConfig();
    expect(after.rules).toEqual(decision === "approve" ? rules : before.rules);
    await expect(remote.sandbox.decideApprovals({ decision })).rejects.toMatchObject({ code: "conflict" });
  });
});

test("lists e-mails and downloads their attachments", async () => {
  await client.statements.emailAccounts({
    date_from: "2026-01-01",
    date_to: "2026-01-31",
    format: "csv",
    currencies: "EUR",
  });
  const { sandbox: control } = remote;
  const [mail] = await control.listMails();
  expect(mail).toMatchObject({ mail: 1, attachments: [{ content_type: "text/csv; charset=utf-8" }] });
  expect(await control.getMail({ mail: 1 })).toEqual(mail);
  const { file_name, size } = mail!.attachments[0]!;
  const file = await control.getAttachment({ mail: 1, file_name });
  expect(file.fileName).toBe(file_name);
  expect(await file.bytes()).toHaveLength(size);
  await expect(control.getMail({ mail: 2 })).rejects.toMatchObject({ code: "not_found" });
});

test("logs requests of the service but not of the controls", async () => {
  await client.trades.list();
  await client.trades.get({ trade_id: "none" }).catch(() => {});
  const log = await remote.sandbox.listRequests();
  expect(log).toEqual([
    expect.objectContaining({ method: "GET", status: 200 }),
    expect.objectContaining({ status: 404, refusal: "The trade is unknown. none" }),
  ]);
});

describe("a reset", () => {
  test("restores the initial state and start time", async () => {
    const account_id = await euros();
    const before = await balance(account_id);
    sandbox.control.payIn({ currency: "EUR", amount: "10" });
    sandbox.control.advanceClock({ days: 30 });
    sandbox.control.moveRate({ symbol: "EURUSD", rate: 2 });
    sandbox.control.addFault({ operation: "accounts.list", kind: "status", status: 404, times: 9 });
    expect(await remote.sandbox.reset()).toEqual({ now: now.toISOString() });
    expect(await balance(await euros())).toBe(before);
    expect(sandbox.control.listRates()).not.toContainEqual({ symbol: "EURUSD", rate: 2 });
    expect(sandbox.requests).toHaveLength(2);
  });

  test("accepts another seed and start time", async () => {
    const before = await euros();
    expect(await remote.sandbox.reset({ seed: "other", now: "2030-01-07T08:00:00Z" })).toEqual({
      now: "2030-01-07T08:00:00.000Z",
    });
    expect(await euros()).not.toBe(before);
  });
});

test("logs the last 1,000 requests", async () => {
  for (let number = 0; number <= 1_000; number += 1) await fetch(`${sandbox.baseUrl}/unknown/${number}`);
  const urls = sandbox.requests.map(({ url }) => url);
  expect(urls).toHaveLength(1_000);
  expect([urls[0], urls.at(-1)]).toEqual(["/unknown/1", "/unknown/1000"]);
});

test("refuses invalid and ignores undefined values in process", async () => {
  expect(() => sandbox.control.advanceClock({})).toThrow(HttpError);
  const account_id = await euros();
  const { transaction_id } = sandbox.control.payIn({ account_id, amount: "1", reference: undefined });
  expect(await client.transactions.get({ account_id, transaction_id })).toMatchObject({
    transaction_reference: "PAY-IN",
  });
  sandbox.control.addFault({ operation: "trades.list", kind: "reset-after", times: undefined });
  expect(sandbox.control.listFaults()).toHaveLength(1);
});

const advance = (headers: Record<string, string>) =>
  ask(sandbox, "/_sandbox/clock/advance", {
    method: "POST",
    body: JSON.stringify({ seconds: 1 }),
    headers: { "content-type": "application/json", ...headers },
  });

test("is accessible to its own page, under its own name, only", async () => {
  for (const origin of ["https://evil.example", "null"])
    expect(await advance({ origin })).toMatchObject({ status: 403 });
  expect(sandbox.control.getClock()).toEqual({ now: now.toISOString() });
  const { port } = new URL(sandbox.baseUrl);
  const status = await new Promise((resolve) => {
    const headers = { host: `evil.example:${port}` };
    get({ host: "127.0.0.1", port, path: "/_sandbox/requests", headers }, (response) =>
      resolve(response.resume().statusCode),
    );
  });
  expect(status).toBe(403);
  const own = await advance({ origin: sandbox.baseUrl });
  expect([own.status, own.headers.get("x-fxdesk-extension")]).toEqual([200, "true"]);
});

test("the documentation lists every control and no others", async () => {
  const guide = await readFile(join(__dirname, "../../../docs/sandbox.md"), "utf8");
  const [, section = ""] = /^## Controls$(.*?)^## /ms.exec(guide) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (.*?) *\| `(.*?)` *\|$/gm)].map(([, ...cells]) => cells);
  expect(rows).toEqual(
    controls.map(({ name, summary, method, path }) => [
      name.replace("sandbox.", ""),
      summary,
      `${method} ${path}`,
    ]),
  );
});
