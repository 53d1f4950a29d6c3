/**
 * Validates the open-banking responses against the published document of the standard (OpenAPI 3.0, version 1.3.12) at
 * the path in PSD2_OPENAPI; skipped without it. The check is strict: undocumented fields and codes fail.
 */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Declaration, operations, type Values } from "@fxdesk/toolkit/operations";
import { type Sandbox } from "@fxdesk/sandbox";
import { assertConforms } from "../../support/conformance";
import { standardResponses, standardPaths } from "../../support/open-banking-standard";
import { operationNamed } from "../../support/operations";
import { sampleInput, sandboxClient } from "../../support/samples";
import { pain001 } from "../open-banking/documents";
import { ask, callOperation, type PlainResponse } from "../support/http";
import { forkSandbox } from "../support/forks";

const file = process.env.PSD2_OPENAPI;
const describeStandard = file ? describe : describe.skip;
const standard = file ? standardResponses(file) : undefined;

const declared: readonly Declaration[] = operations.filter(({ server }) => server === "xs2a");

/** A Monday. */
const now = new Date("2026-03-02T09:00:00Z");
const day = 24 * 60 * 60_000;

let sandbox: Sandbox;
let client: FxdeskClient;
beforeEach(async () => {
  sandbox = await forkSandbox({ now });
  client = sandboxClient(sandbox);
});
afterEach(async () => {
  await client.close();
  await sandbox.close();
});

/** Observed statuses and media types by operation. */
const seen = new Map<string, Set<string>>();

function recordStatus(name: string, { status, headers }: PlainResponse): void {
  const type = headers.get("content-type")?.split(";")[0]!.replace("application/", "");
  const responses = seen.get(name) ?? new Set();
  seen.set(name, responses.add(type === undefined ? `${status}` : `${status} ${type}`));
}

/** Returns the standard's path of a call, by the kind of authorisation. */
const pathOf = (operation: Declaration, values: Values) =>
  standardPaths(operation).find((path) => path.includes(`/${String(values["payment-authorisation"])}`)) ??
  standardPaths(operation)[0]!;

const isProblem = ({ headers }: PlainResponse) =>
  headers.get("content-type")?.startsWith("application/problem+json") === true;

/** Calls an operation and validates the response against the standard and the contract. */
async function callChecked(
  name: string,
  values: Values,
  headers: Readonly<Record<string, string>> = {},
): Promise<PlainResponse> {
  const operation = operationNamed(name);
  const response = await callOperation(
    (path, request) => ask(sandbox, path, request),
    operation,
    values,
    headers,
  );
  const place = { method: operation.method, path: pathOf(operation, values) };
  const { status, text } = response;
  expect({ name, status, text, violations: standard!.violations(place, response) }).toMatchObject({
    violations: [],
  });
  if (!isProblem(response)) assertConforms(operation, response);
  return response;
}

/** Calls an operation and asserts the status. */
async function expectStatus(
  status: number,
  name: string,
  values: Values,
  headers?: Readonly<Record<string, string>>,
): Promise<PlainResponse> {
  const response = await callChecked(name, values, headers);
  recordStatus(name, response);
  expect({ name, ...response }).toMatchObject({ status });
  return response;
}

/** Returns the JSON body of a response, or an empty object. */
async function bodyOf(...call: Parameters<typeof expectStatus>): Promise<Body> {
  const { text } = await expectStatus(...call);
  return JSON.parse(text || "{}") as Body;
}

interface Body {
  readonly consentId: string;
  readonly consentStatus: string;
  readonly paymentId: string;
  readonly transactionStatus: string;
  readonly authorisationId: string;
  readonly authorisationIds: readonly string[];
  readonly scaStatus: string;
  readonly accounts: readonly {
    readonly resourceId: string;
    readonly currency: string;
    readonly iban?: string;
  }[];
  readonly transactions: { readonly booked: readonly { readonly entryReference: string }[] };
  readonly _links: Readonly<Record<string, { readonly href: string }>>;
}

const decide = ({ _links }: Body, decision: "approve" | "refuse") =>
  sandbox.control.decideAuthorisation({
    authorisation_id: _links.scaRedirect!.href.split("/").at(-1)!,
    decision,
  });

const sampleViolations = { accept: "application/problem+json" };
const explicit = { "TPP-Explicit-Authorisation-Preferred": true };

async function demoIban(currency = "EUR"): Promise<string> {
  const [account] = await client.accounts.list({ currencies: currency });
  return account!.account_details!.find(({ account_number_type: type }) => type === "IBAN")!.account_number!;
}

describeStandard(`answers and the standard at PSD2_OPENAPI${file ? "" : " (not set: left out)"}`, () => {
  const consentTerms = {
    recurringIndicator: true,
    validUntil: "2026-06-30",
    frequencyPerDay: 4,
    combinedServiceIndicator: false,
  };

  type Access = (iban: string) => Values;
  const accesses: readonly (readonly [message: string, access: Access, opens: string])[] = [
    ["no account named", () => ({ accounts: [], balances: [], transactions: [] }), "everything"],
    ["accounts only", () => ({ accounts: [] }), "accounts"],
    [
      "one account named",
      (iban) => ({ balances: [{ iban }], transactions: [{ iban, currency: "EUR" }] }),
      "everything",
    ],
    ["owner names", () => ({ accounts: [], additionalInformation: { ownerName: [] } }), "accounts"],
    ["every account", () => ({ availableAccounts: "allAccounts" }), "accounts"],
    ["every account with balances", () => ({ availableAccountsWithBalance: "allAccounts" }), "balances"],
    ["everything", () => ({ allPsd2: "allAccounts" }), "everything"],
    ["everything with owner names", () => ({ allPsd2: "allAccountsWithOwnerName" }), "everything"],
  ];

  test.each(accesses)("completes a consent to %s", async (_description, access, opens) => {
    const created = await bodyOf(201, "consents.create", {
      ...consentTerms,
      access: access(await demoIban()),
    });
    const consent = { "consent-id": created.consentId };
    const { authorisationIds } = await bodyOf(200, "consents.listAuthorisations", consent);
    const authorisation = { ...consent, "authorisation-id": authorisationIds[0] };
    const states = async () => [
      (await bodyOf(200, "consents.get", consent)).consentStatus,
      (await bodyOf(200, "consents.getStatus", consent)).consentStatus,
      (await bodyOf(200, "consents.getAuthorisation", authorisation)).scaStatus,
    ];
    expect(await states()).toEqual(["received", "received", "received"]);
    decide(created, "approve");
    expect(await states()).toEqual(["valid", "valid", "finalised"]);

    const given = { "Consent-ID": created.consentId };
    await bodyOf(200, "openBanking.listAccounts", given);
    const { accounts } = await bodyOf(200, "openBanking.listAccounts", { ...given, withBalance: true });
    const account = { ...given, "account-id": accounts[0]!.resourceId };
    await bodyOf(200, "openBanking.getAccount", account);
    await bodyOf(200, "openBanking.getAccount", { ...account, withBalance: true });
    await bodyOf(opens === "accounts" ? 401 : 200, "openBanking.listBalances", account);
    const booked = { ...account, bookingStatus: "booked", dateFrom: "2026-01-01" };
    await bodyOf(opens === "everything" ? 200 : 401, "openBanking.listTransactions", booked);

    await bodyOf(204, "consents.delete", consent);
    expect(await states()).toEqual(["terminatedByTpp", "terminatedByTpp", "finalised"]);
    await bodyOf(401, "openBanking.listAccounts", given);
  });

  async function validConsent(terms: Values = {}): Promise<{ readonly "Consent-ID": string }> {
    const access = { allPsd2: "allAccounts" };
    const created = await bodyOf(201, "consents.create", { access, ...consentTerms, ...terms });
    decide(created, "approve");
    return { "Consent-ID": created.consentId };
  }

  async function consentedAccount(currency = "EUR") {
    const given = await validConsent();
    const { accounts } = await bodyOf(200, "openBanking.listAccounts", given);
    return { ...given, "account-id": accounts.find((account) => account.currency === currency)!.resourceId };
  }

  test("refuses an explicitly started authorisation of a consent", async () => {
    const access = { allPsd2: "allAccounts" };
    const created = await bodyOf(201, "consents.create", { ...consentTerms, access, ...explicit });
    const consent = { "consent-id": created.consentId };
    expect(created._links).toHaveProperty("startAuthorisation");
    expect((await bodyOf(200, "consents.listAuthorisations", consent)).authorisationIds).toEqual([]);
    const started = await bodyOf(201, "consents.startAuthorisation", consent);
    await bodyOf(409, "consents.startAuthorisation", consent);
    await bodyOf(409, "consents.startAuthorisation", consent, sampleViolations);
    decide(started, "refuse");
    expect((await bodyOf(200, "consents.get", consent)).consentStatus).toBe("rejected");
    const authorisation = { ...consent, "authorisation-id": started.authorisationId };
    expect((await bodyOf(200, "consents.getAuthorisation", authorisation)).scaStatus).toBe("failed");
    await bodyOf(401, "openBanking.listAccounts", { "Consent-ID": created.consentId });
  });

  test.each(["booked", "pending", "both", "information", "all"])(
    "transactions: %s",
    async (bookingStatus) => {
      const account = await consentedAccount();
      const iban = await demoIban();
      for (const more of [{}, { startDate: "2026-03-10", frequency: "Monthly", dayOfExecution: "10" }]) {
        const service = "startDate" in more ? "periodic-payments" : "payments";
        decide(
          await bodyOf(201, "payments.initiate", { ...single(iban), "payment-service": service, ...more }),
          "approve",
        );
      }
      const listing = { ...account, bookingStatus, dateFrom: "2026-01-01", withBalance: true };
      const { transactions } = await bodyOf(200, "openBanking.listTransactions", listing);
      const last = transactions.booked?.at(-1)?.entryReference;
      if (last) {
        const after = { ...account, bookingStatus, entryReferenceFrom: last };
        await bodyOf(200, "openBanking.listTransactions", after);
      }
      await bodyOf(200, "openBanking.listTransactions", { ...account, bookingStatus, deltaList: true });
    },
  );

  const sepa = { "payment-product": "sepa-credit-transfers" };
  const creditor = {
    creditorAccount: { iban: "FR6400000000000000012345697" },
    creditorName: "Ferme Duval SARL",
    remittanceInformationUnstructured: "PO-20418",
    endToEndIdentification: "E2E-1",
  };
  const amount = (euros: string) => ({ instructedAmount: { currency: "EUR", amount: euros } });
  const single = (iban: string, euros = "125.50") => ({
    "payment-service": "payments",
    ...sepa,
    debtorAccount: { iban },
    ...amount(euros),
    ...creditor,
  });
  const bulk = (iban: string, ...euros: readonly string[]) => ({
    "payment-service": "bulk-payments",
    ...sepa,
    debtorAccount: { iban },
    batchBookingPreferred: true,
    payments: euros.map((each) => ({ ...amount(each), ...creditor })),
  });
  const periodic = (iban: string) => ({
    ...single(iban),
    "payment-service": "periodic-payments",
    startDate: "2026-03-05",
    frequency: "Weekly",
    endDate: "2026-03-20",
  });

  const services: readonly (readonly [service: string, payment: (iban: string) => Values])[] = [
    ["payments", (iban) => single(iban)],
    ["bulk-payments", (iban) => bulk(iban, "10", "20.50")],
    ["periodic-payments", periodic],
  ];
  const readers: Readonly<Record<string, string>> = {
    payments: "payments.get",
    "bulk-payments": "payments.getBulk",
  };

  /** Reads the payment's status and, if the contract allows, the payment. */
  async function statusOf(payment: Values): Promise<string> {
    const reader = readers[String(payment["payment-service"])];
    const { transactionStatus } = await bodyOf(200, "payments.getStatus", payment);
    if (reader) expect((await bodyOf(200, reader, payment)).transactionStatus).toBe(transactionStatus);
    return transactionStatus;
  }

  const named = (service: string, { paymentId }: Body) => ({
    "payment-service": service,
    ...sepa,
    paymentId,
  });

  test.each(services)("pays one of %s after authorisation", async (service, terms) => {
    const created = await bodyOf(201, "payments.initiate", terms(await demoIban()));
    const payment = named(service, created);
    const authorisations = { ...payment, "payment-authorisation": "authorisations" };
    expect(await statusOf(payment)).toBe("RCVD");
    decide(created, "approve");
    expect(await statusOf(payment)).toBe("ACTC");
    const { authorisationIds } = await bodyOf(200, "payments.listAuthorisations", authorisations);
    const authorisation = { ...authorisations, "authorisation-id": authorisationIds[0] };
    expect((await bodyOf(200, "payments.getAuthorisation", authorisation)).scaStatus).toBe("finalised");
    sandbox.advance(2_000);
    await statusOf(payment);
    sandbox.advance(30 * day);
    expect(await statusOf(payment)).toBe("ACSC");
    await bodyOf(405, "payments.cancel", payment);
    await bodyOf(405, "payments.cancel", payment, sampleViolations);
  });

  test.each(services)("refuses an explicitly started authorisation of one of %s", async (service, terms) => {
    const created = await bodyOf(201, "payments.initiate", { ...terms(await demoIban()), ...explicit });
    const authorisations = { ...named(service, created), "payment-authorisation": "authorisations" };
    const started = await bodyOf(201, "payments.startAuthorisation", authorisations);
    await bodyOf(409, "payments.startAuthorisation", authorisations);
    await bodyOf(409, "payments.startAuthorisation", authorisations, sampleViolations);
    decide(started, "refuse");
    expect(await statusOf(named(service, created))).toBe("RJCT");
  });

  test.each(services)("cancels one of %s before and after authorisation", async (service, terms) => {
    const early = await bodyOf(201, "payments.initiate", terms(await demoIban()));
    await bodyOf(204, "payments.cancel", named(service, early));
    expect(await statusOf(named(service, early))).toBe("CANC");

    const late = await bodyOf(201, "payments.initiate", terms(await demoIban()));
    decide(late, "approve");
    const payment = named(service, late);
    expect((await bodyOf(202, "payments.cancel", payment)).transactionStatus).toBe("ACTC");
    const cancellation = { ...payment, "payment-authorisation": "cancellation-authorisations" };
    const started = await bodyOf(201, "payments.startAuthorisation", cancellation);
    const { authorisationIds } = await bodyOf(200, "payments.listAuthorisations", cancellation);
    const authorisation = { ...cancellation, "authorisation-id": authorisationIds[0] };
    expect((await bodyOf(200, "payments.getAuthorisation", authorisation)).scaStatus).toBe("received");
    decide(started, "approve");
    expect((await bodyOf(200, "payments.getAuthorisation", authorisation)).scaStatus).toBe("finalised");
    expect(await statusOf(payment)).toBe("CANC");
  });

  const badToken = { authorization: "Bearer nobody" };

  test.each(declared.map(({ name }) => name))("%s refuses generally invalid calls", async (name) => {
    const input = await sampleInput(name, client);
    for (const accept of [{}, sampleViolations]) {
      await bodyOf(400, name, { ...input, "X-Request-ID": "no UUID" }, accept);
      await bodyOf(401, name, input, { ...badToken, ...accept });
    }
  });

  test.each(declared.filter(({ body }) => body).map(({ name }) => name))(
    "%s refuses another media type",
    async (name) => {
      await bodyOf(415, name, await sampleInput(name, client), { "content-type": "text/csv" });
    },
  );

  const nowhere = "00000000-0000-4000-8000-000000000000";
  const noPayment = { paymentId: nowhere };
  const noConsent = { "consent-id": nowhere };
  const noAuthorisation = { "authorisation-id": nowhere };
  const refusals: readonly (readonly [name: string, message: string, status: number, values: Values])[] = [
    ["payments.getStatus", "an unknown payment", 403, noPayment],
    ["payments.startAuthorisation", "an unknown payment", 403, noPayment],
    ["payments.listAuthorisations", "an unknown payment", 403, noPayment],
    ["payments.cancel", "an unknown payment", 403, noPayment],
    ["payments.getAuthorisation", "an unknown authorisation", 403, noAuthorisation],
    ["payments.get", "an unknown payment", 403, noPayment],
    ["payments.getBulk", "an unknown payment", 403, noPayment],
    ["payments.initiate", "dollars", 400, { instructedAmount: { currency: "USD", amount: "1" } }],
    ["payments.initiate", "an account number that is none", 400, { creditorAccount: { iban: "DE00123" } }],
    ["payments.initiate", "no amount at all", 400, { instructedAmount: { currency: "EUR", amount: "0" } }],
    [
      "payments.initiate",
      "an account of another client",
      400,
      { debtorAccount: { iban: "DE75512108001245126199" } },
    ],
    ["payments.initiate", "no IBAN", 403, { creditorAccount: { bban: "12345" } }],
    ["payments.initiate", "a day long past", 400, { requestedExecutionDate: "2020-01-01" }],
    [
      "payments.initiateBulk",
      "an account of another client",
      400,
      { debtorAccount: { iban: "DE75512108001245126199" } },
    ],
    ["payments.initiateBulk", "a day long past", 400, { requestedExecutionDate: "2020-01-01" }],
    [
      "payments.initiateBulk",
      "no IBAN",
      403,
      { payments: [{ ...amount("1"), ...creditor, creditorAccount: { bban: "12345" } }] },
    ],
    ["consents.create", "an access to nothing", 400, { access: {} }],
    ["consents.create", "two kinds of access", 400, { access: { allPsd2: "allAccounts", accounts: [] } }],
    [
      "consents.create",
      "an account of another client",
      400,
      { access: { accounts: [{ iban: "DE75512108001245126199" }] } },
    ],
    ["consents.create", "a day long past", 400, { validUntil: "2020-01-01" }],
    ["consents.create", "too high a frequency", 400, { frequencyPerDay: 5 }],
    ["consents.get", "an unknown consent", 403, noConsent],
    ["consents.delete", "an unknown consent", 403, noConsent],
    ["consents.getStatus", "an unknown consent", 403, noConsent],
    ["consents.startAuthorisation", "an unknown consent", 403, noConsent],
    ["consents.listAuthorisations", "an unknown consent", 403, noConsent],
    ["consents.getAuthorisation", "an unknown authorisation", 403, noAuthorisation],
    ["openBanking.listAccounts", "an unknown consent", 400, { "Consent-ID": nowhere }],
    ["openBanking.getAccount", "an unknown account", 404, { "account-id": nowhere }],
    ["openBanking.listBalances", "an unknown account", 404, { "account-id": nowhere }],
    ["openBanking.listTransactions", "an unknown account", 404, { "account-id": nowhere }],
    [
      "openBanking.listTransactions",
      "an unknown entry",
      400,
      { dateFrom: undefined, entryReferenceFrom: "nothing" },
    ],
  ];

  test.each(refusals)("%s refuses %s with %i", async (name, _description, status, more) => {
    const values = { ...(await sampleInput(name, client)), ...more };
    await bodyOf(status, name, values);
    await bodyOf(status, name, values, sampleViolations);
  });

  test.each(["application/xml", "text/plain"])("transactions as %s", async (type) => {
    const account = { ...(await consentedAccount()), bookingStatus: "booked", dateFrom: "2026-01-01" };
    const response = await expectStatus(200, "openBanking.listTransactions", account, { accept: type });
    expect(response.headers.get("content-type")).toContain(type);
  });

  const orders: Readonly<Record<string, Values>> = {
    payments: {},
    "bulk-payments": {},
    "periodic-payments": { startDate: "2026-03-05", frequency: "Weekly" },
  };

  test.each(Object.entries(orders))("one of %s in XML", async (service, order) => {
    const inXml = { "payment-service": service, "payment-product": "pain.001-sepa-credit-transfers" };
    const document = pain001({ debtor: await demoIban() });
    const { paymentId } = await bodyOf(201, "payments.initiate", { ...inXml, ...order, pain001: document });
    for (const name of ["payments.getStatus", readers[service] ?? "payments.getStatus"]) {
      const { text } = await expectStatus(200, name, { ...inXml, paymentId }, { accept: "application/xml" });
      expect(text).toContain("<Document");
      await expectStatus(406, name, { ...inXml, paymentId }, { accept: "text/plain" });
    }
  });

  test.each(declared.map((operation) => [operation.name, operation] as const))(
    "%s responds with each forced status",
    async (name, operation) => {
      const input = await sampleInput(name, client);
      for (const status of Object.keys(operation.errors).map(Number)) {
        sandbox.force(name, status);
        expect((await callChecked(name, input)).status).toBe(status);
      }
      sandbox.control.addFault({ operation: name, kind: "throttle", retry_after: 3 });
      expect((await callChecked(name, input)).status).toBe(429);
    },
  );
});
