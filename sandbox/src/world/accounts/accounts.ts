/** Accounts and the movements of money in them. */
import type { Account } from "../model/account";
import type { Client } from "../parties/parties";
import type { World } from "../model/world";
import type { Big } from "big.js";
import {
  balanceAccount,
  type BookedLine,
  type Bucket,
  type EntryKind,
  type House,
  houseAccount,
  type LedgerAccount,
  type Movement,
} from "../ledger/ledger";

const firstListNumber = 100_001;

type Holder = Pick<Client, "clientId">;

/** Finds a client's account in a currency. Of several, the first one opened. */
export function findAccountIn(
  { accounts }: World,
  { clientId }: Holder,
  currency: string,
): Account | undefined {
  for (const account of accounts.values())
    if (account.clientId === clientId && account.currency === currency) return account;
  return undefined;
}

/** Returns the client's account in a currency, opening one if needed. */
export function findOrOpenAccount(world: World, holder: Holder, currency: string): Account {
  return findAccountIn(world, holder, currency) ?? openAccount(world, holder, currency);
}

/** Opens an account. If a client has several in a currency, trades settle on the first. */
export function openAccount(world: World, holder: Holder, currency: string): Account {
  const account = Object.freeze({
    accountId: world.ids.uuid(),
    listNumber: firstListNumber + world.accounts.size,
    clientId: holder.clientId,
    currency,
    digits: world.ids.digits(10),
  });
  world.accounts.set(account.accountId, account);
  return account;
}

export const availableBalance = (world: World, account: Account): Big =>
  world.ledger.balance(balanceAccount(account, "InterimAvailable"));

/** Returns the lines booked in the available balance of an account. */
export const availableLines = ({ ledger }: World, account: Account): readonly BookedLine[] =>
  ledger.lines(balanceAccount(account, "InterimAvailable"));

/** Kind of entry by house account. */
const entryKinds: Readonly<Record<House, EntryKind>> = {
  nostro: "transfer",
  exchange: "exchange",
  fees: "fee",
  interest: "interest",
  promises: "transfer",
};

/** Moves money between an account and a house account. Positive amounts go to the client. */
export function moveMoney(
  world: World,
  account: Account,
  amount: Big,
  house: House,
  movement: Movement,
): void {
  const kind = movement.type === "payment_returned" ? "return" : entryKinds[house];
  postTransfer(world, account, amount, houseAccount(house, account.currency), kind, movement);
}

/** Moves money between the available and another balance of an account. Positive amounts become available. */
export function moveToBalance(
  world: World,
  account: Account,
  amount: Big,
  bucket: Bucket,
  movement: Movement,
): void {
  postTransfer(world, account, amount, balanceAccount(account, bucket), "margin", movement);
}

function postTransfer(
  { ledger, now }: World,
  account: Account,
  amount: Big,
  against: LedgerAccount,
  kind: EntryKind,
  movement: Movement,
): void {
  ledger.post({ valueAt: now, ...movement, kind, bookedAt: now }, [
    { account: balanceAccount(account, "InterimAvailable"), amount },
    { account: against, amount: amount.neg() },
  ]);
}

/** Records an expected or committed amount in a balance; a negative amount reverses it. No money moves. */
export function recordExpectation(
  { ledger, now }: World,
  account: Account,
  bucket: Bucket,
  amount: Big,
  { reference, valueAt }: { readonly reference: string; readonly valueAt: Date },
): void {
  const type = amount.gt(0) ? "credit" : "debit";
  const entry = { bookedAt: now, valueAt, type, kind: "transfer", reference, information: bucket } as const;
  ledger.post(entry, [
    { account: balanceAccount(account, bucket), amount },
    { account: houseAccount("promises", account.currency), amount: amount.neg() },
  ]);
}
