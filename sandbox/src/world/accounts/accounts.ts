import type { Account } from "../model/account";
import type { Client } from "../parties/parties";
import type { World } from "../model/world";

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
