/** A client of the sandbox, and a valid input for each operation against its demo world. */
import { type ClientOptions, createClient, type FxdeskClient } from "@fxdesk/toolkit";
import type { Values } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox } from "@fxdesk/sandbox";

/** Open-banking base address of each client. */
const xs2aUrls = new WeakMap<FxdeskClient, string>();

/** Returns a client with the credentials of the demo company. */
export function sandboxClient(
  { baseUrl, xs2aUrl }: Pick<Sandbox, "baseUrl" | "xs2aUrl">,
  overrides: Partial<ClientOptions> = {},
): FxdeskClient {
  const { clientId, contactId, accessToken, apiKey } = demo;
  const client = createClient({
    baseUrl,
    xs2aUrl,
    clientId,
    contactId,
    credentials: { accessToken, apiKey },
    // As the variables of tests name it: an address has one environment in a store.
    environment: "sandbox",
    ...overrides,
  });
  xs2aUrls.set(client, xs2aUrl);
  return client;
}

/** Requests a quote; by default it sells 1,000 EUR for USD. */
export async function makeQuote(client: FxdeskClient, body: Values = {}): Promise<string> {
  const { body: quote } = await client.request({
    method: "POST",
    path: "/quotes",
    query: { client_id: demo.clientId },
    body: { amount: 1000, operation: "sell", buy_currency: "USD", sell_currency: "EUR", ...body },
  });
  return (quote as { quote_id: string }).quote_id;
}

type Sample = (client: FxdeskClient) => Values | Promise<Values>;

const iban = (digits: string) => ({ iban: digits });
const creditor = {
  creditorAccount: iban("FR6400000000000000012345697"),
  creditorName: "Ferme Duval SARL",
  remittanceInformationUnstructured: "PO-20418",
};
const instructedAmount = { currency: "EUR", amount: "125.50" };
const redirect = { "TPP-Redirect-URI": "https://app.example/done" };
const sepa = { "payment-product": "sepa-credit-transfers" } as const;
const singlePayment = { "payment-service": "payments", ...sepa } as const;
const authorisations = { "payment-authorisation": "authorisations" } as const;

/** Marks preparing calls as made by a person, so that they do not count towards a limit. */
const attendedBy = { psu: { "PSU-IP-Address": "192.0.2.10" } };

async function account(client: FxdeskClient, currency = "EUR") {
  const [found] = await client.accounts.list({ currencies: currency });
  return found!;
}

const accountId: Sample = async (client) => ({ account_id: (await account(client)).account_id });

async function debtorAccount(client: FxdeskClient) {
  const { account_details: addresses } = await account(client);
  const address = addresses!.find(({ account_number_type: type }) => type === "IBAN");
  return iban(address!.account_number!);
}

/** Returns account details that can become the default or get an alias. */
const dedicated: Sample = async (client) => {
  const found = await client.accountDetails.list({ account_details_type: "dedicated", currency: "EUR" });
  return { account_details_id: found.find(({ status }) => status === "confirmed")!.account_details_id };
};

/** Returns a currency without a dedicated account. */
const unusedCurrency: Sample = async (client) => {
  const taken = new Set((await client.accountDetails.listAll()).map(({ currency }) => currency));
  const candidates = [
    "CHF",
    "AUD",
    "CAD",
    "SGD",
    "HKD",
    "SEK",
    "NOK",
    "DKK",
    "PLN",
    "CZK",
    "HUF",
    "NZD",
    "ZAR",
  ];
  return { currency: candidates.find((currency) => !taken.has(currency)) };
};

async function statement(client: FxdeskClient): Promise<Values> {
  const { account_id } = await account(client);
  const { url } = await client.statements.createFile({
    account_id,
    format: "csv",
    from_value_datetime: "2026-01-01T00:00",
  });
  return { account_id, statement_id: url.split("/").at(-2) };
}

async function newPayment(client: FxdeskClient) {
  return {
    ...singlePayment,
    ...redirect,
    debtorAccount: await debtorAccount(client),
    instructedAmount,
    ...creditor,
  };
}

async function newBulkPayment(client: FxdeskClient) {
  const payments = [{ instructedAmount, ...creditor }];
  return { ...sepa, ...redirect, debtorAccount: await debtorAccount(client), payments };
}

/** Initiates a payment that waits for authorisation, which starts implicitly by default. */
async function payment(client: FxdeskClient, explicit = false) {
  const input = { ...(await newPayment(client)), "TPP-Explicit-Authorisation-Preferred": explicit };
  const { paymentId } = await client.payments.initiate(input);
  return { ...singlePayment, paymentId };
}

async function consent(client: FxdeskClient, explicit = false) {
  return client.consents.create({
    ...redirect,
    "TPP-Explicit-Authorisation-Preferred": explicit,
    access: { accounts: [], balances: [], transactions: [] },
    recurringIndicator: false,
    validUntil: "9999-12-31",
    frequencyPerDay: 1,
    combinedServiceIndicator: false,
  });
}

/** Consent to all accounts of a person, without an end date. */
export const consentInput = {
  access: { allPsd2: "allAccounts" },
  recurringIndicator: true,
  validUntil: "9999-12-31",
  frequencyPerDay: 4,
  combinedServiceIndicator: false,
  ...redirect,
} as const;

const consentId =
  (explicit = false): Sample =>
  async (client) => ({ "consent-id": (await consent(client, explicit)).consentId });

/** Approves on the authorisation page behind a link. */
export async function approve(
  client: FxdeskClient,
  { href }: { readonly href?: string | undefined },
): Promise<void> {
  const response = await fetch(new URL(href!, xs2aUrls.get(client)), {
    method: "POST",
    body: new URLSearchParams({ decision: "approve" }),
    redirect: "manual",
  });
  if (response.status >= 400) throw new Error(`The authorisation page answered ${response.status}.`);
}

/** Creates an authorised consent. */
async function validConsent(client: FxdeskClient): Promise<{ "Consent-ID": string }> {
  const { consentId: id, _links: links } = await consent(client);
  await approve(client, links.scaRedirect!);
  return { "Consent-ID": id };
}

/** Returns an account under a consent. */
async function consentedAccount(client: FxdeskClient) {
  const given = await validConsent(client);
  const { accounts } = await client.openBanking.listAccounts(given, attendedBy);
  return { ...given, "account-id": accounts[0]!.resourceId! };
}

const approvalsConfig: Sample = async (client) => {
  const { groups, rules } = await client.approvalsWorkflow.getConfig();
  return { groups, rules };
};

const period = { date_from: "2026-01-01", date_to: "2026-01-31" };

const samples: Readonly<Record<string, Sample>> = {
  "accountDetails.list": () => ({ currency: "EUR" }),
  "accountDetails.listAll": () => ({}),
  "accountDetails.request": () => ({ country: "BE", currency: "EUR", alias: "Belgian customers" }),
  "accountDetails.updateAlias": async (client) => ({ ...(await dedicated(client)), alias: "Collections" }),
  "accountDetails.makeDefault": dedicated,
  "accountDetails.assignVirtual": unusedCurrency,
  "accounts.list": () => ({ currencies: "EUR,GBP,USD,JPY" }),
  "accounts.get": accountId,
  "accounts.getFunding": () => ({ currency: "GBP" }),
  "accounts.listCurrencyAccounts": () => ({}),
  "accounts.listBalances": async (client) => ({
    ...(await accountId(client)),
    balance_types: ["InterimAvailable", "RequiredFunds"],
  }),
  "statements.createFile": async (client) => ({
    ...(await accountId(client)),
    format: "pdf",
    from_value_datetime: "2026-01-01T00:00",
    to_value_datetime: "2026-01-31T00:00",
  }),
  "statements.getFile": statement,
  "statements.emailAccounts": () => ({ ...period, format: "csv", currencies: "EUR,USD" }),
  "statements.emailMt940": async (client) => {
    const [first] = await client.accounts.listCurrencyAccounts();
    return { ...period, account_ids: [first!.account_id] };
  },
  "statements.emailTrades": () => ({ date_from: "2026-01" }),
  "statements.emailIncomingFunds": () => ({ ...period, format: "csv" }),
  "transactions.list": async (client) => ({ ...(await accountId(client)), credit_debit_indicator: "credit" }),
  "transactions.get": async (client) => {
    const { account_id } = await account(client);
    const [first] = await client.transactions.list({ account_id, page_size: 1 });
    return { account_id, transaction_id: first!.transaction_id };
  },
  "approvalsWorkflow.getConfig": () => ({}),
  "approvalsWorkflow.replaceConfig": approvalsConfig,
  "approvalsWorkflow.getSettings": () => ({}),
  "approvalsWorkflow.updateSettings": () => ({ enabled: true, dual_admin: false }),
  "login.getPage": () => ({
    scope: "openid",
    response_type: "code",
    client_id: demo.authClientId,
    redirect_uri: demo.redirectUri,
    state: "af0ifjsldkj",
  }),
  "trades.book": async (client) => ({
    quote_id: await makeQuote(client),
    reason: "payment_for_goods",
    reference: "INV-2041",
  }),
  "trades.list": () => ({ trade_type: ["spot", "forward"] }),
  "trades.get": async (client) => {
    const [trade] = await client.trades.list({ page_size: 1 });
    return { trade_id: trade!.trade_id, response_model: "ExtendedBookedTrade" };
  },
  "payments.getStatus": (client) => payment(client),
  "payments.initiateBulk": newBulkPayment,
  "payments.startAuthorisation": async (client) => ({ ...(await payment(client, true)), ...authorisations }),
  "payments.listAuthorisations": async (client) => ({ ...(await payment(client)), ...authorisations }),
  "payments.initiate": newPayment,
  "payments.cancel": (client) => payment(client),
  "payments.getAuthorisation": async (client) => {
    const of = { ...(await payment(client)), ...authorisations };
    const { authorisationIds } = await client.payments.listAuthorisations(of);
    return { ...of, "authorisation-id": authorisationIds[0] };
  },
  "payments.get": async (client) => {
    const { paymentId } = await payment(client);
    return { ...sepa, paymentId };
  },
  "payments.getBulk": async (client) => {
    const { paymentId } = await client.payments.initiateBulk(await newBulkPayment(client));
    return { ...sepa, paymentId };
  },
  "consents.create": () => consentInput,
  "consents.get": consentId(),
  "consents.delete": consentId(),
  "consents.getStatus": consentId(),
  "consents.startAuthorisation": consentId(true),
  "consents.listAuthorisations": consentId(),
  "consents.getAuthorisation": async (client) => {
    const { consentId: id } = await consent(client);
    const of = { "consent-id": id };
    const { authorisationIds } = await client.consents.listAuthorisations(of);
    return { ...of, "authorisation-id": authorisationIds[0] };
  },
  "openBanking.listAccounts": validConsent,
  "openBanking.getAccount": consentedAccount,
  "openBanking.listBalances": consentedAccount,
  "openBanking.listTransactions": async (client) => ({
    ...(await consentedAccount(client)),
    bookingStatus: "booked",
    dateFrom: "2026-01-01",
  }),
};

/** Returns a valid input for an operation. Creates prerequisites, for example a quote or a consent, through the client. */
export async function sampleInput(name: string, client: FxdeskClient): Promise<Values> {
  const sample = samples[name];
  if (!sample) throw new Error(`There is no sample for ${name}.`);
  return sample(client);
}
