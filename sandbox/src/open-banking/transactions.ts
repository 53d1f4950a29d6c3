/** Transactions in the form of the open-banking standard: booked, pending, and standing orders. */
import type { Big } from "big.js";
import { linesInPeriod, swiftCodes } from "../world/statements/account-statement";
import type { Period } from "../world/model/statement";
import { DomainError } from "../world/common/domain-error";
import { type Account, toCurrencyAmount, toEntryReference, toLineId } from "../world/model/account";
import { addDays, dayOf, startOf } from "@fxdesk/toolkit/calendars";
import { type BookedLine, type Counterparty, type EntryDetails } from "../world/ledger/ledger";
import { availableLines } from "../world/accounts/accounts";
import type { World } from "../world/model/world";
import { bankTransactionCode } from "./iso20022";
import type { Subset, BookingStatus } from "../world/common/enumerations";
import type { Consent, ReportSpan } from "../world/model/consent";
import { type Payment, totalOf, type Transfer } from "../world/model/payment";

type EntryListName = Subset<BookingStatus, "booked" | "pending" | "information">;

const partyAccount = ({ iban, accountNumber }: Counterparty) =>
  iban === undefined ? { bban: accountNumber } : { iban };

/** Returns the debtor of a credit or the creditor of a debit. */
function counterpartyFields({ amount, entry: { counterparty } }: BookedLine) {
  if (!counterparty) return {};
  const { name, bic } = counterparty;
  const account = partyAccount(counterparty);
  return amount.lt(0)
    ? { creditorName: name, creditorAccount: account, creditorAgent: bic }
    : { debtorName: name, debtorAccount: account, debtorAgent: bic };
}

/** Returns the currency exchange if the entry is one side of a trade. */
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

/** Joins domain, family and sub-family as the standard writes them. */
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

/** Returns the authorised payments that are not booked yet. */
const pendingPayments = (world: World, account: Account) =>
  paymentsFrom(world, account).filter(
    ({ status, order }) => !order && (status === "ACTC" || status === "ACSP"),
  );

/** Total of the pending payments of an account. */
export const pendingTotal = (world: World, account: Account): Big =>
  totalOf({ transfers: pendingPayments(world, account).flatMap(({ transfers }) => transfers) });

/** Returns the transfers that became pending in a period, or all if no period is given. */
const pendingTransfers = (world: World, account: Account, period: Period | undefined) =>
  pendingPayments(world, account)
    .filter(({ authorisedAt }) => !period || isWithin(period, dayOf(authorisedAt!)))
    .flatMap(({ transfers }) => transfers);

/** Returns the active standing orders of an account. */
const activeStandingOrders = (world: World, account: Account) =>
  paymentsFrom(world, account).flatMap(({ status, order, transfers }) =>
    order && status === "ACTC" ? transfers.map((transfer) => ({ order, transfer })) : [],
  );

const toStandingOrderView = ({ order, transfer }: ReturnType<typeof activeStandingOrders>[number]) => ({
  ...toTransferView(transfer),
  additionalInformationStructured: { standingOrderDetails: order },
});

/** Selection of entries in a call. */
interface Selection {
  readonly bookingStatus: BookingStatus;
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly entryReferenceFrom?: string | undefined;
  readonly deltaList?: boolean | undefined;
  readonly page?: number | undefined;
}

const isWithin = ({ from, to }: Period, day: string) => from <= day && day <= to;

/** Returns the requested period, or undefined for a delta report. Throws a DomainError if the period is empty. */
export function requestedPeriod({ now }: World, selection: Selection): Period | undefined {
  const { dateFrom, dateTo = dayOf(now), entryReferenceFrom, deltaList } = selection;
  if (dateFrom === undefined || entryReferenceFrom !== undefined || deltaList) return undefined;
  if (dateFrom > dateTo)
    throw new DomainError(
      "period-invalid",
      "dateFrom must not be after dateTo, which defaults to today.",
      dateFrom,
    );
  return { from: dateFrom, to: dateTo };
}

/** Days of history that a consent covers, except shortly after the authorisation. */
const daysOfHistory = 90;

/** Returns the first day that the consent covers now, or undefined if it covers all. */
const firstDayOpen = ({ now }: World, { allHistoryUntil }: Consent): string | undefined =>
  now <= allHistoryUntil ? undefined : addDays(dayOf(now), -daysOfHistory);

/** Throws a DomainError if the consent does not cover the day. */
export function assertDayOpen(world: World, consent: Consent, day: string): void {
  const first = firstDayOpen(world, consent);
  if (first !== undefined && day < first)
    throw new DomainError(
      "period-invalid",
      `Entries older than ${daysOfHistory} days are available only shortly after the authorisation.`,
      `The earliest day is now ${first}.`,
    );
}

function linesAfter(world: World, consent: Consent, account: Account, reference: string): BookedLine[] {
  const lines = availableLines(world, account);
  const index = lines.findIndex(({ lineId }) => lineId === toLineId(reference));
  if (index < 0) throw new DomainError("reference-unknown", "The entry is unknown.", reference);
  assertDayOpen(world, consent, dayOf(lines[index]!.entry.bookedAt));
  return lines.slice(index + 1);
}

/** Returns the line range of a delta report. Further pages use the range of the first page. */
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
  const lines = availableLines(world, account).slice(after, until);
  const open = firstDayOpen(world, consent);
  return open === undefined ? lines : lines.filter(({ entry }) => entry.bookedAt >= startOf(open));
}

function bookedLines(
  world: World,
  consent: Consent,
  account: Account,
  selection: Selection,
): readonly BookedLine[] {
  const { entryReferenceFrom } = selection;
  if (entryReferenceFrom !== undefined) return linesAfter(world, consent, account, entryReferenceFrom);
  const period = requestedPeriod(world, selection);
  if (!period) return linesWithin(world, consent, account, reportSpanOf(world, consent, account, selection));
  assertDayOpen(world, consent, period.from);
  return linesInPeriod(world, account, period);
}

/** Entry lists by booking status. */
const listsByStatus: Readonly<Record<Selection["bookingStatus"], readonly EntryListName[]>> = {
  booked: ["booked"],
  pending: ["pending"],
  both: ["booked", "pending"],
  information: ["information"],
  all: ["booked", "pending", "information"],
};

const entriesPerPage = 500;

/** Page of the concatenated lists, and the number of the last page. */
export interface Page {
  readonly entries: Readonly<Partial<Record<EntryListName, readonly EntryView[]>>>;
  readonly last: number;
}

/** True if the report includes booked entries up to now. */
function includesNow({ now }: World, selection: Selection): boolean {
  const today = dayOf(now);
  const { bookingStatus, dateFrom = today, dateTo = today, entryReferenceFrom, deltaList } = selection;
  const isOpenEnded = entryReferenceFrom !== undefined || deltaList === true;
  return (
    listsByStatus[bookingStatus].includes("booked") && (isOpenEnded || (dateFrom <= today && dateTo >= today))
  );
}

/** Returns the line range to record, where the next delta report starts. Undefined if the report ends in the past. */
export const spanToRecord = (
  world: World,
  consent: Consent,
  account: Account,
  selection: Selection,
): ReportSpan | undefined =>
  includesNow(world, selection) ? reportSpanOf(world, consent, account, selection) : undefined;

/**
 * Returns a page of the requested lists. Throws a DomainError if the entries are unknown or not covered by the consent.
 */
export function listTransactions(
  world: World,
  consent: Consent,
  account: Account,
  selection: Selection,
): Page {
  // Only the entries of the page are converted.
  const lists: Readonly<Record<EntryListName, () => readonly (() => EntryView)[]>> = {
    booked: () =>
      bookedLines(world, consent, account, selection)
        .toReversed()
        .map((line) => () => toLineView(account, line)),
    pending: () =>
      pendingTransfers(world, account, requestedPeriod(world, selection)).map(
        (transfer) => () => toTransferView(transfer),
      ),
    information: () => activeStandingOrders(world, account).map((order) => () => toStandingOrderView(order)),
  };
  const names = listsByStatus[selection.bookingStatus];
  const all = names.flatMap((name) => lists[name]().map((toView) => ({ name, toView })));
  const start = (selection.page ?? 0) * entriesPerPage;
  const shown = all.slice(start, start + entriesPerPage);
  const viewsOf = (list: EntryListName) =>
    shown.filter(({ name }) => name === list).map(({ toView }) => toView());
  return {
    entries: Object.fromEntries(names.map((name) => [name, viewsOf(name)])),
    last: Math.max(Math.ceil(all.length / entriesPerPage) - 1, 0),
  };
}
