/** Tests headers, error bodies, routes and the approval page over HTTP. */
import {
  type Bank,
  consentTerms,
  decide,
  euroAccount,
  openBank,
  person,
  single,
  transfer,
  validConsent,
} from "./bank";
import { pain001, post } from "./documents";
import { newRequestId } from "../../support/request-id";

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(bank.sandbox.xs2aUrl + path, { headers: { "X-Request-ID": newRequestId(), ...headers } });

describe("X-Request-ID", () => {
  test.each(["/v1/consents/nothing", "/v1/nothing"])("is echoed in the response of %s", async (path) => {
    const id = newRequestId();
    const { headers } = await get(path, { "X-Request-ID": id });
    expect(headers.get("x-request-id")).toBe(id);
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

describe("an unknown body field", () => {
  const payment = async () => ({
    debtorAccount: { iban: (await euroAccount(bank)).iban },
    ...transfer("1"),
  });
  const bulk = async () => {
    const { debtorAccount, ...one } = await payment();
    return { debtorAccount, payments: [one] };
  };
  const order = { startDate: "2026-03-07", frequency: "Monthly" };
  const sepa = "sepa-credit-transfers";

  test.each([
    ["payments", payment, { requestedExecutionDat: "2026-03-05" }, "requestedExecutionDat"],
    ["payments", payment, { "X-Request-ID": "1" }, "body.X-Request-ID"],
    ["payments", payment, { pain001: "<Document/>" }, "body.pain001"],
    ["payments", payment, { endDate: "2026-03-05" }, "startDate, frequency, endDate"],
    ["periodic-payments", payment, { ...order, evryMonth: true }, "evryMonth"],
  ])("is refused and named: %s", async (service, terms, more, message) => {
    const body = JSON.stringify({ ...(await terms()), ...more });
    const response = await post(bank, `/v1/${service}/${sepa}?more=1`, "application/json", body);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { tppMessages: [{ code: "FORMAT_ERROR", text: expect.stringContaining(message) as string }] },
    ]);
  });

  test("is named in a separate message with its path", async () => {
    const body = JSON.stringify({ ...(await bulk()), ...order });
    const response = await post(bank, `/v1/bulk-payments/${sepa}`, "application/json", body);
    expect(await response.json()).toEqual({
      tppMessages: ["startDate", "frequency"].map((path) => ({
        category: "ERROR",
        code: "FORMAT_ERROR",
        path,
        text: `${path} is not a known field.`,
      })),
    });
  });

  test("is ignored in the query", async () => {
    const path = `/v1/payments/${sepa}?requestedExecutionDat=1`;
    expect((await post(bank, path, "application/json", JSON.stringify(await payment()))).status).toBe(201);
  });
});

test("formats errors as tppMessages or problem+json", async () => {
  const tpp = await get("/v1/consents/nothing", { Accept: "application/json" });
  expect(tpp.headers.get("content-type")).toContain("application/json");
  expect(await tpp.json()).toEqual({
    tppMessages: [{ category: "ERROR", code: "CONSENT_UNKNOWN", text: "Consent not found. nothing" }],
  });
  const violation = await get("/v1/consents/nothing", { Accept: "application/problem+json" });
  expect(violation.headers.get("content-type")).toContain("application/problem+json");
  expect(await violation.json()).toEqual({
    type: "urn:tpp-message:CONSENT_UNKNOWN",
    code: "CONSENT_UNKNOWN",
    title: "Consent not found.",
    detail: "Consent not found. nothing",
  });
});

test.each([
  ["application/problem+json", true],
  ["application/problem+json, application/json", true],
  ["application/json;q=0.5, application/problem+json", true],
  ["application/json, application/problem+json;q=0.5", false],
  ["application/json, application/problem+json;q=0", false],
  ["application/problem+jsonish", false],
  ["*/*", false],
  ["text/html", false],
])("uses problem+json for Accept %s: %s", async (accept, isProblem) => {
  const { headers } = await get("/v1/consents/nothing", { Accept: accept });
  expect(headers.get("content-type")!.startsWith("application/problem+json")).toBe(isProblem);
});

describe("content negotiation", () => {
  let headers: Record<string, string>;
  let paths: Record<string, string>;
  beforeAll(async () => {
    const { resourceId, iban } = await euroAccount(bank);
    const consentId = await validConsent(bank);
    const { paymentId } = await bank.client.payments.initiate({
      "payment-service": "payments",
      "payment-product": "pain.001-sepa-credit-transfers",
      pain001: pain001({ debtor: iban }),
    });
    const month = "bookingStatus=booked&dateFrom=2026-02-01";
    headers = { "Consent-ID": consentId, ...person };
    paths = {
      consent: `/v1/consents/${consentId}`,
      accounts: "/v1/accounts",
      transactions: `/v1/accounts/${resourceId}/transactions?${month}`,
      status: `/v1/payments/pain.001-sepa-credit-transfers/${paymentId}/status`,
    };
  });
  const kinds = ["consent", "accounts", "transactions", "status"];
  const responseFor = async (kind: string, accept: string) => {
    const response = await get(paths[kind]!, { ...headers, Accept: accept });
    return [response.status, response.headers.get("content-type")];
  };
  const json = "application/json; charset=utf-8";

  test.each(kinds)("%s: accepts wildcards and problem+json, refuses other media types", async (kind) => {
    for (const accept of ["application/problem+json", "text/html, */*;q=0.1"])
      expect(await responseFor(kind, accept)).toEqual([200, json]);
    for (const accept of ["text/html", "application/json;q=0"])
      expect((await responseFor(kind, accept))[0]).toBe(406);
  });

  test("changes nothing on refusal", async () => {
    const countBefore = bank.sandbox.control.listAuthorisations().length;
    const terms = JSON.stringify(consentTerms);
    const response = await post(bank, "/v1/consents", "application/json", terms, { accept: "text/html" });
    expect(response.status).toBe(406);
    expect(bank.sandbox.control.listAuthorisations()).toHaveLength(countBefore);
  });

  test("ignores Accept for responses without a body", async () => {
    const { consentId } = await bank.client.consents.create(consentTerms);
    const response = await fetch(`${bank.sandbox.xs2aUrl}/v1/consents/${consentId}`, {
      method: "DELETE",
      headers: { "X-Request-ID": newRequestId(), accept: "text/html" },
    });
    expect(response.status).toBe(204);
  });
});

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
  test("shows the terms and starts the authorisation", async () => {
    const { consentId, link } = await ask();
    expect(await scaStatusOf(consentId)).toBe("received");
    const html = await (await fetch(link.href!)).text();
    expect(html).toContain("Access to account information");
    expect(html).toContain("up to 4 times a day");
    expect(await scaStatusOf(consentId)).toBe("started");
  });

  test("redirects to the URI for the decision", async () => {
    const yes = await decide((await ask(returning)).link, "approve");
    expect([yes.status, yes.headers.get("location")]).toEqual([303, "https://desk.example/done?state=1"]);
    const no = await decide((await ask(returning)).link, "refuse");
    expect(no.headers.get("location")).toBe("https://desk.example/refused");
  });

  test("shows the outcome without a redirect URI", async () => {
    const response = await decide((await ask()).link, "approve");
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Approved.")]);
  });

  test("accepts one decision", async () => {
    const { consentId, link } = await ask();
    expect((await decide(link, "perhaps")).status).toBe(400);
    await decide(link, "refuse");
    expect((await decide(link, "approve")).status).toBe(409);
    expect(await scaStatusOf(consentId)).toBe("failed");
  });

  test("escapes the caller's text", async () => {
    const { _links } = await bank.client.payments.initiate({
      ...single,
      debtorAccount: { iban: (await euroAccount(bank)).iban },
      ...transfer("1"),
      creditorName: "<script>alert(1)</script> & Sons",
    });
    const html = await (await fetch(_links.scaRedirect!.href!)).text();
    expect(html).not.toContain("<script>");
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt; &amp; Sons");
  });

  test("refuses a decision from another origin", async () => {
    const { consentId, link } = await ask();
    const decided = (origin: string) =>
      fetch(link.href!, {
        method: "POST",
        body: new URLSearchParams({ decision: "approve" }),
        headers: { origin },
      });
    for (const origin of ["https://evil.example", "null"]) {
      const response = await decided(origin);
      expect([response.status, await response.text()]).toEqual([
        403,
        expect.stringContaining("another web page"),
      ]);
    }
    expect(await scaStatusOf(consentId)).toBe("received");
    expect((await decided(new URL(link.href!).origin)).status).toBe(200);
    expect(await scaStatusOf(consentId)).toBe("finalised");
  });
});
