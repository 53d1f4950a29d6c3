/** transactions.reconcile: matches expected payments with transactions. */
import { Big } from "big.js";
import { z } from "zod";
import { formatAmount } from "../files/amount";
import { json } from "../spec/declare";
import { amountText } from "../values/amount-text";
import { Currency, day } from "../values/values";
import { accountFields, selectAccounts, findMissingAccounts } from "./accounts";
import { type Column, headingMatcher, normalizeEntries, parseCsvRows } from "./csv-input";
import { sumBy } from "./decimal";
import { groupBy } from "../values/lists";
import { type FoundTransaction, Gaps, toFoundTransaction, transactionOperations } from "./find-transactions";
import { parsePeriod, PeriodText } from "./period";
import { procedure } from "./procedure";
import type { Item, Payment } from "./reconcile/comparison";
import { type Match, type Matching, matchPayments } from "./reconcile/match";
import { type Transaction, fetchAllTransactions } from "./fetch-all-transactions";
import {
  countField,
  currencyField,
  flagField,
  optionalTextField,
  periodField,
  textField,
} from "./result-fields";

const procedureName = "transactions.reconcile";

const SignedAmount = amountText(
  /^-?(?=.*[1-9])\d+(\.\d+)?$/,
  "must be a decimal amount other than zero, such as 1250.00",
);

const ExpectedItem = z.object({
  amount: SignedAmount.meta({
    title: "Amount",
    description: "Negative amounts reverse the direction.",
  }),
  currency: Currency,
  reference: z.string().optional().meta({ title: "Reference", description: "Such as an invoice number." }),
  party: z.string().optional().meta({ title: "Party", description: "Customer or supplier." }),
  date: day("Date", "Due date.").optional(),
});

type GivenItem = z.infer<typeof ExpectedItem>;

const columns = {
  amount: { names: ["amount", "open amount", "total"], required: true },
  currency: { names: ["currency", "ccy"], required: true },
  reference: { names: ["reference", "ref", "invoice", "invoice number", "invoice no", "document"] },
  party: { names: ["party", "name", "customer", "supplier", "vendor", "counterparty"] },
  date: { names: ["date", "due", "due date"] },
} as const satisfies Readonly<Record<string, Column>>;

const parseItemsCsv = (text: string): GivenItem[] =>
  parseCsvRows(procedureName, "items_csv", text, columns, (row) => {
    const { reference, party, date } = row.cells;
    const currency = row.currency("currency");
    const amount = row.amount("amount", currency);
    if (new Big(amount).eq(0)) row.fail("amount", "must not be zero");
    return {
      amount,
      currency,
      ...(reference && { reference }),
      ...(party && { party }),
      ...(date && { date: row.day("date") }),
    };
  });

const itemNumber = countField(
  "Position of the item in the input, starting at 1; a CSV header does not count.",
);
const signedAmount = textField("Signed decimal amount; negative for outgoing money.");
const transactionId = textField("Transaction ID, for transactions.get.");
const valueDate = textField("Value date, UTC.");
const itemReference = optionalTextField("Reference of the item, if given.");

const Matched = z.object({
  kind: z
    .enum(["one to one", "in parts", "several at once", "paid in part", "duplicate"])
    .describe(
      "`in parts`: several payments for one item; `several at once`: one payment for several items; `paid in part`: the rest is open; " +
        "`duplicate`: the first payment pays, the others repeat it.",
    ),
  confidence: z
    .enum(["certain", "likely"])
    .describe(
      "`certain`: all references are named and the amounts are exact; `likely`: a person must review the match.",
    ),
  currency: currencyField,
  items: z
    .array(z.object({ item: itemNumber, reference: itemReference, amount: signedAmount }))
    .describe("Items that are paid."),
  transactions: z
    .array(z.object({ transaction_id: transactionId, date: valueDate, amount: signedAmount }))
    .describe("Transactions that pay them."),
  evidence: z
    .object({
      reference: z
        .enum(["named", "named in part", "not named", "none given"])
        .describe("Whether the payments contain the references of the items."),
      difference: optionalTextField(
        "Paid minus expected amount, such as a fee or a duplicate; absent if equal.",
      ),
      party: z.enum(["same", "different", "unknown"]).describe("Result of comparing the names."),
      days: z
        .int()
        .optional()
        .describe("Days from the date of the item to the payment; negative if the payment was earlier."),
    })
    .describe("Fields that match."),
});

const Candidate = z.object({
  transaction_id: transactionId,
  date: valueDate,
  amount: signedAmount,
  currency: currencyField,
  agrees: z.array(z.string()).describe("Fields that match."),
  differs: z.array(z.string()).describe("Fields that differ."),
});

const OpenItem = z.object({
  item: itemNumber,
  reference: itemReference,
  party: optionalTextField("Name of the customer or supplier, if given."),
  date: optionalTextField("Due date, if given."),
  currency: currencyField,
  amount: signedAmount,
  open: textField("Unpaid amount."),
  candidates: z
    .array(Candidate)
    .optional()
    .describe("Up to three transactions that may pay the item, best first, for a person to review."),
});

const OpenTransaction = z.object({
  transaction_id: transactionId,
  account_id: textField("The account."),
  date: valueDate,
  amount: signedAmount,
  currency: currencyField,
  counterparty: optionalTextField("Name of the counterparty, if given."),
  text: optionalTextField("Remittance information."),
  reference: optionalTextField("Transaction reference."),
});

const CurrencySums = z.object({
  currency: currencyField,
  expected: textField("Total of all items."),
  matched: textField("Matched part of the total."),
  open: textField("Open part of the total."),
  paid: textField("Total of the matched transactions; differs by fees and duplicates."),
  other: textField("Total of the unmatched transactions."),
});

export const Reconciliation = z
  .object({
    period: periodField("First and last value date, UTC."),
    sums: z.array(CurrencySums).describe("Exact totals per currency."),
    open_items: z.array(OpenItem).describe("Items that are unpaid, partly paid or only likely paid."),
    matched: z
      .array(Matched)
      .describe(
        "Matches of items and transactions; each transaction belongs to one match only. Those for a person to review come first: duplicates, then likely ones.",
      ),
    open_transactions: z.array(OpenTransaction).describe("Transactions of the period that match no item."),
    untried: z
      .array(z.string())
      .optional()
      .describe(
        "Parties whose combined amounts were not tried, because they have too many open items or transactions.",
      ),
    complete: flagField("True if all transactions of the period were read."),
    gaps: Gaps,
  })
  .meta({
    id: "Reconciliation",
    description: "Expected payments matched against the transactions of a period.",
  });

const toPayment = (transaction: Transaction): Payment => {
  const { transaction_id, amount, currency, date, counterparty } = toFoundTransaction(transaction);
  const { transaction_reference, transaction_information, additional_transaction_information } = transaction;
  const { account_id, booking_datetime: booked, transaction_type: type } = transaction;
  return {
    transaction_id,
    account_id,
    amount,
    currency,
    date,
    counterparty,
    isReturn: type === "payment_returned",
    ...(typeof booked === "string" && { booked }),
    ...(typeof transaction_reference === "string" && { reference: transaction_reference }),
    texts: [transaction_reference, transaction_information, additional_transaction_information].filter(
      (text) => typeof text === "string",
    ),
  };
};

/** Formats an amount with the decimals of its currency. */
const formatText = (amount: string, currency: string): string => formatAmount(new Big(amount), currency);

const toMatchedResult = ({
  kind,
  confidence,
  items,
  payments,
  evidence,
}: ReportedMatch): z.infer<typeof Matched> => ({
  kind,
  confidence,
  currency: items[0]!.currency,
  items: items.map(({ item, reference, amount }) => ({ item, ...(reference && { reference }), amount })),
  transactions: payments.map(({ transaction_id, date, amount }) => ({ transaction_id, date, amount })),
  evidence: {
    ...evidence,
    ...(evidence.difference !== undefined && {
      difference: formatText(evidence.difference, items[0]!.currency),
    }),
  },
});

const toOpenItemResult = ({
  item: given,
  open,
  candidates,
}: Matching["openItems"][number]): z.infer<typeof OpenItem> => {
  const { item, reference, party, date, currency, amount } = given;
  return {
    item,
    ...(reference && { reference }),
    ...(party && { party }),
    ...(date && { date }),
    currency,
    amount,
    open: formatText(open, currency),
    ...(candidates.length > 0 && {
      candidates: candidates.map(({ payment, agrees, differs }) => ({
        transaction_id: payment.transaction_id,
        date: payment.date,
        amount: payment.amount,
        currency: payment.currency,
        agrees: [...agrees],
        differs: [...differs],
      })),
    }),
  };
};

/** A match as it is reported. */
type ReportedMatch = Omit<Match, "kind"> & { readonly kind: z.infer<typeof Matched>["kind"] };

interface ReportedMatching {
  readonly matches: readonly ReportedMatch[];
  readonly openItems: Matching["openItems"];
  readonly openPayments: readonly Payment[];
}

/** Adds payments that repeat another to its match, and puts matches that a person must review first. */
function reportMatching({ matches, openItems, openPayments }: Matching): ReportedMatching {
  const repetitions = groupBy(openPayments, ({ repeats }) => repeats);
  const reported = matches.map((match): ReportedMatch => {
    const others = match.payments.flatMap(({ transaction_id: id }) => repetitions.get(id) ?? []);
    if (others.length === 0) return match;
    const payments = [...match.payments, ...others.map(({ payment }) => payment)];
    const sum = (all: readonly { readonly amount: string }[]) =>
      all.reduce((total, { amount }) => total.plus(amount), new Big(0)).abs();
    const difference = sum(payments).minus(sum(match.items)).toFixed();
    return { ...match, kind: "duplicate", payments, evidence: { ...match.evidence, difference } };
  });
  const rankOf = ({ kind, confidence }: ReportedMatch) =>
    kind === "duplicate" ? 0 : confidence === "likely" ? 1 : 2;
  return {
    matches: reported.toSorted((one, other) => rankOf(one) - rankOf(other)),
    openItems,
    openPayments: (repetitions.get(undefined) ?? []).map(({ payment }) => payment),
  };
}

function sumByCurrency(items: readonly Item[], { matches, openItems, openPayments }: ReportedMatching) {
  const sum = (amounts: readonly { readonly currency: string; readonly amount: string }[]) =>
    sumBy(amounts, ({ currency }) => currency);
  const expected = sum(items);
  const open = sum(openItems.map((each) => ({ currency: each.item.currency, amount: each.open })));
  const paid = sum(matches.flatMap(({ payments }) => payments));
  const other = sum(openPayments);
  const currencies = new Set([expected, paid, other].flatMap((sums) => [...sums.keys()]));
  return [...currencies].toSorted().map((currency) => ({
    currency,
    expected: formatAmount(expected.of(currency), currency),
    matched: formatAmount(expected.of(currency).minus(open.of(currency)), currency),
    open: formatAmount(open.of(currency), currency),
    paid: formatAmount(paid.of(currency), currency),
    other: formatAmount(other.of(currency), currency),
  }));
}

/** Numbers the items, and converts their amounts to the sign of account entries: outgoing payments become negative. */
const toItems = (items: readonly GivenItem[], direction: "in" | "out"): Item[] =>
  items.map((each, index) => {
    const value = new Big(each.amount).times(direction === "in" ? 1 : -1);
    return { ...each, item: index + 1, amount: formatAmount(value, each.currency) };
  });

const isOutgoing = ({ amount }: { readonly amount: string }): boolean => amount.startsWith("-");

/** Returns payments in the directions of the items, and all returns. */
function paymentsInDirection(payments: readonly Payment[], items: readonly Item[]): Payment[] {
  const directions = new Set(items.length === 0 ? [false] : items.map(isOutgoing));
  return payments.filter((paid) => paid.isReturn || directions.has(isOutgoing(paid)));
}

export const reconcileTransactions = procedure({
  name: procedureName,
  tool: "reconcile_transactions",
  title: "Reconcile transactions",
  summary: "Matches open invoices with the transactions of a period. To search, use transactions.find.",
  notes: "A person must review `likely` matches.",
  icon: "font-awesome/fa-check-square-o",
  keywords: [
    "invoices",
    "open items",
    "receivables",
    "duplicates",
    "Abgleich",
    "offene Posten",
    "Rechnungen",
    "Debitoren",
    "Mahnung",
  ],
  effect: "read",
  uses: transactionOperations,
  rules: [
    {
      kind: "exactly-one",
      fields: ["items", "items_csv"],
      description: "Exactly one of items and items_csv must be given.",
    },
  ],
  input: {
    items: z
      .array(ExpectedItem)
      .min(1)
      .max(10_000)
      .optional()
      .meta({ title: "Expected items", description: "Invoices or other expected payments." }),
    items_csv: z
      .string()
      .optional()
      .meta({
        title: "Expected items as CSV",
        description: "Items as CSV; field names in the header.",
        matchHeadings: headingMatcher(columns),
        columnsOf: "items",
      }),
    direction: z.enum(["in", "out"]).default("in").meta({
      title: "Direction",
      description: "`in`: from customers; `out`: to suppliers.",
    }),
    period: PeriodText.default("last 90 days").meta({
      title: "Period",
      description: "Value dates: last month, 2026-Q1, 2026-01-01..2026-01-31.",
    }),
    ...accountFields,
    fee_tolerance: amountText(/^\d+(\.\d+)?$/, "must be a decimal amount such as 25.00")
      .default("25.00")
      .meta({
        title: "Fee tolerance",
        description: "Largest fee; at most 5 % of the amount.",
      }),
    days: z.int().min(0).max(3_660).default(60).meta({
      title: "Days",
      description: "Maximum from due date to payment if no reference matches.",
    }),
  },
  resultList: "open_transactions",
  output: json(Reconciliation, "The matches, open items and unmatched transactions."),
  async run(
    context,
    { items, items_csv: csv, direction, period: periodText, accounts, currencies, ...rules },
  ) {
    const given = items
      ? normalizeEntries(procedureName, "items", items, columns, ExpectedItem)
      : parseItemsCsv(csv ?? "");
    const expected = toItems(given, direction);
    const period = parsePeriod(periodText)!;
    const selectedAccounts = await selectAccounts(context.client, { accounts, currencies });
    // Both directions are read, because returns have the opposite one.
    const fetched = await fetchAllTransactions(context, selectedAccounts, { period, direction: undefined });
    const payments = paymentsInDirection(fetched.transactions.map(toPayment), expected);
    const matching = matchPayments(expected, payments, {
      feeTolerance: rules.fee_tolerance,
      days: rules.days,
    });
    const reported = reportMatching(matching);
    const found = new Map(fetched.transactions.map((each) => [each.transaction_id, each]));
    const openTransaction = ({ transaction_id: id }: Payment) => {
      const { type: _, ...row }: FoundTransaction = toFoundTransaction(found.get(id)!);
      return row;
    };
    const { matches, openItems, openPayments } = reported;
    const gaps = [...findMissingAccounts({ accounts, currencies }, selectedAccounts), ...fetched.gaps];
    return {
      period,
      sums: sumByCurrency(expected, reported),
      open_items: openItems.map(toOpenItemResult),
      matched: matches.map(toMatchedResult),
      open_transactions: openPayments.map(openTransaction),
      ...(matching.untried.length > 0 && { untried: [...matching.untried] }),
      complete: gaps.length === 0,
      gaps,
    };
  },
});
