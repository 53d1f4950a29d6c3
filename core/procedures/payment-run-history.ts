/** Comparison of a payment run with itself, with earlier payments and with the transactions of the last 90 days. */
import { Big } from "big.js";
import { addDays, dayOf, daysBetween, dayMs } from "../calendars";
import type { EarlierCall } from "../call/response";
import { readCreditTransfers } from "../files/pain001";
import { FxdeskError } from "../spec/errors";
import type { RepeatedPart, RepetitionCheck } from "../spec/procedure";
import { normalizeAccountNumber } from "../values/account-number";
import { groupBy } from "../values/lists";
import { selectAccounts, type Account } from "./accounts";
import { fetchTransactions, valueDayOf, type Transaction } from "./fetch-all-transactions";
import { attempt, type Context } from "./procedure";
import {
  compactReference,
  compareParties,
  findReferences,
  isCutName,
  isDistinctive,
  type Party,
  parseParty,
} from "./reconcile/names";
import { errorOf, type Finding, warningOf } from "./payment-run-findings";
import type { PaymentRun, RunRow } from "./payment-run-rows";

const days = 90;
/** Days within which a payment without references is taken for a repetition. */
const repetitionDays = 3;
/** Days within which payments without references may repeat each other. */
const unreferencedDays = 30;

/** A payment that was made, or waits. */
export interface EarlierPayment {
  readonly iban: string;
  readonly amount: string;
  readonly currency: string;
  readonly payee: string;
  /** References and remittance information as written. */
  readonly texts: readonly string[];
  readonly day: string;
  /** Where it is found, for a person; undefined if the caller may not see it. */
  readonly source: string | undefined;
  /** True if it was initiated; false if it waits, or may have been sent. */
  readonly isMade: boolean;
  /** ID of its journal entry or release. */
  readonly call?: string;
  /** Requested execution date of its request. */
  readonly executionDate?: string | undefined;
}

const decimal = (amount: string): string =>
  /^[+-]?\d+(\.\d+)?$/.test(amount) ? new Big(amount).abs().toFixed() : amount;

const keyOf = ({ iban, amount, currency }: Pick<EarlierPayment, "iban" | "amount" | "currency">): string =>
  `${iban} ${decimal(amount)} ${currency}`;

const textsOf = (texts: readonly (string | null | undefined)[]): string[] =>
  texts.filter((text): text is string => typeof text === "string" && text !== "" && text !== "NOTPROVIDED");

interface JsonTransfer {
  readonly instructedAmount?: { readonly amount?: string; readonly currency?: string };
  readonly creditorAccount?: { readonly iban?: string };
  readonly creditorName?: string;
  readonly remittanceInformationUnstructured?: string;
  readonly endToEndIdentification?: string;
}

/** Returns the payments of an encoded request, or undefined if it cannot be read. */
export function paymentsOfBody(
  body: string | undefined,
  shared: Pick<EarlierPayment, "day" | "source" | "isMade" | "call"> = {
    day: "",
    source: undefined,
    isMade: false,
  },
): EarlierPayment[] | undefined {
  if (body === undefined) return undefined;
  if (body.trimStart().startsWith("<"))
    return readCreditTransfers(body)?.map((each) => ({
      ...shared,
      iban: normalizeAccountNumber(each.creditor ?? ""),
      amount: each.amount,
      currency: each.currency,
      payee: each.creditorName ?? "",
      texts: textsOf([each.remittance, each.endToEnd]),
      executionDate: each.date?.slice(0, 10),
    }));
  try {
    const content = JSON.parse(body) as JsonTransfer & {
      readonly payments?: readonly JsonTransfer[];
      readonly requestedExecutionDate?: string;
    };
    return (content.payments ?? [content]).map((each) => ({
      ...shared,
      iban: normalizeAccountNumber(each.creditorAccount?.iban ?? ""),
      amount: each.instructedAmount?.amount ?? "",
      currency: each.instructedAmount?.currency ?? "",
      payee: each.creditorName ?? "",
      texts: textsOf([each.remittanceInformationUnstructured, each.endToEndIdentification]),
      executionDate: content.requestedExecutionDate,
    }));
  } catch {
    return undefined;
  }
}

const paymentsOfCall = ({ body, at, isOwn, id, state }: EarlierCall): EarlierPayment[] | undefined =>
  paymentsOfBody(body, {
    day: dayOf(at),
    source: isOwn ? `${id}, which is ${state === "done" ? "sent" : state}` : undefined,
    isMade: state === "done",
    call: id,
  });

export const toEarlierPayment = (each: Transaction): EarlierPayment => {
  const isCredit = each.credit_debit_indicator?.toLowerCase() === "credit";
  const account = isCredit ? each.debtor_account : each.creditor_account;
  const payee = isCredit ? each.debtor_name : each.creditor_name;
  const { transaction_id: id } = each;
  return {
    iban: normalizeAccountNumber(account?.iban ?? account?.account_number ?? ""),
    amount: each.amount.amount,
    currency: each.amount.currency,
    payee: payee ?? account?.account_name ?? "",
    texts: textsOf([
      each.transaction_reference,
      each.transaction_information,
      each.additional_transaction_information,
    ]),
    day: valueDayOf(each),
    source: `transaction ${id} of ${valueDayOf(each)}`,
    isMade: true,
  };
};

/** States of calls that certainly paid nothing. */
const unpaidStates = new Set(["not-sent", "rejected", "expired", "refused", "cancelled"]);

export interface History {
  readonly payments: readonly EarlierPayment[];
  /** IDs of earlier payment requests that cannot be read. */
  readonly unread: readonly string[];
  readonly accounts: readonly Account[];
  readonly findings: readonly Finding[];
  readonly notChecked: readonly string[];
}

/** The operations that initiate payments. */
const initiating = ["payments.initiateBulk", "payments.initiate"];

/** Lists the money calls of the last 90 days that initiated payments, or wait for release. */
export const listInitiations = ({ client }: Pick<Context, "client">, now: Date) =>
  client.listEarlierCalls(
    initiating.flatMap((name) => client.service.operations.find((each) => each.name === name) ?? []),
    now.getTime() - days * dayMs,
  );

/** Reads what a run is compared with. `ownKey` is the key of the run itself, whose own call is none of its duplicates. */
export async function readHistory(context: Context, ownKey: string, now: Date): Promise<History> {
  const payments: EarlierPayment[] = [];
  const unread: string[] = [];
  const findings: Finding[] = [];
  const notChecked: string[] = [];
  try {
    const { calls, isComplete } = await listInitiations(context, now);
    const compared = calls.filter(
      ({ state, key, isOwn }) => !unpaidStates.has(state) && !(isOwn && key === ownKey),
    );
    for (const call of compared) {
      const read = paymentsOfCall(call);
      if (read) payments.push(...read);
      else unread.push(call.id);
    }
    if (unread.length > 0)
      notChecked.push(`not checked: ${unread.length} earlier payment requests, which cannot be read.`);
    if (!isComplete) notChecked.push("not checked: older requests that wait for release.");
  } catch (error) {
    findings.push(
      errorOf(
        undefined,
        "not_compared",
        `The run cannot be compared with earlier payments: ${(error as Error).message}`,
      ),
    );
  }
  const today = dayOf(now);
  const read = await attempt(context, async () => {
    const accounts = await selectAccounts(context.client, {});
    const query = { period: { from: addDays(today, -days), to: today }, direction: "out" as const };
    const { transactions, gaps } = await fetchTransactions(context, accounts, query, (all) =>
      all.map(toEarlierPayment),
    );
    return { accounts, transactions, gaps };
  });
  if (read instanceof FxdeskError)
    return {
      payments,
      unread,
      accounts: [],
      findings,
      notChecked: [...notChecked, `not checked: transactions: ${read.message}`],
    };
  payments.push(...read.transactions);
  notChecked.push(
    ...read.gaps.map(({ account_id: id, reason }) => `not checked: transactions of account ${id}: ${reason}`),
  );
  return { payments, unread, accounts: read.accounts, findings, notChecked };
}

const rowAsPayment = (row: RunRow, day: string): EarlierPayment => ({
  ...row,
  texts: textsOf([row.reference, row.end_to_end]),
  day,
  source: `row ${row.row}`,
  isMade: true,
});

type Repetition = "certain" | "possible" | undefined;

const namesAny = (texts: readonly string[], references: readonly string[]): boolean => {
  const known = new Map(references.filter(isDistinctive).map((each) => [each, true]));
  return known.size > 0 && texts.some((text) => findReferences(text, known).length > 0);
};

function compareTexts(one: EarlierPayment, other: EarlierPayment, isSameRun: boolean): Repetition {
  const [own, others] = [one.texts.map(compactReference), other.texts.map(compactReference)];
  if (namesAny(other.texts, own) || namesAny(one.texts, others)) return "certain";
  const hasSameText = own.some((each) => others.includes(each));
  if (isSameRun && hasSameText) return "certain";
  const isReferenced = !hasSameText && own.some(isDistinctive) && others.some(isDistinctive);
  const isNear = Math.abs(daysBetween(one.day, other.day)) <= unreferencedDays;
  return !isReferenced && isNear ? "possible" : undefined;
}

/** True if a transaction, as a payment, names this payment, or names nothing and has its account. */
export const namesPayment = (transaction: EarlierPayment, payment: EarlierPayment): boolean => {
  const own = payment.texts.map(compactReference);
  return own.some(isDistinctive)
    ? namesAny(transaction.texts, own)
    : transaction.iban !== "" && transaction.iban === payment.iban;
};

/** Returns the findings about payments that repeat others. Allowed ones are warnings. */
export function findDuplicates({ rows, allowed }: PaymentRun, { payments }: History, now: Date): Finding[] {
  const earlier = groupBy(payments, keyOf);
  const before = new Map<string, EarlierPayment[]>();
  return rows.flatMap((row): Finding[] => {
    const own = rowAsPayment(row, dayOf(now));
    const key = keyOf(own);
    const sameRun = before.get(key) ?? [];
    before.set(key, [...sameRun, own]);
    const find = (others: readonly EarlierPayment[], isSameRun: boolean, wanted: Repetition) =>
      others.find((other) => compareTexts(own, other, isSameRun) === wanted);
    const history = earlier.get(key) ?? [];
    // Transactions may name no account.
    const unnamed = own.iban === "" ? [] : (earlier.get(keyOf({ ...own, iban: "" })) ?? []);
    const stop = allowed.has(row.row) ? warningOf : errorOf;
    const name = ({ source = "an earlier payment" }: EarlierPayment) => source;
    const inRun = find(sameRun, true, "certain");
    if (inRun)
      return [stop(row.row, "duplicate_in_run", `Same account, amount and reference as ${name(inRun)}.`)];
    const paid = find([...history, ...unnamed], false, "certain");
    if (paid) return [stop(row.row, "duplicate_of_earlier", `Duplicate of ${name(paid)}.`)];
    const isCloseTo = ({ isMade, day }: EarlierPayment) =>
      !isMade || Math.abs(daysBetween(own.day, day)) <= repetitionDays;
    const close = history.find((other) => isCloseTo(other) && compareTexts(own, other, false) === "possible");
    if (close)
      return [
        stop(
          row.row,
          "duplicate_of_earlier",
          `Same account and amount as ${name(close)}, and no reference tells them apart.`,
        ),
      ];
    const possible = find(sameRun, true, "possible") ?? find(history, false, "possible");
    return possible
      ? [
          warningOf(
            row.row,
            "duplicate_possible",
            `Same account and amount as ${name(possible)}, without references that tell them apart.`,
          ),
        ]
      : [];
  });
}

/** Returns the IDs of the calls whose payments were compared with a row that has their account and amount, and of those that cannot be read. */
export function comparedCalls({ rows }: PaymentRun, { payments, unread }: History): string[] {
  const wanted = new Set(rows.flatMap((row) => [keyOf(row), keyOf({ ...row, iban: "" })]));
  const alike = payments.flatMap((each) =>
    each.call !== undefined && wanted.has(keyOf(each)) ? [each.call] : [],
  );
  return [...new Set([...unread, ...alike])];
}

/** Returns the first payment of a run that an earlier request has as well: the same, or one that nothing tells apart. */
function findRepeatedPayment(
  body: string | undefined,
  earlier: string | undefined,
): RepeatedPart | undefined {
  const shared = { day: dayOf(new Date()), source: undefined, isMade: true };
  const [payments, others] = [paymentsOfBody(body, shared), paymentsOfBody(earlier, shared)];
  if (!payments || !others) return { subject: "A payment of the run", isRead: false };
  const made = groupBy(others, keyOf);
  const index = payments.findIndex((own) => {
    const find = (iban: string) =>
      (made.get(keyOf({ ...own, iban })) ?? []).map((other) => compareTexts(own, other, false));
    // Without an account, only a reference shows that they are the same.
    return find(own.iban).some((each) => each !== undefined) || find("").includes("certain");
  });
  if (index < 0) return undefined;
  const { amount, currency, payee, iban } = payments[index]!;
  const subject = `Payment ${index + 1} of ${payments.length} (${amount} ${currency} to ${payee}, ${iban})`;
  return { subject, isRead: true };
}

export const repetition: RepetitionCheck = { operations: initiating, find: findRepeatedPayment };

const partyOf = (name: string): Party => parseParty(name.replace(/&amp;/gi, "&"));

type Paid = EarlierPayment & { readonly party: Party };

/**
 * Returns a function that finds the payments to a payee, whatever legal form, order of words, spaces or length its name was
 * written with: a warning too many costs a question, one too few the money.
 */
function payeeIndex(paid: readonly Paid[]): (party: Party) => readonly Paid[] {
  const byKey = groupBy(paid, ({ party }) => party.key);
  const byCompact = groupBy(paid, ({ party }) => party.compact);
  const byBeginning = groupBy(paid, ({ party }) => party.beginning);
  const cutByBeginning = groupBy(
    paid.filter(({ payee }) => isCutName(payee)),
    ({ party }) => party.beginning,
  );
  return (party) => {
    if (party.key === "") return [];
    const cut = (isCutName(party.name) ? byBeginning : cutByBeginning).get(party.beginning) ?? [];
    return [
      ...(byKey.get(party.key) ?? []),
      ...(byCompact.get(party.compact) ?? []),
      ...cut.filter((each) => compareParties(party, each.party) === "same"),
    ];
  };
}

/** Returns a warning for each payee that was paid to another account before. */
export function findChangedAccounts({ rows }: PaymentRun, { payments }: History): Finding[] {
  const visible = payments.filter(
    ({ source, payee, iban, isMade }) => isMade && source !== undefined && payee !== "" && iban !== "",
  );
  const paidTo = payeeIndex(visible.map((each) => ({ ...each, party: partyOf(each.payee) })));
  return rows.flatMap((row) => {
    const known = paidTo(partyOf(row.payee));
    if (known.length === 0 || known.some(({ iban }) => iban === row.iban)) return [];
    const { iban, day, payee } = known.toSorted((one, other) => (one.day < other.day ? 1 : -1))[0]!;
    return [
      warningOf(
        row.row,
        "account_changed",
        `${payee} was paid to ${iban} on ${day}, not to ${row.iban}. Confirm the new account by calling the payee on a number that you already have.`,
      ),
    ];
  });
}
