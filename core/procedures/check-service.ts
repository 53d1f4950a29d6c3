/** contract.check: the differences between a real environment and the contract. */
import { addDays, dayOf } from "../calendars/days";
import { z } from "zod";
import { existingPaymentProduct, existingPayment, PaymentId } from "../contract/payment-input";
import { ConsentId } from "../contract/xs2a";
import { balanceTypes } from "../contract/accounts";
import { json } from "../spec/declare";
import type { Values } from "../spec/fields";
import { valueAt } from "../values/json";
import { procedure } from "./procedure";
import { ServiceChecker } from "./service-checker";
import { countField, flagField, textField } from "./result-fields";

const ServiceReport = z
  .object({
    conforms: flagField("True if the essential operations were checked and no difference was found."),
    calls: countField("Number of calls made."),
    differences: z
      .array(
        z.object({
          operation: textField("The operation."),
          kind: z.enum(["status", "shape", "headers", "content", "paging"]).describe("Kind of difference."),
          path: textField(
            "Field path with list indexes as [], or header name; empty for the whole response.",
          ),
          expected: textField("What the contract specifies."),
          found: textField("What the response has: its type, never the value."),
          times: countField("Number of occurrences."),
        }),
      )
      .describe("Differences between responses and contract."),
    checked: z.array(z.string()).describe("Operations whose responses were checked."),
    unread: z
      .array(z.object({ operation: textField("The operation."), reason: textField("Why.") }))
      .describe("Operations that were not checked."),
  })
  .meta({
    id: "ServiceReport",
    description: "Differences between the service and the contract, without response values.",
  });

/** The operations to check, by the input that they require. */
const operations = {
  service: [
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
  ],
  consent_id: [
    "consents.get",
    "consents.getStatus",
    "consents.listAuthorisations",
    "consents.getAuthorisation",
    "openBanking.listAccounts",
    "openBanking.getAccount",
    "openBanking.listBalances",
    "openBanking.listTransactions",
  ],
  paymentId: [
    "payments.getStatus",
    "payments.listAuthorisations",
    "payments.getAuthorisation",
    "payments.get",
    "payments.getBulk",
  ],
} as const;

/** Returns the distinct texts of a field over all entries. */
function distinctTexts(body: unknown, field: string): string[] {
  const entries = Array.isArray(body) ? body : [];
  const texts = entries.map((entry) => valueAt(entry, [field])).filter((value) => typeof value === "string");
  return [...new Set(texts)];
}

async function checkAccounts(checker: ServiceChecker): Promise<readonly string[]> {
  const currencies = distinctTexts((await checker.call("accounts.listCurrencyAccounts"))?.body, "currency");
  if (currencies.length === 0) return [];
  const listed = (await checker.call("accounts.list", { currencies: currencies.join(",") }))?.body;
  if (distinctTexts(listed, "currency").some((currency) => !currencies.includes(currency)))
    checker.recordDifference("accounts.list", "content", "[].currency", "a requested value", "another value");
  const accounts = distinctTexts(listed, "account_id");
  for (const account_id of accounts.slice(0, 2)) {
    await checker.call("accounts.get", { account_id });
    await checker.call("accounts.listBalances", { account_id, balance_types: [...balanceTypes] });
  }
  for (const currency of currencies.slice(0, 2)) await checker.call("accounts.getFunding", { currency });
  return accounts;
}

async function checkTransactions(checker: ServiceChecker, accounts: readonly string[]): Promise<void> {
  for (const account_id of accounts.slice(0, 3)) {
    const list = await checker.checkPaging("transactions.list", { account_id });
    if (list.length === 0) continue;
    for (const side of ["credit", "debit"])
      await checker.call("transactions.list", { account_id, credit_debit_indicator: side, page_size: 10 });
    for (const transaction_id of distinctTexts(list, "transaction_id").slice(0, 2))
      await checker.call("transactions.get", { account_id, transaction_id });
    return;
  }
}

async function checkTrades(checker: ServiceChecker): Promise<void> {
  const list = await checker.checkPaging("trades.list");
  for (const type of distinctTexts(list, "trade_type").slice(0, 2))
    await checker.call("trades.list", { trade_type: [type], page_size: 10 });
  for (const trade_id of distinctTexts(list, "trade_id").slice(0, 2))
    for (const model of ["BookedTrade", "ExtendedBookedTrade"])
      await checker.call("trades.get", { trade_id, response_model: model });
}

async function checkService(checker: ServiceChecker): Promise<void> {
  const accounts = await checkAccounts(checker);
  await checker.checkPaging("accountDetails.list");
  await checker.call("accountDetails.listAll");
  await checkTransactions(checker, accounts);
  await checkTrades(checker);
  await checker.call("approvalsWorkflow.getConfig");
  await checker.call("approvalsWorkflow.getSettings");
}

const firstText = (body: unknown, ...path: readonly PropertyKey[]): string | undefined => {
  const value = valueAt(body, path);
  return typeof value === "string" ? value : undefined;
};

/** Checks a list of authorisations and its first entry. */
async function checkAuthorisations(checker: ServiceChecker, section: string, parent: Values): Promise<void> {
  const listed = await checker.call(`${section}.listAuthorisations`, parent);
  const first = firstText(listed?.body, "authorisationIds", 0);
  if (first !== undefined)
    await checker.call(`${section}.getAuthorisation`, { ...parent, "authorisation-id": first });
}

async function checkConsent(checker: ServiceChecker, id: string): Promise<void> {
  const consent = { "consent-id": id };
  await checker.call("consents.get", consent);
  await checker.call("consents.getStatus", consent);
  await checkAuthorisations(checker, "consents", consent);
  const consentHeader = { "Consent-ID": id };
  const listed = await checker.call("openBanking.listAccounts", consentHeader);
  const accountId = firstText(listed?.body, "accounts", 0, "resourceId");
  if (accountId === undefined) return;
  const account = { ...consentHeader, "account-id": accountId };
  await checker.call("openBanking.getAccount", account);
  await checker.call("openBanking.listBalances", account);
  const dateFrom = addDays(dayOf(Date.now()), -30);
  await checker.call("openBanking.listTransactions", { ...account, bookingStatus: "booked", dateFrom });
}

async function checkPayment(
  checker: ServiceChecker,
  paymentService: string,
  product: string,
  paymentId: string,
): Promise<void> {
  const payment = { "payment-product": product, paymentId };
  const paymentWithService = { "payment-service": paymentService, ...payment };
  await checker.call("payments.getStatus", paymentWithService);
  await checkAuthorisations(checker, "payments", {
    ...paymentWithService,
    "payment-authorisation": "authorisations",
  });
  if (paymentService === "payments") await checker.call("payments.get", payment);
  if (paymentService === "bulk-payments") await checker.call("payments.getBulk", payment);
}

/** Operations that every service offers. Conformance requires that all of them were checked. */
const requiredOperations = ["accounts.listCurrencyAccounts", "trades.list"] as const;

export const checkServiceResponses = procedure({
  name: "contract.check",
  tool: "check_service",
  section: { title: "Contract", icon: "fxdesk.svg", category: "fxdesk administration", order: 15 },
  title: "Check service against contract",
  summary:
    "Checks, with read calls only, whether the service's responses conform to the contract, and returns the differences without the data.",
  notes: "Makes up to 59 calls.",
  icon: "font-awesome/fa-stethoscope",
  keywords: ["health", "API", "conformance", "up and running", "Prüfung", "Schnittstelle"],
  effect: "read",
  uses: Object.values(operations).flat(),
  input: {
    consent_id: ConsentId.optional().meta({
      title: "Consent ID",
      description: "Consent ID of a valid consent, to include the account information operations.",
    }),
    paymentId: PaymentId.optional(),
    "payment-service": existingPayment["payment-service"].default("payments"),
    "payment-product": existingPaymentProduct["payment-product"].default("sepa-credit-transfers"),
  },
  output: json(ServiceReport, "Differences between the service and the contract."),
  async run(context, { consent_id, paymentId, ...of }) {
    const checker = new ServiceChecker(context);
    await checkService(checker);
    if (consent_id !== undefined) await checkConsent(checker, consent_id);
    if (paymentId !== undefined)
      await checkPayment(checker, of["payment-service"], of["payment-product"], paymentId);
    const { differences, calls, checked, unread } = checker;
    const given = { service: true, consent_id, paymentId };
    const missing = (Object.keys(operations) as (keyof typeof operations)[]).flatMap((needed) =>
      operations[needed].map((operation) => ({
        operation,
        reason:
          given[needed] === undefined
            ? `Requires ${needed}.`
            : "No input for it was found in earlier responses.",
      })),
    );
    const reported = new Set([...checked, ...unread.map(({ operation }) => operation)]);
    const requiredChecks = [
      ...requiredOperations,
      ...(consent_id === undefined ? [] : ["consents.getStatus"]),
      ...(paymentId === undefined ? [] : ["payments.getStatus"]),
    ];
    return {
      conforms:
        differences.length === 0 && !checker.hasFailed && requiredChecks.every((name) => checked.has(name)),
      calls,
      differences,
      checked: [...checked],
      unread: [...unread, ...missing.filter(({ operation }) => !reported.has(operation))],
    };
  },
});
