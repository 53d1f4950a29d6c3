/** Controls for market rates, incoming payments, and payments from trades. */
import { json } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { identifier, control, toNotFoundError, exactlyOne } from "./define-control";
import { dayOf } from "@fxdesk/toolkit/calendars";
import { pairOf, tradedCurrencies } from "../../world/money/fx";
import { revalueAllMargins } from "../../world/trades/margin";
import type { World } from "../../world/model/world";
import { toValidationError, DomainError } from "../../world/common/domain-error";
import { Big } from "big.js";
import { AmountText, day } from "@fxdesk/toolkit/schema";
import { findAccountIn, availableBalance } from "../../world/accounts/accounts";
import { fitsMinorUnits, maxAmount, maxBalance, maxAmountText } from "../../world/money/currencies";
import { receivePayment } from "../../world/trades/incoming-payments";
import { isPayableIban } from "../../world/banks/account-numbers";
import type { SandboxSession } from "../../session/sandbox-session";
import { canActFor } from "../../world/parties/parties";
import * as payments from "../../world/trades/payments";
import type { Trade, TradePayment } from "../../world/model/trade";

/** Splits a symbol into its two currencies. Throws unless both are traded. */
function parsePair(symbol: string): readonly [string, string] {
  const [base, quoted] = [symbol.slice(0, 3), symbol.slice(3)];
  const unknown = [base, quoted].find((currency) => !tradedCurrencies.includes(currency));
  if (unknown !== undefined) throw toValidationError(`symbol: ${unknown} is not traded`);
  if (base === quoted) throw toValidationError("symbol must name two different currencies");
  return [base, quoted];
}

const toPrice = ({ rates, now }: World, base: string, quoted: string) => {
  const { symbol, rate } = rates.midRate(base, quoted, dayOf(now));
  return { symbol, rate: rate.toNumber() };
};

const Price = z.object({ symbol: z.string(), rate: z.number() });

export const listRates = control(
  "listRates",
  {
    title: "Rates",
    summary: "Lists the market rate of each currency against USD, before the bank's margin.",
    method: "GET",
    path: "/_sandbox/rates",
    responses: { 200: json(z.array(Price), "The rates.") },
  },
  ({ world }) =>
    tradedCurrencies
      .filter((currency) => currency !== "USD")
      .map((currency) => pairOf(currency, "USD"))
      .map(({ base, quoted }) => toPrice(world, base, quoted)),
);

export const moveRate = control(
  "moveRate",
  {
    title: "Move rate",
    summary:
      "Sets a market rate. The first currency of the pair moves against all others; if it is USD, the second one moves.",
    method: "POST",
    path: "/_sandbox/rates",
    body: z.object({
      symbol: z
        .string()
        .regex(/^[A-Z]{6}$/, "must be two currencies like EURUSD")
        .meta({ description: "Currency pair.", examples: ["EURUSD"] }),
      rate: z
        .number()
        .positive()
        .meta({ description: "Price of one unit of the first currency in the second.", examples: [1.25] }),
    }),
    responses: { 200: json(Price, "The new rate.") },
  },
  ({ world }, { symbol, rate }) => {
    const [base, quoted] = parsePair(symbol);
    world.rates.move(base, quoted, new Big(rate), dayOf(world.now));
    revalueAllMargins(world);
    return toPrice(world, base, quoted);
  },
);

/** Returns the account with an ID, or else the demo company's account in a currency. */
function findAccount(world: World, accountId: string | undefined, currency: string | undefined) {
  const found =
    accountId === undefined
      ? findAccountIn(world, world.home, currency!)
      : world.accounts.get(accountId.toLowerCase());
  if (!found) throw toNotFoundError("account", String(accountId ?? currency));
  return found;
}

export const payIn = control(
  "payIn",
  {
    title: "Pay in",
    summary: "Books an incoming payment to an account, given by ID or by currency.",
    method: "POST",
    path: "/_sandbox/pay-ins",
    body: z.object({
      account_id: identifier("Account ID", "Account to credit.").optional(),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, "must be three capital letters like EUR")
        .optional()
        .meta({
          description: "Instead of an account ID: currency of the demo company's account.",
          examples: ["EUR"],
        }),
      amount: AmountText.meta({
        description: "Decimal amount with a point, for example 1234.50.",
        examples: ["1234.50"],
      }),
      reference: z
        .string()
        .max(35)
        .default("PAY-IN")
        .describe("Payment reference. The ID or reference of a trade funds that trade."),
      debtor_name: z.string().max(70).default("Unnamed payer").describe("Name of the payer."),
    }),
    rules: [exactlyOne("account_id", "currency")],
    responses: {
      200: json(z.object({ account_id: z.string(), transaction_id: z.string() }), "The booked transaction."),
    },
  },
  ({ world }, { account_id, currency, amount, reference, debtor_name: name }) => {
    const account = findAccount(world, account_id, currency);
    const payment = new Big(amount);
    if (payment.lte(0)) throw toValidationError("amount must be more than zero");
    if (!fitsMinorUnits(payment, account.currency))
      throw toValidationError(`amount has too many decimals for ${account.currency}`);
    if (payment.gt(maxAmount(account.currency)))
      throw toValidationError(`amount must be at most ${maxAmountText(account.currency)}`);
    if (availableBalance(world, account).plus(payment).gt(maxBalance(account.currency)))
      throw new DomainError(
        "account-full",
        `An account holds at most ${maxBalance(account.currency).toFixed()}.`,
      );
    const information = `Payment of ${reference}`;
    const { lineId } = receivePayment(world, account, payment, {
      reference,
      information,
      counterparty: { name },
    });
    return { account_id: account.accountId, transaction_id: lineId };
  },
);

const toPaymentView = ({ paymentId, status }: TradePayment) => ({ payment_id: paymentId, status });

/** Applies a change to a payment. Throws a DomainError if its status does not allow the change. */
function withPayment(
  { world }: SandboxSession,
  id: string,
  act: (world: World, trade: Trade, payment: TradePayment) => void,
) {
  for (const trade of world.trades.values()) {
    const payment = trade.payments.find(({ paymentId }) => paymentId === id);
    if (!payment) continue;
    act(world, trade, payment);
    return toPaymentView(payment);
  }
  throw toNotFoundError("payment", id);
}

/** Returns a contact that acts for the trade's client. Throws if it is unknown or blocked. */
function findContact({ contacts }: World, trade: Trade, contactId: string): string {
  const contact = contacts.get(contactId);
  if (!contact?.clientIds.includes(trade.clientId)) throw toNotFoundError("contact", contactId);
  if (!canActFor(contact, trade)) throw new DomainError("contact-conflict", `${contactId} is blocked.`);
  return contactId;
}

const Beneficiary = z.object({ beneficiary_id: z.string(), name: z.string(), currency: z.string() });

export const listBeneficiaries = control(
  "listBeneficiaries",
  {
    title: "Beneficiaries",
    summary: "Lists the beneficiaries.",
    method: "GET",
    path: "/_sandbox/beneficiaries",
    responses: { 200: json(z.array(Beneficiary), "The beneficiaries.") },
  },
  ({ world }) =>
    world.beneficiaries.map(({ beneficiaryId, name, currency }) => ({
      beneficiary_id: beneficiaryId,
      name,
      currency,
    })),
);

const Payment = z.object({ payment_id: z.string(), status: z.string() });
const paymentResponse = json(Payment, "The payment.");
const paymentParameters = {
  payment_id: identifier("Payment ID", "ID of the payment in the trade."),
};

export const allocatePayment = control(
  "allocatePayment",
  {
    title: "Allocate payment",
    summary:
      "Orders a payment from the bought amount of a trade. It waits for approval if the approvals workflow is enabled.",
    method: "POST",
    path: "/_sandbox/payments",
    body: z.object({
      trade_id: identifier("Trade ID", "Trade that funds the payment."),
      beneficiary_id: identifier("Beneficiary ID", "Beneficiary of the payment."),
      amount: AmountText,
      payment_date: day("Payment date", "Date to send it. Defaults to the trade's maturity.").optional(),
      contact_id: identifier("Contact ID", "Contact who orders it. Defaults to the demo contact.").optional(),
    }),
    responses: { 200: paymentResponse },
  },
  ({ world }, values) => {
    const { trade_id: tradeId, beneficiary_id: beneficiaryId, payment_date: date } = values;
    const trade = world.trades.get(tradeId);
    if (!trade) throw toNotFoundError("trade", tradeId);
    const beneficiary = world.beneficiaries.find((each) => each.beneficiaryId === beneficiaryId);
    if (!beneficiary) throw toNotFoundError("beneficiary", beneficiaryId);
    const contactId = findContact(world, trade, values.contact_id ?? world.home.contactId);
    const order = { beneficiary, amount: new Big(values.amount), date, contactId };
    return toPaymentView(payments.orderPayment(world, trade, order));
  },
);

export const decidePayment = control(
  "decidePayment",
  {
    title: "Decide payment",
    summary: "Approves or rejects a pending payment as a contact of the approval groups.",
    method: "POST",
    path: "/_sandbox/payments/{payment_id}",
    parameters: paymentParameters,
    body: z.object({
      decision: z.enum(["approve", "reject"]).describe("Decision of the contact."),
      contact_id: z
        .string()
        .meta({ title: "Contact ID", description: "Contact who decides.", examples: ["contact-approver"] }),
    }),
    responses: { 200: paymentResponse },
  },
  (session, { payment_id: paymentId, decision, contact_id: contact }) =>
    withPayment(session, paymentId, (world, trade, payment) => {
      const contactId = findContact(world, trade, contact);
      payments.decidePayment(world, trade, payment, { contactId, approve: decision === "approve" });
    }),
);

export const completeBeneficiary = control(
  "completeBeneficiary",
  {
    title: "Complete beneficiary",
    summary: "Adds the missing account of a payment's beneficiary.",
    method: "POST",
    path: "/_sandbox/payments/{payment_id}/beneficiary",
    parameters: paymentParameters,
    body: z.object({
      iban: z
        .string()
        .refine(isPayableIban, "must be an IBAN with valid check digits")
        .optional()
        .meta({
          title: "IBAN",
          examples: ["NL13TEST0123456789"],
          description: "IBAN of the beneficiary.",
        }),
      account_number: z.string().optional().describe("Account number, instead of an IBAN."),
    }),
    rules: [exactlyOne("iban", "account_number")],
    responses: { 200: paymentResponse },
  },
  (session, { payment_id: paymentId, iban, account_number: accountNumber }) =>
    withPayment(session, paymentId, (world, trade, payment) =>
      payments.completeBeneficiary(world, trade, payment, {
        ...(iban !== undefined && { iban }),
        ...(accountNumber !== undefined && { accountNumber }),
      }),
    ),
);

export const returnPayment = control(
  "returnPayment",
  {
    title: "Return payment",
    summary: "Returns a completed payment.",
    method: "POST",
    path: "/_sandbox/payments/{payment_id}/return",
    parameters: paymentParameters,
    responses: { 200: paymentResponse },
  },
  (session, { payment_id: paymentId }) => withPayment(session, paymentId, payments.returnPayment),
);
