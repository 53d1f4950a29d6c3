/** Procedures that wait for a person or the service: consents, payments, accounts. */
import type { Sandbox } from "@fxdesk/sandbox";
import type { FxdeskClient, Interceptor, Progress } from "../../../core";
import type { z } from "zod";
import { approve, makeQuote, sampleInput } from "../../support/samples";
import { openClient, openSandboxAndClient } from "../../support/sandboxes";

let sandbox: Sandbox;
let client: FxdeskClient;

/** Hooks that run before some calls of an operation, by call number. */
type Events = Readonly<Record<number, () => unknown>>;

/** A client with hooks for some of its calls. */
function clientWith(operation: string, events: Events): FxdeskClient {
  let calls = 0;
  const link: Interceptor = async (call, next) => {
    if (call.operation.name === operation) await events[++calls]?.();
    return next();
  };
  return openClient(sandbox, { interceptors: [link] });
}

const countPostsSince = (count: number, path: string) =>
  sandbox.requests.slice(count).filter(({ method, url }) => method === "POST" && url.includes(path)).length;

beforeAll(async () => ({ sandbox, client } = await openSandboxAndClient()));

test("the default wait is shorter than a minute", () => {
  const waits = client.service.procedures!.flatMap(({ name, input }) =>
    "wait_seconds" in input ? [[name, (input["wait_seconds"] as z.ZodType<number>).parse(undefined)]] : [],
  );
  expect(Object.fromEntries(waits)).toEqual({
    "accountDetails.open": 45,
    "consents.connect": 45,
    "payments.follow": 45,
    "statements.fetch": 45,
  });
});

describe("consents.connect", () => {
  test("returns the link, waits for the person, and returns the valid consent", async () => {
    const steps: Progress[] = [];
    const linkIn = () => /https?:\S+/.exec(steps.at(-1)!.message)![0];
    const waiting: FxdeskClient = clientWith("consents.getStatus", {
      3: () => approve(waiting, { href: linkIn() }),
    });
    const result = await waiting.consents.connect({}, { onProgress: (step) => steps.push(step) });
    expect(result).toMatchObject({ status: "valid", valid: true, consent: { consentStatus: "valid" } });
    expect(result.link).toBeUndefined();
    // The requested 9999-12-31 is later than the service allows.
    expect(result).toMatchObject({
      valid_until: result.consent!.validUntil,
      description: expect.stringMatching(`${result.consent!.validUntil}.*9999-12-31`),
    });
    expect(steps.map(({ done, total }) => [done, total])).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
    ]);
    const { accounts } = await client.openBanking.listAccounts({ "Consent-ID": result.consent_id });
    expect(accounts.length).toBeGreaterThan(0);
  });

  test("continues with consent_id after a timeout without creating a second consent", async () => {
    const before = sandbox.requests.length;
    const first = await client.consents.connect({ wait_seconds: 0 });
    expect(first).toMatchObject({ status: "received", valid: false, link: expect.stringMatching(/^http/) });
    const { consent_id } = first;
    const again = await client.consents.connect({ consent_id, wait_seconds: 0 });
    expect(again).toMatchObject({ consent_id, status: "received", valid: false });
    const resumed = clientWith("consents.getStatus", { 2: () => approve(client, { href: first.link }) });
    const last = await resumed.consents.connect({ consent_id });
    expect(last).toMatchObject({ consent_id, valid: true });
    expect(countPostsSince(before, "/v1/consents")).toBe(1);
  });

  test.each(["EUR", "DE89370400440532013001"])(
    "refuses the account %s before it requests",
    async (account) => {
      const before = sandbox.requests.length;
      await expect(client.consents.connect({ accounts: [account] })).rejects.toMatchObject({
        code: "invalid_input",
        violations: [{ field: "accounts.0" }],
      });
      expect(countPostsSince(before, "/v1/consents")).toBe(0);
    },
  );

  test("reports a refused and an unknown consent", async () => {
    const { consent_id, link } = await client.consents.connect({ wait_seconds: 0, recurring: false });
    await fetch(link!, {
      method: "POST",
      body: new URLSearchParams({ decision: "refuse" }),
      redirect: "manual",
    });
    expect(await client.consents.connect({ consent_id })).toMatchObject({
      status: "rejected",
      valid: false,
      description: "The person refused the consent or did not answer in time.",
    });
    await expect(client.consents.connect({ consent_id: "unknown" })).rejects.toMatchObject({
      outcome: "rejected",
    });
  });

  test("returns the consent ID if a later call fails", async () => {
    sandbox.control.addFault({ operation: "consents.getStatus", kind: "status", status: 401 });
    const { consent_id, link, unread } = await client.consents.connect({});
    expect(unread).toContain("(401)");
    await approve(client, { href: link });
    expect(await client.consents.connect({ consent_id })).toMatchObject({ valid: true });
  });

  test("passes on no link that is not https", async () => {
    const altered = openClient(sandbox, {
      interceptors: [
        async (call, next) => {
          const response = await next();
          const _links = { scaRedirect: { href: "javascript:alert(1)" } };
          return call.operation.name === "consents.create"
            ? { ...response, body: { ...(response.body as object), _links } }
            : response;
        },
      ],
    });
    const messages: string[] = [];
    const result = await altered.consents.connect(
      {},
      { onProgress: ({ message }) => messages.push(message) },
    );
    expect(result).toMatchObject({ status: "received", unread: expect.stringContaining("not https") });
    expect(JSON.stringify([result, messages])).not.toContain("javascript");
  });

  test("stops waiting if the signal is aborted", async () => {
    const stop = new AbortController();
    const stopped = clientWith("consents.getStatus", { 2: () => stop.abort() });
    await expect(stopped.consents.connect({}, { signal: stop.signal })).rejects.toMatchObject({
      code: "aborted",
    });
  });
});

describe("payments.follow", () => {
  const initiated = async () => {
    // Instant payments are executed on any day.
    const product = { "payment-product": "instant-sepa-credit-transfers" } as const;
    const input = { ...(await sampleInput("payments.initiate", client)), ...product };
    const { paymentId, _links } = await client.payments.initiate(input as never);
    return {
      follow: { paymentId, ...product },
      link: _links.scaRedirect!,
    };
  };

  test("follows a payment until it is paid, with all changes", async () => {
    const { follow, link } = await initiated();
    const patient = clientWith("payments.getStatus", {
      2: () => approve(client, link),
      3: () => sandbox.control.advanceClock({ seconds: 2 }),
      4: () => sandbox.control.advanceClock({ seconds: 10 }),
    });
    const { final, description, payments, changes } = await patient.payments.follow(follow);
    expect([final, description]).toEqual([true, "Paid: settled on the debtor's account."]);
    expect(payments).toEqual([{ payment_id: follow.paymentId, status: "ACSC", description, final: true }]);
    expect(changes.map(({ status }) => status)).toEqual(["RCVD", "ACTC", "ACSP", "ACSC"]);
  });

  test("returns the reason for waiting if the status is not final in time", async () => {
    const { follow } = await initiated();
    const { final, description } = await client.payments.follow({ ...follow, wait_seconds: 0 });
    expect([final, description]).toEqual([false, "Received. It waits for the person who must authorise it."]);
  });

  test("follows all payments of a trade", async () => {
    const quote_id = await makeQuote(client);
    const { trade_id } = await client.trades.book({
      quote_id,
      reason: "payment_for_goods",
      reference: "FOLLOW-1",
    });
    const trade = { trade_id: trade_id! };
    expect(await client.payments.follow({ ...trade, wait_seconds: 0 })).toMatchObject({
      final: false,
      description: "The trade has no payment yet.",
      payments: [],
    });
    const usd = sandbox.control
      .listBeneficiaries()
      .find(({ currency }: { readonly currency: string }) => currency === "USD")!;
    sandbox.control.allocatePayment({ ...trade, beneficiary_id: usd.beneficiary_id, amount: "100.00" });
    const { payments, final } = await client.payments.follow({ ...trade, wait_seconds: 0 });
    expect([payments.length, final, payments[0]!.waits_for]).toEqual([1, false, expect.any(String)]);
  });
});

describe("accountDetails.open", () => {
  test("requests once, waits, and returns the confirmed details", async () => {
    const before = sandbox.requests.length;
    const wanted = { country: "CH", currency: "CHF" };
    const first = await client.accountDetails.open({ ...wanted, alias: "Basel", wait_seconds: 0 });
    expect(first).toMatchObject({ status: "pending", requested: true, account_details: { alias: "Basel" } });
    const { account_details_id } = first;
    const patient = clientWith("accountDetails.list", {
      3: () => sandbox.control.advanceClock({ seconds: 60 }),
    });
    const last = await patient.accountDetails.open(wanted);
    expect(last).toMatchObject({ status: "confirmed", requested: false, account_details_id });
    expect(last.account_details!.international).not.toBeNull();
    expect(await client.accountDetails.open(wanted)).toMatchObject({ status: "confirmed", requested: false });
    expect(countPostsSince(before, "/account-details/request")).toBe(1);
  });

  test("reports a failed request, and requests again in the next call", async () => {
    const wanted = { country: "SE", currency: "SEK" };
    const { account_details_id } = await client.accountDetails.open({ ...wanted, wait_seconds: 0 });
    const decide = { account_details_id: account_details_id!, decision: "fail" } as const;
    const patient = clientWith("accountDetails.list", {
      3: () => sandbox.control.decideAccountDetails(decide),
    });
    const failed = await patient.accountDetails.open({ ...wanted, account_details_id });
    expect(failed).toMatchObject({ status: "failed", requested: false, account_details_id });
    const requestedAgain = await client.accountDetails.open({ ...wanted, wait_seconds: 0 });
    expect(requestedAgain).toMatchObject({ status: "pending", requested: true });
    expect(requestedAgain.account_details_id).not.toBe(account_details_id);
  });

  test("refuses unavailable accounts and unknown details", async () => {
    await expect(client.accountDetails.open({ country: "CN", currency: "CNY" })).rejects.toMatchObject({
      code: "conflict",
    });
    const wrong = { country: "CH", currency: "CHF", account_details_id: "none" };
    await expect(client.accountDetails.open(wrong)).rejects.toThrow(
      /account_details_id must be the ID of a dedicated account/,
    );
  });
});
