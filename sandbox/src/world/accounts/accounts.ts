/** The accounts of the clients: one for each currency. */
import type { Account } from "./account";
import type { Client } from "../parties/parties";
import type { World } from "../world";

const firstListNumber = 100_001;

type Holder = Pick<Client, "clientId">;

/** The client's account in a currency, where there is one. */
export function findAccountIn(
  { accounts }: World,
  { clientId }: Holder,
  currency: string,
): Account | undefined {
  for (const account of accounts.values())
    if (account.clientId === clientId && account.currency === currency) return account;
  return undefined;
}

/** The client's account in a currency; opened when there is none. */
export function findOrOpenAccount(world: World, holder: Holder, currency: string): Account {
  return findAccountIn(world, holder, currency) ?? openAccount(world, holder, currency);
}

/** Opens an account. A client may have several in a currency: the first is the one that trades settle on. */
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
