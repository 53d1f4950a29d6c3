/** Accounts, balances and transactions under a consent. Contract: account information, rows 8 to 11. */
import type { Big } from "big.js";
import type { BehavioursOf, Call } from "../behaviour";
import { header } from "../http";
import { Refusal } from "../refusal";
import type { Account } from "../world/accounts";
import { written } from "../world/currencies";
import { addDays, dayOf, startOf } from "../world/days";
import { type BookedLine, bucketOf, type Counterparty } from "../world/ledger";
import type { World } from "../world/world";
import { type Use, withOwnerName } from "./access";
import { link } from "./authorisation";
import type { Consent } from "./consent";
import { consentOf } from "./consents";
import type { Payment, Transfer } from "./payment";
import { bicOf, referenceTo } from "./references";

interface Reading {
  readonly "Consent-ID": string;
  readonly "PSU-IP-Address": string | undefined;
}

/** The consent of a call, valid. A call without a person counts against what was agreed for a day. */
function consentFor({ operation, values, client, world }: Call<Reading>, thing: string): Consent {
  const consent = consentOf(world, client, values["Consent-ID"], 400);
  const { status, unattended, frequencyPerDay } = consent;
  if (status === "expired") throw new Refusal(401, "CONSENT_EXPIRED", "The consent has expired.");
  if (status !== "valid") throw new Refusal(401, "CONSENT_INVALID", `The consent is ${status}.`);
  const today = dayOf(world.now);
  consent.lastActionDate = today;
  if (values["PSU-IP-Address"] !== undefined) return consent;
  const key = `${today} ${operation.name} ${thing}`;
  const times = (unattended.get(key) ?? 0) + 1;
  if (times > frequencyPerDay)
    throw new Refusal(429, "ACCESS_EXCEEDED", `The consent is for ${frequencyPerDay} reads a day.`);
  unattended.set(key, times);
  return consent;
}

interface AccountReading extends Reading {
  readonly "account-id": string;
}

/** The account a call reads, and the consent that opens it for that use. */
function accountFor(call: Call<AccountReading>, use: Use): { consent: Consent; account: Account } {
  const id = call.values["account-id"];
  const account = call.world.accountsOf(call.client).find(({ accountId }) => accountId === id);
  if (!account) throw new Refusal(404, "RESOURCE_UNKNOWN", "There is no such account.", id);
  const consent = consentFor(call, id);
  if (!consent.grant[use].includes(account))
    throw new Refusal(401, "CONSENT_INVALID", `The consent does not open the ${use} of this account.`);
  return { consent, account };
}

const amountIn = (amount: Big, currency: string) => ({ currency, amount: written(amount, currency) });

const books = ({ ledger }: World, account: Account) => ledger.lines(bucketOf(account, "InterimAvailable"));

function balancesOf(world: World, account: Account) {
  const { ledger, now } = world;
  const { currency } = account;
  const today = dayOf(now);
  const available = bucketOf(account, "InterimAvailable");
  const closing = ledger.balanceBefore(available, startOf(today));
  const current = ledger.balance(available);
  const coming = ledger.balance(bucketOf(account, "Incoming"));
  const going = ledger.balance(bucketOf(account, "Outgoing"));
  const expected = current.plus(coming).minus(going);
  return [
    {
      balanceAmount: amountIn(closing, currency),
      balanceType: "closingBooked",
      referenceDate: addDays(today, -1),
    },
    {
      balanceAmount: amountIn(current, currency),
      balanceType: "interimAvailable",
      lastChangeDateTime: (books(world, account).at(-1)?.entry.bookedAt ?? now).toISOString(),
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
    ...(withOwnerName(consent.access) && { ownerName: client.name }),
    name: `${account.currency} account`,
    product: "Current account",
    cashAccountType: "CACC",
    status: "enabled",
    bic: bicOf(account),
    usage: "ORGA",
    ...(withBalance && opensBalances && { balances: balancesOf(world, account) }),
    _links: links,
  };
}

const accountOfParty = ({ iban, accountNumber }: Counterparty) =>
  iban === undefined ? { bban: accountNumber } : { iban };

/** Who paid a credit, or was paid by a debit. */
function otherSide({ amount, entry: { counterparty } }: BookedLine) {
  if (!counterparty) return {};
  const { name, bic } = counterparty;
  const account = accountOfParty(counterparty);
  return amount.lt(0)
    ? { creditorName: name, creditorAccount: account, creditorAgent: bic }
    : { debtorName: name, debtorAccount: account, debtorAgent: bic };
}

/** An entry's reference has at most 35 characters. */
const entryReference = ({ lineId }: BookedLine) => lineId.replaceAll("-", "");
const lineIdOf = (reference: string) =>
  reference.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

function booked({ currency }: Account, line: BookedLine) {
  const { lineId, entry, amount, balance } = line;
  return {
    transactionId: lineId,
    entryReference: entryReference(line),
    endToEndId: entry.reference,
    bookingDate: dayOf(entry.bookedAt),
    valueDate: dayOf(entry.valueAt),
    transactionAmount: amountIn(amount, currency),
    ...otherSide(line),
    remittanceInformationUnstructured: entry.information,
    additionalInformation: entry.additionalInformation,
    proprietaryBankTransactionCode: entry.type,
    balanceAfterTransaction: {
      balanceAmount: amountIn(balance, currency),
      balanceType: "interimBooked",
    },
  };
}

const notBooked = ({ amount, creditorName, creditorAccount, ...transfer }: Transfer) => ({
  endToEndId: transfer.endToEndIdentification,
  transactionAmount: amountIn(amount.amount.neg(), amount.currency),
  creditorName,
  creditorAccount,
  remittanceInformationUnstructured: transfer.remittanceInformationUnstructured,
});

const paymentsFrom = ({ openBanking }: World, account: Account): Payment[] =>
  [...openBanking.payments.values()].filter((payment) => payment.account === account);

/** Payments that are authorised and not booked. */
const pending = (world: World, account: Account) =>
  paymentsFrom(world, account)
    .filter(({ status, order }) => !order && (status === "ACTC" || status === "ACSP"))
    .flatMap(({ transfers }) => transfers.map(notBooked));

/** Standing orders in force. */
const information = (world: World, account: Account) =>
  paymentsFrom(world, account).flatMap(({ status, order, transfers }) => {
    if (!order || status !== "ACTC") return [];
    const { startDate, endDate, frequency, executionRule, dayOfExecution, monthsOfExecution } = order;
    const standingOrderDetails = {
      startDate,
      endDate,
      frequency,
      executionRule,
      dayOfExecution,
      monthsOfExecution,
    };
    return transfers.map((transfer) => ({
      ...notBooked(transfer),
      additionalInformationStructured: { standingOrderDetails },
    }));
  });

type Listing = Parameters<BehavioursOf<"openBanking">["openBanking.listTransactions"]>[0]["values"];

/** The entries a call asks for: those of some days, or those after the last call or a known entry. */
function wanted({ values, world }: Call<Listing>, consent: Consent, account: Account): readonly BookedLine[] {
  const lines = books(world, account);
  const { entryReferenceFrom: from, deltaList, dateFrom = "", dateTo = dayOf(world.now) } = values;
  if (from !== undefined) {
    const place = lines.indexOf(lineIdOf(from));
    if (place < 0) throw new Refusal(400, "RESOURCE_UNKNOWN", "There is no such entry.", from);
    return lines.slice(place + 1);
  }
  if (deltaList) {
    const since = consent.reported.get(account.accountId) ?? new Date(0);
    return lines.filter(({ entry }) => entry.bookedAt > since);
  }
  return lines.filter(({ entry }) => {
    const day = dayOf(entry.bookedAt);
    return dateFrom <= day && day <= dateTo;
  });
}

/** Which lists a booking status asks for. */
const listsOf: Readonly<Record<Listing["bookingStatus"], readonly string[]>> = {
  booked: ["booked"],
  pending: ["pending"],
  both: ["booked", "pending"],
  information: ["information"],
  all: ["booked", "pending", "information"],
};

const takesJson = /^\s*(\*\/\*|application\/(\*|json|problem\+json))\s*(;|$)/i;

/** The sandbox reports transactions in JSON. */
function checkAccept({ request }: Call<Listing>): void {
  const accept = header(request, "accept") ?? "*/*";
  if (!accept.split(",").some((type) => takesJson.test(type)))
    throw new Refusal(406, "REQUESTED_FORMATS_INVALID", "Transactions come in JSON only.", accept);
}

export const openBanking: BehavioursOf<"openBanking"> = {
  "openBanking.listAccounts": (call) => {
    const consent = consentFor(call, "");
    const accounts = consent.grant.accounts.map((account) =>
      accountDetails(call.world, consent, account, call.values.withBalance),
    );
    return { status: 200, body: { accounts } };
  },

  "openBanking.getAccount": (call) => {
    const { consent, account } = accountFor(call, "accounts");
    return {
      status: 200,
      body: { account: accountDetails(call.world, consent, account, call.values.withBalance) },
    };
  },

  "openBanking.listBalances": (call) => {
    const { account } = accountFor(call, "balances");
    return {
      status: 200,
      body: { account: referenceTo(account), balances: balancesOf(call.world, account) },
    };
  },

  "openBanking.listTransactions": (call) => {
    const { values, world } = call;
    checkAccept(call);
    const { consent, account } = accountFor(call, "transactions");
    const lists = {
      booked: () =>
        wanted(call, consent, account)
          .toReversed()
          .map((line) => booked(account, line)),
      pending: () => pending(world, account),
      information: () => information(world, account),
    };
    const asked = Object.entries(lists).filter(([name]) => listsOf[values.bookingStatus].includes(name));
    const transactions = Object.fromEntries(asked.map(([name, list]) => [name, list()]));
    consent.reported.set(account.accountId, world.now);
    const balances = values.withBalance && consent.grant.balances.includes(account);
    return {
      status: 200,
      body: {
        account: referenceTo(account),
        transactions: { ...transactions, _links: { account: link(`/v1/accounts/${account.accountId}`) } },
        ...(balances && { balances: balancesOf(world, account) }),
      },
    };
  },
};
