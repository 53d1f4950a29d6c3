/** Accounts, balances and transactions under a consent. Contract: account information, rows 8 to 11. */
import type { BehavioursOf } from "../calls/behaviour";
import { createAccountStatement } from "../world/statements/account-statement";
import type { AccountStatement } from "../world/model/statement";
import { statementFile } from "../files/statement-file";
import { jsonMediaType } from "../http/http";
import { DomainError } from "../world/common/domain-error";
import {
  type Account,
  toCurrencyAmount,
  bicOf,
  cashAccountType,
  toAccountReference,
} from "../world/model/account";
import { addDays, dayOf, startOf } from "@fxdesk/toolkit/calendars";
import { availableLines } from "../world/accounts/accounts";
import { balanceAccount } from "../world/ledger/ledger";
import type { World } from "../world/model/world";
import { negotiateResponseType } from "../calls/responses";
import { link } from "./authorisation-responses";
import { writeCamt053 } from "./iso20022";
import type { Consent } from "../world/model/consent";
import { findReadableAccount, findValidConsent, recordRead } from "./consents";
import {
  assertDayOpen,
  type Page,
  pendingTotal,
  requestedPeriod,
  spanToRecord,
  listTransactions,
} from "./transactions";

function toBalances(world: World, account: Account) {
  const { ledger, now } = world;
  const { currency } = account;
  const today = dayOf(now);
  const available = balanceAccount(account, "InterimAvailable");
  const closing = ledger.balanceBefore(available, startOf(today));
  const current = ledger.balance(available);
  const expected = current.minus(pendingTotal(world, account));
  return [
    {
      balanceAmount: toCurrencyAmount(closing, currency),
      balanceType: "closingBooked",
      referenceDate: addDays(today, -1),
    },
    {
      balanceAmount: toCurrencyAmount(current, currency),
      balanceType: "interimAvailable",
      lastChangeDateTime: (availableLines(world, account).at(-1)?.entry.bookedAt ?? now).toISOString(),
    },
    { balanceAmount: toCurrencyAmount(expected, currency), balanceType: "expected" },
  ];
}

function toAccountView(world: World, consent: Consent, account: Account, withBalance: boolean | undefined) {
  const { grant, client } = consent;
  const path = `/v1/accounts/${account.accountId}`;
  const includesBalances = grant.balances.includes(account);
  const links = {
    ...(includesBalances && { balances: link(`${path}/balances`) }),
    ...(grant.transactions.includes(account) && { transactions: link(`${path}/transactions`) }),
  };
  return {
    resourceId: account.accountId,
    ...toAccountReference(account),
    ...(grant.ownerName.includes(account) && { ownerName: client.name }),
    name: `${account.currency} account`,
    product: "Current account",
    cashAccountType,
    status: "enabled",
    bic: bicOf(account),
    usage: "ORGA",
    ...(withBalance && includesBalances && { balances: toBalances(world, account) }),
    _links: links,
  };
}

type ListTransactionsCall = Parameters<BehavioursOf<"openBanking">["openBanking.listTransactions"]>[0];

/** Links to the other pages, if there are any. */
function pageLinks({ values: { page = 0 }, request }: ListTransactionsCall, { last }: Page) {
  if (last === 0) return {};
  const linkToPage = (number: number) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    searchParams.set("page", String(number));
    return link(`${pathname}?${searchParams.toString()}`);
  };
  return {
    first: linkToPage(0),
    ...(page > 0 && { previous: linkToPage(Math.min(page - 1, last)) }),
    ...(page < last && { next: linkToPage(page + 1) }),
    last: linkToPage(last),
  };
}

const statementWriters: Readonly<
  Record<string, (statement: AccountStatement) => Promise<string | undefined>>
> = {
  "application/xml": async (statement) => writeCamt053(statement),
  "text/plain": async (statement) => {
    const file = await statementFile(statement, "mt940");
    return file && String(file.bytes);
  },
};

/** Returns the media types available for a call. A statement needs booked entries and a period. */
const availableMediaTypes = ({
  bookingStatus,
  dateFrom,
  entryReferenceFrom,
  deltaList,
}: ListTransactionsCall["values"]) =>
  bookingStatus === "booked" && dateFrom !== undefined && entryReferenceFrom === undefined && !deltaList
    ? [jsonMediaType, ...Object.keys(statementWriters)]
    : [jsonMediaType];

function toReport(call: ListTransactionsCall, consent: Consent, account: Account) {
  const { values, world } = call;
  const page = listTransactions(world, consent, account, values);
  const _links = { account: link(`/v1/accounts/${account.accountId}`), ...pageLinks(call, page) };
  return {
    status: 200,
    body: {
      account: toAccountReference(account),
      transactions: { ...page.entries, _links },
      ...(values.withBalance &&
        consent.grant.balances.includes(account) && { balances: toBalances(world, account) }),
    },
  } as const;
}

async function toStatement(call: ListTransactionsCall, consent: Consent, account: Account, type: string) {
  const { values, client, world } = call;
  const period = requestedPeriod(world, values)!;
  assertDayOpen(world, consent, period.from);
  const body = await statementWriters[type]!(createAccountStatement(world, client, account, period));
  if (body === undefined)
    throw new DomainError("requested-formats-invalid", "The format cannot carry these transactions.", type);
  return { status: 200, body, asText: type } as const;
}

export const openBanking: BehavioursOf<"openBanking"> = {
  "openBanking.listAccounts": (call) => {
    const consent = findValidConsent(call);
    recordRead(call, consent);
    const accounts = consent.grant.accounts.map((account) =>
      toAccountView(call.world, consent, account, call.values.withBalance),
    );
    return { status: 200, body: { accounts } };
  },

  "openBanking.getAccount": (call) => {
    const { consent, account } = findReadableAccount(call, "accounts");
    recordRead(call, consent, account.accountId);
    return {
      status: 200,
      body: { account: toAccountView(call.world, consent, account, call.values.withBalance) },
    };
  },

  "openBanking.listBalances": (call) => {
    const { consent, account } = findReadableAccount(call, "balances");
    recordRead(call, consent, account.accountId);
    return {
      status: 200,
      body: { account: toAccountReference(account), balances: toBalances(call.world, account) },
    };
  },

  "openBanking.listTransactions": async (call) => {
    const type = negotiateResponseType(call, availableMediaTypes(call.values));
    const { consent, account } = findReadableAccount(call, "transactions");
    const span = spanToRecord(call.world, consent, account, call.values);
    const result =
      type === jsonMediaType
        ? toReport(call, consent, account)
        : await toStatement(call, consent, account, type);
    recordRead(call, consent, account.accountId);
    if (span) consent.reported.set(account.accountId, span);
    return result;
  },
};
