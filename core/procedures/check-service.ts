/** contract.check: where a real environment differs from the contract. */
import { z } from "zod";
import { itsProduct, payment, PaymentId } from "../contract/payment-input";
import { ConsentId } from "../contract/xs2a";
import { balanceTypes } from "../contract/accounts";
import { json } from "../declaration/declare";
import type { Values } from "../declaration/fields";
import { valueAt } from "../schema/value-at";
import { procedure } from "./procedure";
import { Look } from "./service-check/look";

const text = (description: string) => z.string().meta({ description });

export const ServiceReport = z
  .object({
    conforms: z
      .boolean()
      .meta({ description: "True if the essential operations were checked and no difference was found." }),
    calls: z.int().meta({ description: "Number of calls made." }),
    differences: z
      .array(
        z.object({
          operation: text("The operation."),
          kind: z
            .enum(["status", "shape", "headers", "content", "paging"])
            .meta({ description: "Kind of difference." }),
          path: text("Field path with list indexes as [], or header name; empty for the whole response."),
          expected: text("What the contract specifies."),
          found: text("What the response has: its type, never the value."),
          times: z.int().meta({ description: "Number of occurrences." }),
        }),
      )
      .meta({ description: "Differences between responses and contract." }),
    checked: z.array(z.string()).meta({ description: "Operations whose responses were checked." }),
    unread: z
      .array(z.object({ operation: text("The operation."), reason: text("Why.") }))
      .meta({ description: "Operations that were not checked." }),
  })
  .meta({
    id: "ServiceReport",
    description: "Differences between the service and the contract, without response values.",
  });

const service = [
  "accounts.listCurrencyAccounts",
  "accounts.list",
  "accounts.get",
  "accounts.getFunding",
  "accounts.listBalances",
  "accountDetails.list",
  "accountDetails.listAll",
  "transactions.list",
  "transactions.get",
  "trades.list",
  "trades.get",
  "approvalsWorkflow.getConfig",
  "approvalsWorkflow.getSettings",
] as const;

const underConsent = [
  "consents.get",
  "consents.getStatus",
  "consents.listAuthorisations",
  "consents.getAuthorisation",
  "openBanking.listAccounts",
  "openBanking.getAccount",
  "openBanking.listBalances",
  "openBanking.listTransactions",
] as const;

const ofPayment = [
  "payments.getStatus",
  "payments.listAuthorisations",
  "payments.getAuthorisation",
  "payments.get",
  "payments.getBulk",
] as const;

/** The texts at a field of each entry, each once. */
function textsAt(body: unknown, field: string): string[] {
  const entries = Array.isArray(body) ? body : [];
  const texts = entries.map((entry) => valueAt(entry, [field])).filter((value) => typeof value === "string");
  return [...new Set(texts)];
}

async function checkAccounts(look: Look): Promise<readonly string[]> {
  const currencies = textsAt((await look.call("accounts.listCurrencyAccounts"))?.body, "currency");
  if (currencies.length === 0) return [];
  const listed = (await look.call("accounts.list", { currencies: currencies.join(",") }))?.body;
  if (textsAt(listed, "currency").some((currency) => !currencies.includes(currency)))
    look.note("accounts.list", "content", "[].currency", "what was asked for", "another value");
  const accounts = textsAt(listed, "account_id");
  for (const account_id of accounts.slice(0, 2)) {
    await look.call("accounts.get", { account_id });
    await look.call("accounts.listBalances", { account_id, balance_types: [...balanceTypes] });
  }
  for (const currency of currencies.slice(0, 2)) await look.call("accounts.getFunding", { currency });
  return accounts;
}

async function checkTransactions(look: Look, accounts: readonly string[]): Promise<void> {
  for (const account_id of accounts.slice(0, 3)) {
    const list = await look.pages("transactions.list", { account_id });
    if (list.length === 0) continue;
    for (const side of ["credit", "debit"])
      await look.call("transactions.list", { account_id, credit_debit_indicator: side, page_size: 10 });
    for (const transaction_id of textsAt(list, "transaction_id").slice(0, 2))
      await look.call("transactions.get", { account_id, transaction_id });
    return;
  }
}

async function checkTrades(look: Look): Promise<void> {
  const list = await look.pages("trades.list");
  for (const type of textsAt(list, "trade_type").slice(0, 2))
    await look.call("trades.list", { trade_type: [type], page_size: 10 });
  for (const trade_id of textsAt(list, "trade_id").slice(0, 2))
    for (const model of ["BookedTrade", "ExtendedBookedTrade"])
      await look.call("trades.get", { trade_id, response_model: model });
}

async function checkService(look: Look): Promise<void> {
  const accounts = await checkAccounts(look);
  await look.pages("accountDetails.list");
  await look.call("accountDetails.listAll");
  await checkTransactions(look, accounts);
  await checkTrades(look);
  await look.call("approvalsWorkflow.getConfig");
  await look.call("approvalsWorkflow.getSettings");
}

const firstText = (body: unknown, ...path: readonly PropertyKey[]): string | undefined => {
  const value = valueAt(body, path);
  return typeof value === "string" ? value : undefined;
};

/** A list of authorisations, and the first of them. */
async function checkAuthorisations(look: Look, section: string, of: Values): Promise<void> {
  const listed = await look.call(`${section}.listAuthorisations`, of);
  const first = firstText(listed?.body, "authorisationIds", 0);
  if (first !== undefined)
    await look.call(`${section}.getAuthorisation`, { ...of, "authorisation-id": first });
}

async function checkConsent(look: Look, id: string): Promise<void> {
  const consent = { "consent-id": id };
  await look.call("consents.get", consent);
  await look.call("consents.getStatus", consent);
  await checkAuthorisations(look, "consents", consent);
  const under = { "Consent-ID": id };
  const listed = await look.call("openBanking.listAccounts", under);
  const account = firstText(listed?.body, "accounts", 0, "resourceId");
  if (account === undefined) return;
  const of = { ...under, "account-id": account };
  await look.call("openBanking.getAccount", of);
  await look.call("openBanking.listBalances", of);
  const dateFrom = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
  await look.call("openBanking.listTransactions", { ...of, bookingStatus: "booked", dateFrom });
}

async function checkPayment(
  look: Look,
  paymentService: string,
  product: string,
  paymentId: string,
): Promise<void> {
  const of = { "payment-product": product, paymentId };
  const whole = { "payment-service": paymentService, ...of };
  await look.call("payments.getStatus", whole);
  await checkAuthorisations(look, "payments", { ...whole, "payment-authorisation": "authorisations" });
  if (paymentService === "payments") await look.call("payments.get", of);
  if (paymentService === "bulk-payments") await look.call("payments.getBulk", of);
}

const notReached = "There was nothing to read it with.";

/** What every service lets its client read: where one of these was not looked at, nobody knows whether it conforms. */
const essential = ["accounts.listCurrencyAccounts", "trades.list"] as const;

export const checkServiceResponses = procedure({
  name: "contract.check",
  tool: "check_service",
  section: { title: "Contract", icon: "fxdesk.svg", category: "fxdesk administration", order: 13 },
  title: "Check service against contract",
  summary:
    "Checks by reads alone whether the service's responses conform to the contract, and returns the differences without values.",
  notes: "Makes up to 59 calls.",
  keywords: ["health", "API", "conformance", "up and running", "Prüfung", "Schnittstelle"],
  effect: "read",
  uses: [...service, ...underConsent, ...ofPayment],
  input: {
    consent_id: ConsentId.optional().meta({
      title: "Consent ID",
      description: "Consent ID of a valid consent, to include the account information operations.",
    }),
    paymentId: PaymentId.optional(),
    "payment-service": payment["payment-service"].default("payments"),
    "payment-product": itsProduct["payment-product"].default("sepa-credit-transfers"),
  },
  output: json(ServiceReport, "Differences between the service and the contract."),
  async run(context, { consent_id: consentId, paymentId, ...of }) {
    const look = new Look(context, (operation, calls) =>
      context.progress({ done: calls, message: operation }),
    );
    await checkService(look);
    if (consentId !== undefined) await checkConsent(look, consentId);
    if (paymentId !== undefined)
      await checkPayment(look, of["payment-service"], of["payment-product"], paymentId);
    const meant = [...service, ...underConsent, ...ofPayment];
    const reasonFor = (name: string): string => {
      if (consentId === undefined && (underConsent as readonly string[]).includes(name))
        return "It needs consent_id.";
      if (paymentId === undefined && (ofPayment as readonly string[]).includes(name))
        return "It needs paymentId.";
      return notReached;
    };
    const told = new Set(look.unread.map(({ operation }) => operation));
    const missing = meant
      .filter((name) => !look.checked.has(name) && !told.has(name))
      .map((operation) => ({ operation, reason: reasonFor(operation) }));
    const differences = [...look.findings.values()].map(({ finding, times }) => ({ ...finding, times }));
    const due = [
      ...essential,
      ...(consentId === undefined ? [] : ["consents.getStatus"]),
      ...(paymentId === undefined ? [] : ["payments.getStatus"]),
    ];
    return {
      conforms: differences.length === 0 && !look.hasFailed && due.every((name) => look.checked.has(name)),
      calls: look.calls,
      differences,
      checked: [...look.checked],
      unread: [...look.unread, ...missing],
    };
  },
});
