/** Accounts, balances and transactions under a consent. Contract: account information, rows 8 to 11. */
import type { BehavioursOf } from "../behaviour";
import { accountStatement } from "../world/statements/account-statement";
import type { AccountStatement } from "../world/statements/statement";
import { statementFile, stored } from "../files/formats";
import { json } from "../http";
import { DomainError } from "../world/domain-error";
import type { Account } from "../world/accounts/account";
import { addDays, dayOf, startOf } from "../world/calendar/days";
import { bucketOf } from "../world/ledger/ledger";
import type { World } from "../world/world";
import { typeFor } from "./accept";
import { link } from "./authorisation";
import { camt053 } from "./camt053";
import type { Consent } from "../world/open-banking/consent";
import { accountFor, consentFor, noteRead } from "./reading";
import { amountIn, bicOf, cashAccountType, referenceTo } from "../world/open-banking/references";
import {
  booksOf,
  checkOpen,
  noteReport,
  type Page,
  pendingTotal,
  periodOf,
  spanGiven,
  transactionsOf,
} from "./transactions";

function balancesOf(world: World, account: Account) {
  const { ledger, now } = world;
  const { currency } = account;
  const today = dayOf(now);
  const available = bucketOf(account, "InterimAvailable");
  const closing = ledger.balanceBefore(available, startOf(today));
  const current = ledger.balance(available);
  const expected = current.minus(pendingTotal(world, account));
  return [
    {
      balanceAmount: amountIn(closing, currency),
      balanceType: "closingBooked",
      referenceDate: addDays(today, -1),
    },
    {
      balanceAmount: amountIn(current, currency),
      balanceType: "interimAvailable",
      lastChangeDateTime: (booksOf(world, account).at(-1)?.entry.bookedAt ?? now).toISOString(),
    },
    { balanceAmount: amountIn(expected, currency), balanceType: "expected" },
  ];
}

function accountDetails(world: World, consent: Consent, account: Account, withBalance: boolean | undefined) {
  const { grant, client } = consent;
  const path = `/v1/accounts/${account.accountId}`;
  const opensBalances = grant.balances.includes(account);
  const links = {
    ...(opensBalances && { balances: link(`${path}/balances`) }),
    ...(grant.transactions.includes(account) && { transactions: link(`${path}/transactions`) }),
  };
  return {
    resourceId: account.accountId,
    ...referenceTo(account),
    ...(grant.ownerName.includes(account) && { ownerName: client.name }),
    name: `${account.currency} account`,
    product: "Current account",
    cashAccountType,
    status: "enabled",
    bic: bicOf(account),
    usage: "ORGA",
    ...(withBalance && opensBalances && { balances: balancesOf(world, account) }),
    _links: links,
  };
}

type Listing = Parameters<BehavioursOf<"openBanking">["openBanking.listTransactions"]>[0];

/** Links to other pages, where there is more than one. */
function pageLinks({ values: { page = 0 }, request }: Listing, { last }: Page) {
  if (last === 0) return {};
  const to = (number: number) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    searchParams.set("page", String(number));
    return link(`${pathname}?${searchParams.toString()}`);
  };
  return {
    first: to(0),
    ...(page > 0 && { previous: to(Math.min(page - 1, last)) }),
    ...(page < last && { next: to(page + 1) }),
    last: to(last),
  };
}

const statements: Readonly<Record<string, (statement: AccountStatement) => Promise<string | undefined>>> = {
  "application/xml": async (statement) => camt053(statement),
  "text/plain": async (statement) => {
    const file = await statementFile(statement, "mt940");
    return file && String((await stored(file)).bytes);
  },
};

/** The media types in which a call can be answered: a statement is of what was booked on some days. */
const formatsOf = ({ bookingStatus, dateFrom, entryReferenceFrom, deltaList }: Listing["values"]) =>
  bookingStatus === "booked" && dateFrom !== undefined && entryReferenceFrom === undefined && !deltaList
    ? [json, ...Object.keys(statements)]
    : [json];

function report(call: Listing, consent: Consent, account: Account) {
  const { values, world } = call;
  const page = transactionsOf(world, consent, account, values);
  const _links = { account: link(`/v1/accounts/${account.accountId}`), ...pageLinks(call, page) };
  return {
    status: 200,
    body: {
      account: referenceTo(account),
      transactions: { ...page.entries, _links },
      ...(values.withBalance &&
        consent.grant.balances.includes(account) && { balances: balancesOf(world, account) }),
    },
  } as const;
}

async function statementIn(call: Listing, consent: Consent, account: Account, type: string) {
  const { values, client, world } = call;
  const period = periodOf(world, values)!;
  checkOpen(world, consent, period.from);
  const body = await statements[type]!(accountStatement(world, client, account, period));
  if (body === undefined)
    throw new DomainError("requested-formats-invalid", "The format cannot carry these transactions.", type);
  return { status: 200, body, asText: type } as const;
}

export const openBanking: BehavioursOf<"openBanking"> = {
  "openBanking.listAccounts": (call) => {
    const consent = consentFor(call);
    noteRead(call, consent);
    const accounts = consent.grant.accounts.map((account) =>
      accountDetails(call.world, consent, account, call.values.withBalance),
    );
    return { status: 200, body: { accounts } };
  },

  "openBanking.getAccount": (call) => {
    const { consent, account } = accountFor(call, "accounts");
    noteRead(call, consent, account.accountId);
    return {
      status: 200,
      body: { account: accountDetails(call.world, consent, account, call.values.withBalance) },
    };
  },

  "openBanking.listBalances": (call) => {
    const { consent, account } = accountFor(call, "balances");
    noteRead(call, consent, account.accountId);
    return {
      status: 200,
      body: { account: referenceTo(account), balances: balancesOf(call.world, account) },
    };
  },

  "openBanking.listTransactions": async (call) => {
    const type = typeFor(call, formatsOf(call.values));
    const { consent, account } = accountFor(call, "transactions");
    const given = spanGiven(call.world, consent, account, call.values);
    const result =
      type === json ? report(call, consent, account) : await statementIn(call, consent, account, type);
    noteRead(call, consent, account.accountId);
    noteReport(consent, account, given);
    return result;
  },
};
