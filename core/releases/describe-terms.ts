/** The terms of a request as people read them before a decision: the same words on every surface. */
import { Big } from "big.js";
import type { TermsDescription, TermsTable } from "../call/call-options";
import { readCreditTransfers } from "../files/pain001";
import { fieldsOf, titleFromName } from "../spec/fields";
import type { Declaration } from "../spec/operation";
import { normalizeAccountNumber } from "../values/account-number";
import { isObject } from "../values/json";
import type { OrderTerms, SealedCall, SealedRequest } from "./terms";

type Values = Readonly<Record<string, unknown>>;

const groupDigits = (amount: string): string => amount.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ",");

export function orderTitle({ fixed_side, amount, buy_currency, sell_currency }: OrderTerms): string {
  return fixed_side === "buy"
    ? `Buy ${groupDigits(amount)} ${buy_currency}, pay in ${sell_currency}`
    : `Sell ${groupDigits(amount)} ${sell_currency}, get ${buy_currency}`;
}

function limitRateOf({ worst_rate, rate_symbol, rate_seen, sell_currency }: OrderTerms): string {
  const [base, quoted] = [rate_symbol.slice(0, 3), rate_symbol.slice(3)];
  const limit = `${sell_currency === base ? "at least" : "at most"} ${worst_rate} ${quoted} for one ${base}`;
  return rate_seen === undefined ? limit : `${limit} (rate when requested: ${rate_seen})`;
}

/** Returns the sums of amounts by currency, in the order of their first appearance. */
function sumsOf(amounts: NonNullable<SealedCall["amounts"]>): string {
  return [...new Set(amounts.map(({ currency }) => currency))]
    .map((each) => {
      const own = amounts.filter(({ currency }) => currency === each).map(({ amount }) => amount);
      const decimals = Math.max(...own.map((amount) => amount.split(".")[1]?.length ?? 0));
      const sum = own.reduce((before, amount) => before.plus(amount), new Big(0));
      return `${groupDigits(sum.toFixed(decimals))} ${each}`;
    })
    .join(" + ");
}

/** Returns the limit rate of an order, or the number and total of the amounts of a call. */
export function summarizeTerms(sealed: SealedRequest): string {
  if (sealed.kind === "order") {
    const { trade_type, value_date } = sealed.terms;
    const kind = [trade_type.replaceAll("_", " "), value_date].filter(Boolean).join(", ");
    return `${kind}: ${limitRateOf(sealed.terms)}`;
  }
  const { trade, amounts, effect } = sealed;
  if (typeof trade === "object") {
    const { buy_amount, buy_currency, sell_amount, sell_currency } = trade;
    return `Sells ${groupDigits(sell_amount)} ${sell_currency} for ${groupDigits(buy_amount)} ${buy_currency}.`;
  }
  if (amounts?.length) {
    const isSingle = amounts.length === 1;
    const sums = isSingle ? sumsOf(amounts) : `${amounts.length} payments, ${sumsOf(amounts)} in total`;
    const { length: firsts } = sealed.firstPayments ?? [];
    if (firsts === 0) return sums;
    return `${sums}, ${isSingle ? "first payment to this account" : `first payments to ${firsts} accounts`}`;
  }
  return effect === "money" && !amounts ? "The amount is unknown." : "Commits no money.";
}

const isAmount = (value: Values): value is { amount: string; currency: string } =>
  Object.keys(value).length === 2 && typeof value.amount === "string" && typeof value.currency === "string";

/** Quotes text in which a separator could imitate another part. */
const partText = (text: string): string => (/[,:"]/.test(text) ? JSON.stringify(text) : text);

/** Returns a value in words. A value inside another one is quoted if it could be mistaken for two. */
function textOf(value: unknown, isInside = false): string {
  if (typeof value === "string") return isInside ? partText(value) : value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((each) => textOf(each, true)).join(", ");
  if (!isObject(value)) return String(value);
  if (isAmount(value)) return `${groupDigits(value.amount)} ${value.currency}`;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  // The usual account. Any other number alone could be taken for an IBAN.
  if (entries.length === 1 && entries[0]![0] === "iban") return textOf(entries[0]![1], isInside);
  return entries.map(([name, each]) => `${titleFromName(name)}: ${textOf(each, true)}`).join(", ");
}

const isTable = (value: unknown): value is readonly Values[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);

/** What people check first: who is paid, on which account, how much. */
const leadingColumns = [/Name$/, /Account$/, /^firstPayment$/, /Amount$/];

const rankOf = (name: string): number => {
  const rank = leadingColumns.findIndex((pattern) => pattern.test(name));
  return rank < 0 ? leadingColumns.length : rank;
};

/** Returns a table with a column for each name that a row has. */
function tableOf(title: string, rows: readonly Values[]): TermsTable {
  const names = [
    ...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => row[name] !== undefined))),
  ].toSorted((a, b) => rankOf(a) - rankOf(b));
  return {
    title,
    columns: names.map(titleFromName),
    rows: rows.map((row) => names.map((name) => (row[name] === undefined ? "" : textOf(row[name])))),
  };
}

/** True for accounts that are paid for the first time. */
type IsFirst = (iban: unknown) => boolean;

const mark = (isFirst: boolean) => (isFirst ? { firstPayment: true } : {});

const paymentTable = (title: string, rows: readonly Values[], isFirst: IsFirst): TermsTable =>
  tableOf(
    title,
    rows.map((row) => ({ ...row, ...mark(isFirst((row.creditorAccount as Values | undefined)?.iban)) })),
  );

const documentTable = (title: string, document: string, isFirst: IsFirst): TermsTable | undefined => {
  const transfers = readCreditTransfers(document);
  return (
    transfers &&
    tableOf(
      title,
      transfers.map(({ creditor, amount, currency, remittance, account, date, ...transfer }) => ({
        creditorName: transfer.creditorName,
        creditorAccount: creditor ?? `not an IBAN: ${transfer.creditorAccount ?? "no account"}`,
        ...mark(isFirst(creditor)),
        instructedAmount: { amount, currency },
        remittance,
        creditorAgent: transfer.creditorBank,
        debtorAccount: account,
        executionDate: date,
      })),
    )
  );
};

function describeCall(
  operation: Declaration | undefined,
  { terms: { values }, firstPayments = [] }: SealedCall,
) {
  const first = new Set(firstPayments);
  const isFirst: IsFirst = (iban) => typeof iban === "string" && first.has(normalizeAccountNumber(iban));
  const declared = operation ? fieldsOf(operation) : [];
  const others = Object.keys(values).filter((name) => !declared.some((field) => field.name === name));
  const fields = [
    // Generated values identify the request and are no terms.
    ...declared.filter(({ generate }) => !generate),
    ...others.map((name) => ({ name, title: titleFromName(name) })),
  ].filter(({ name }) => values[name] !== undefined);
  const facts: (readonly [string, string])[] = [];
  const tables: TermsTable[] = [];
  for (const { name, title } of fields) {
    const value = values[name];
    const table =
      name === operation?.document?.name && typeof value === "string"
        ? documentTable(title, value, isFirst)
        : isTable(value)
          ? paymentTable(title, value, isFirst)
          : undefined;
    if (table) tables.push(table);
    else facts.push([title, textOf(value)]);
  }
  if (tables.length === 0 && first.size > 0) facts.push(["First payment to this account", "yes"]);
  return { facts, tables };
}

/** Returns what is requested, for example “Initiate bulk payment”. */
export const titleOfTerms = (sealed: SealedRequest, operations: readonly Declaration[]): string =>
  sealed.kind === "order"
    ? orderTitle(sealed.terms)
    : (operations.find(({ name }) => name === sealed.operation)?.title ?? sealed.operation);

/** Describes a request by the declarations of its service. An operation that they lack is described by the names of its fields. */
export function describeTerms(sealed: SealedRequest, operations: readonly Declaration[]): TermsDescription {
  const shared = { title: titleOfTerms(sealed, operations), summary: summarizeTerms(sealed) };
  const rows = (sealed.warnings ?? []).map((each) => [each]);
  const warned = rows.length > 0 ? [{ title: "Warnings", columns: ["Warning"], rows }] : [];
  if (sealed.kind === "order") {
    const facts = Object.entries(sealed.terms).flatMap(([name, value]: [string, string | undefined]) =>
      value === undefined ? [] : [[titleFromName(name), value] as const],
    );
    return { ...shared, facts, tables: warned };
  }
  const operation = operations.find(({ name }) => name === sealed.operation);
  const { facts, tables } = describeCall(operation, sealed);
  return { ...shared, facts, tables: [...warned, ...tables] };
}
