/** Headers, error bodies, routes and the page, as they are on the wire. */
import { randomUUID } from "node:crypto";
import { type Bank, consentTerms, decide, openBank, validConsent } from "./bank";

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(bank.sandbox.xs2aUrl + path, { headers: { "X-Request-ID": randomUUID(), ...headers } });

describe("X-Request-ID", () => {
  test.each(["/v1/consents/nothing", "/v1/nothing"])("is repeated in the answer of %s", async (path) => {
    const id = randomUUID();
    const { headers } = await get(path, { "X-Request-ID": id });
    expect(headers.get("x-request-id")).toBe(id);
  });

  test("is repeated to the client", async () => {
    const requestId = randomUUID();
    const reply = await bank.client.consents.create.reply(consentTerms, { requestId });
    expect(reply.requestId).toBe(requestId);
  });

  test("is required", async () => {
    const response = await fetch(`${bank.sandbox.xs2aUrl}/v1/consents/nothing`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      tppMessages: [
        { category: "ERROR", code: "FORMAT_ERROR", text: expect.stringContaining("X-Request-ID") },
      ],
    });
  });
});

test("errors are tppMessages, or a problem for who accepts one", async () => {
  const tpp = await get("/v1/consents/nothing", { Accept: "application/json" });
  expect(tpp.headers.get("content-type")).toContain("application/json");
  expect(await tpp.json()).toEqual({
    tppMessages: [{ category: "ERROR", code: "CONSENT_UNKNOWN", text: "There is no such consent. nothing" }],
  });
  const problem = await get("/v1/consents/nothing", { Accept: "application/problem+json" });
  expect(problem.headers.get("content-type")).toContain("application/problem+json");
  expect(await problem.json()).toEqual({
    type: "urn:tpp-message:CONSENT_UNKNOWN",
    code: "CONSENT_UNKNOWN",
    title: "There is no such consent.",
    detail: "There is no such consent. nothing",
  });
});

test("transactions come in JSON only", async () => {
  const consentId = await validConsent(bank);
  const { accounts } = await bank.client.openBanking.listAccounts({ "Consent-ID": consentId });
  const path = `/v1/accounts/${accounts[0]!.resourceId}/transactions?bookingStatus=information`;
  const asked = async (accept: string) =>
    (await get(path, { "Consent-ID": consentId, "PSU-IP-Address": "192.0.2.7", Accept: accept })).status;
  expect(await asked("text/plain")).toBe(406);
  expect(await asked("application/xml;q=1, application/pdf")).toBe(406);
  expect(await asked("application/xml, application/*;q=0.5")).toBe(200);
});

test.each(["/v1/loans/sepa-credit-transfers/p1/status", "/v1/payments/cheques/p1/status"])(
  "there is nothing at %s",
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

const returning = {
  "TPP-Redirect-URI": "https://desk.example/done?state=1",
  "TPP-Nok-Redirect-URI": "https://desk.example/refused",
};
const ask = async (more: object = {}) => {
  const { consentId, _links } = await bank.client.consents.create({ ...consentTerms, ...more });
  return { consentId, link: _links.scaRedirect! };
};
const scaStatusOf = async (consentId: string) => {
  const path = { "consent-id": consentId };
  const { authorisationIds } = await bank.client.consents.listAuthorisations(path);
  const { scaStatus } = await bank.client.consents.getAuthorisation({
    ...path,
    "authorisation-id": authorisationIds[0]!,
  });
  return scaStatus;
};

describe("the page of an authorisation", () => {
  test("says what is asked, and begins the authorisation when it is opened", async () => {
    const { consentId, link } = await ask();
    expect(await scaStatusOf(consentId)).toBe("received");
    const html = await (await fetch(link.href!)).text();
    expect(html).toContain("Access to account information");
    expect(html).toContain("up to 4 times a day");
    expect(await scaStatusOf(consentId)).toBe("started");
  });

  test("leads back to where the caller wants, by the answer", async () => {
    const yes = await decide((await ask(returning)).link, "approve");
    expect([yes.status, yes.headers.get("location")]).toEqual([303, "https://desk.example/done?state=1"]);
    const no = await decide((await ask(returning)).link, "refuse");
    expect(no.headers.get("location")).toBe("https://desk.example/refused");
  });

  test("says so where there is nowhere to go back to", async () => {
    const response = await decide((await ask()).link, "approve");
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Approved.")]);
  });

  test("takes one answer", async () => {
    const { consentId, link } = await ask();
    expect((await decide(link, "perhaps")).status).toBe(400);
    await decide(link, "refuse");
    expect((await decide(link, "approve")).status).toBe(409);
    expect(await scaStatusOf(consentId)).toBe("failed");
  });

  test("shows the caller's words as words", async () => {
    const { iban } = (await bank.client.accounts.getFunding({ currency: "EUR" })) as { iban: string };
    const { _links } = await bank.client.payments.initiate({
      "payment-service": "payments",
      "payment-product": "sepa-credit-transfers",
      debtorAccount: { iban },
      instructedAmount: { currency: "EUR", amount: "1" },
      creditorAccount: { iban: "NL13TEST0123456789" },
      creditorName: "<script>alert(1)</script> & Sons",
    });
    const html = await (await fetch(_links.scaRedirect!.href!)).text();
    expect(html).not.toContain("<script>");
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt; &amp; Sons");
  });

  test("is not there for anything else", async () => {
    const response = await fetch(`${bank.sandbox.xs2aUrl}/sca/nothing`);
    expect(response.status).toBe(404);
  });
});
