/** The accounts of the clients: one for each currency. */
import { homeOf } from "./banks";
import type { Client } from "./parties";
import type { World } from "./world";

export interface Account {
  readonly accountId: string;
  /** The whole number that stands for the account on the simplified list and in MT940 requests. */
  readonly listNumber: number;
  readonly clientId: string;
  readonly currency: string;
  /** From which its own numbers at the bank are made. */
  readonly digits: string;
}

/** From what numbers at the bank are made, as the country writes them. */
export interface Numbers {
  readonly country: string;
  readonly digits: string;
}

/** The numbers that an account has from the beginning. */
export const ownNumbers = ({ currency, digits }: Account): Numbers => ({ country: homeOf(currency), digits });

const firstListNumber = 100_001;

type Holder = Pick<Client, "clientId">;

/** The client's account in a currency, where there is one. */
export function openAccountIn(
  { accounts }: World,
  { clientId }: Holder,
  currency: string,
): Account | undefined {
  for (const account of accounts.values())
    if (account.clientId === clientId && account.currency === currency) return account;
  return undefined;
}

/** The client's account in a currency; opened when there is none. */
export function accountIn(world: World, holder: Holder, currency: string): Account {
  const existing = openAccountIn(world, holder, currency);
  if (existing) return existing;
  const account = {
    accountId: world.ids.uuid(),
    listNumber: firstListNumber + world.accounts.size,
    clientId: holder.clientId,
    currency,
    digits: world.ids.digits(10),
  };
  world.accounts.set(account.accountId, account);
  return account;
}
