/** The transactions of an account as the standard lists them: booked, pending, and standing orders. */
import type { Big } from "big.js";
import { linesInPeriod, swiftCodes } from "../world/statements/account-statement";
import type { Period } from "../world/statements/statement";
import { newestFirst, type Sliceable } from "../paging";
import { DomainError } from "../world/domain-error";
import type { Account } from "../world/accounts/account";
import { addDays, dayOf, startOf } from "../world/calendar/days";
import {
  type BookedLine,
  balanceAccount,
  type Counterparty,
  type EntryDetails,
} from "../world/ledger/ledger";
import type { World } from "../world/world";
import { bankTransactionCode } from "./camt053";
import type { Subset, BookingStatus } from "../world/enumerations";
import type { Consent, ReportSpan } from "../world/open-banking/consent";
import { type Payment, totalOf, type Transfer } from "../world/open-banking/payment";
import { toCurrencyAmount, toEntryReference, toLineId } from "../world/open-banking/references";

export type EntryListName = Subset<BookingStatus, "booked" | "pending" | "information">;

/** Entries of one kind, the latest first, of which a part can be shown. */
export interface EntryList {
  readonly length: number;
  readonly slice: (from: number, to: number) => readonly EntryView[];
}

const toEntryList = <T>(items: Sliceable<T>, toView: (item: T) => EntryView): EntryList => ({
  length: items.length,
  slice: (from, to) => items.slice(from, to).map(toView),
});

const partyAccount = ({ iban, accountNumber }: Counterparty) =>
  iban === undefined ? { bban: accountNumber } : { iban };

/** Who paid a credit, or was paid by a debit. */
function counterpartyFields({ amount, entry: { counterparty } }: BookedLine) {
  if (!counterparty) return {};
  const { name, bic } = counterparty;
  const account = partyAccount(counterparty);
  return amount.lt(0)
    ? { creditorName: name, creditorAccount: account, creditorAgent: bic }
    : { debtorName: name, debtorAccount: account, debtorAgent: bic };
}

/** What was exchanged, where the entry is a side of a trade. */
const exchangeFields = ({ exchange }: EntryDetails) =>
  exchange && [
    {
      sourceCurrency: exchange.sold.currency,
      exchangeRate: exchange.rate,
      unitCurrency: exchange.symbol.slice(0, 3),
      targetCurrency: exchange.bought.currency,
      quotationDate: exchange.quotedOn,
      contractIdentification: exchange.contract,
    },
  ];

/** Domain, family and sub-family, as the standard writes them in one text. */
const transactionCodeOf = ({ amount, entry: { kind } }: BookedLine) =>
  bankTransactionCode(swiftCodes[kind], amount.lt(0) ? "Debit" : "Credit").join("-");

function toLineView({ currency }: Account, line: BookedLine) {
  const { lineId, entry, amount, balance } = line;
  return {
    transactionId: lineId,
    entryReference: toEntryReference(lineId),
    endToEndId: entry.endToEnd ? entry.reference : undefined,
    bookingDate: dayOf(entry.bookedAt),
    valueDate: dayOf(entry.valueAt),
    transactionAmount: toCurrencyAmount(amount, currency),
    ...counterpartyFields(line),
    remittanceInformationUnstructured: entry.information,
    additionalInformation: entry.additionalInformation,
    currencyExchange: exchangeFields(entry),
    bankTransactionCode: transactionCodeOf(line),
    proprietaryBankTransactionCode: entry.type,
    balanceAfterTransaction: {
      balanceAmount: toCurrencyAmount(balance, currency),
      balanceType: "interimBooked",
    },
  };
}

const toTransferView = ({ amount, creditorName, creditorAccount, ...transfer }: Transfer) => ({
  endToEndId: transfer.endToEndIdentification,
  transactionAmount: toCurrencyAmount(amount.amount.neg(), amount.currency),
  creditorName,
  creditorAccount,
  remittanceInformationUnstructured: transfer.remittanceInformationUnstructured,
});

type EntryView = ReturnType<typeof toLineView | typeof toTransferView | typeof toStandingOrderView>;

const paymentsFrom = ({ openBanking }: World, account: Account): Payment[] =>
  [...openBanking.payments.values()].filter((payment) => payment.account === account);

/** Payments that are authorised and not booked. */
const pendingPayments = (world: World, account: Account) =>
  paymentsFrom(world, account).filter(
    ({ status, order }) => !order && (status === "ACTC" || status === "ACSP"),
  );

/** What is to leave the account by the payments that are pending. */
export const pendingTotal = (world: World, account: Account): Big =>
  totalOf({ transfers: pendingPayments(world, account).flatMap(({ transfers }) => transfers) });

/** The credits that became pending in a period; all without one. */
const pendingTransfers = (world: World, account: Account, period: Period | undefined) =>
  pendingPayments(world, account)
    .filter(({ authorisedAt }) => !period || isWithin(period, dayOf(authorisedAt!)))
    .flatMap(({ transfers }) => transfers);

/** Standing orders in force. */
const activeStandingOrders = (world: World, account: Account) =>
  paymentsFrom(world, account).flatMap(({ status, order, transfers }) =>
    order && status === "ACTC" ? transfers.map((transfer) => ({ order, transfer })) : [],
  );

const toStandingOrderView = ({ order, transfer }: ReturnType<typeof activeStandingOrders>[number]) => ({
  ...toTransferView(transfer),
  additionalInformationStructured: { standingOrderDetails: order },
});

/** Which entries a call asks for. */
export interface Selection {
  readonly bookingStatus: BookingStatus;
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly entryReferenceFrom?: string | undefined;
  readonly deltaList?: boolean | undefined;
  readonly page?: number | undefined;
}

const isWithin = ({ from, to }: Period, day: string) => from <= day && day <= to;

/** The days a call asks for; undefined where it asks for what came after something. Throws a DomainError when there are none. */
export function requestedPeriod({ now }: World, selection: Selection): Period | undefined {
  const { dateFrom, dateTo = dayOf(now), entryReferenceFrom, deltaList } = selection;
  if (dateFrom === undefined || entryReferenceFrom !== undefined || deltaList) return undefined;
  if (dateFrom > dateTo)
    throw new DomainError("period-invalid", "dateFrom must not be after dateTo, which is today.", dateFrom);
  return { from: dateFrom, to: dateTo };
}

/** How far back the entries go, unless the person has only just said yes. */
const daysOfHistory = 90;

/** The first day whose entries the consent opens now; undefined when it opens all. */
const firstDayOpen = ({ now }: World, { allHistoryUntil }: Consent): string | undefined =>
  now <= allHistoryUntil ? undefined : addDays(dayOf(now), -daysOfHistory);

/** Throws a DomainError for entries from before the first day that is open. */
export function assertDayOpen(world: World, consent: Consent, day: string): void {
  const first = firstDayOpen(world, consent);
  if (first !== undefined && day < first)
    throw new DomainError(
      "period-invalid",
      `Entries of more than ${daysOfHistory} days ago are shown right after the authorisation.`,
      `The first day now is ${first}.`,
    );
}

/** All that was booked on an account. */
export const availableLines = ({ ledger }: World, account: Account) =>
  ledger.lines(balanceAccount(account, "InterimAvailable"));

function linesAfter(world: World, consent: Consent, account: Account, reference: string): BookedLine[] {
  const lines = availableLines(world, account);
  const index = lines.indexOf(toLineId(reference));
  if (index < 0) throw new DomainError("reference-unknown", "There is no such entry.", reference);
  assertDayOpen(world, consent, dayOf(lines.at(index)!.entry.bookedAt));
  return lines.slice(index + 1);
}

/** The span of a report: further pages are of the one that began with the first. */
function reportSpanOf(
  world: World,
  { reported }: Consent,
  account: Account,
  { page = 0 }: Selection,
): ReportSpan {
  const previous = reported.get(account.accountId);
  if (page > 0 && previous) return previous;
  return { after: previous?.until ?? 0, until: availableLines(world, account).length };
}

function linesWithin(
  world: World,
  consent: Consent,
  account: Account,
  { after, until }: ReportSpan,
): BookedLine[] {
  const lines = availableLines(world, account);
  const open = firstDayOpen(world, consent);
  const firstOpenIndex = open === undefined ? 0 : lines.between(new Date(0), startOf(open)).length;
  return lines.slice(Math.max(after, firstOpenIndex), until);
}

function bookedLines(
  world: World,
  consent: Consent,
  account: Account,
  selection: Selection,
): Sliceable<BookedLine> {
  const { entryReferenceFrom } = selection;
  if (entryReferenceFrom !== undefined) return linesAfter(world, consent, account, entryReferenceFrom);
  const period = requestedPeriod(world, selection);
  if (!period) return linesWithin(world, consent, account, reportSpanOf(world, consent, account, selection));
  assertDayOpen(world, consent, period.from);
  return linesInPeriod(world, account, period);
}

/** Which lists a booking status asks for. */
const listsByStatus: Readonly<Record<Selection["bookingStatus"], readonly EntryListName[]>> = {
  booked: ["booked"],
  pending: ["pending"],
  both: ["booked", "pending"],
  information: ["information"],
  all: ["booked", "pending", "information"],
};

const entriesPerPage = 500;

/** A part of the lists, one after the other, and the number of the last such part. */
export interface Page {
  readonly entries: Readonly<Partial<Record<EntryListName, readonly EntryView[]>>>;
  readonly last: number;
}

function slicePage(lists: readonly (readonly [EntryListName, EntryList])[], page: number): Page {
  let offset = 0;
  const entries = lists.map(([name, { length, slice }]) => {
    const from = page * entriesPerPage - offset;
    offset += length;
    return [name, slice(Math.max(from, 0), Math.max(from + entriesPerPage, 0))];
  });
  return { entries: Object.fromEntries(entries), last: Math.max(Math.ceil(offset / entriesPerPage) - 1, 0) };
}

/** Whether a report lists what is booked up to now, and not another kind of entry or another time. */
function includesNow({ now }: World, selection: Selection): boolean {
  const today = dayOf(now);
  const { bookingStatus, dateFrom = today, dateTo = today, entryReferenceFrom, deltaList } = selection;
  const isOpenEnded = entryReferenceFrom !== undefined || deltaList === true;
  return (
    listsByStatus[bookingStatus].includes("booked") && (isOpenEnded || (dateFrom <= today && dateTo >= today))
  );
}

/** What a report that is made now shows of what is booked: the next delta begins there. None where it ends before. */
export const spanToRecord = (
  world: World,
  consent: Consent,
  account: Account,
  selection: Selection,
): ReportSpan | undefined =>
  includesNow(world, selection) ? reportSpanOf(world, consent, account, selection) : undefined;

/** Remembers what a report has given. */
export function recordReport(
  { reported }: Consent,
  { accountId }: Account,
  span: ReportSpan | undefined,
): void {
  if (span) reported.set(accountId, span);
}

/** A page of the lists a call asks for. Throws a DomainError when it asks for entries that are not there or not open. */
export function listTransactions(
  world: World,
  consent: Consent,
  account: Account,
  selection: Selection,
): Page {
  const lists: Readonly<Record<EntryListName, () => EntryList>> = {
    booked: () =>
      toEntryList(newestFirst(bookedLines(world, consent, account, selection)), (line) =>
        toLineView(account, line),
      ),
    pending: () =>
      toEntryList(pendingTransfers(world, account, requestedPeriod(world, selection)), toTransferView),
    information: () => toEntryList(activeStandingOrders(world, account), toStandingOrderView),
  };
  const requestedLists = listsByStatus[selection.bookingStatus].map((name) => [name, lists[name]()] as const);
  return slicePage(requestedLists, selection.page ?? 0);
}
