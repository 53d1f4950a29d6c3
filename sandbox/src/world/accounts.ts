/** The accounts of the clients: one for each currency. */
import type { Client } from "./parties";
import type { World } from "./world";

export interface Account {
  readonly accountId: string;
  /** The whole number that stands for the account on the simplified list and in MT940 requests. */
  readonly listNumber: number;
  readonly clientId: string;
  readonly currency: string;
  /** From which its numbers at the bank are made. */
  readonly digits: string;
}

const firstListNumber = 100_001;

/** The client's account in a currency; opened when there is none. */
export function accountIn(world: World, { clientId }: Pick<Client, "clientId">, currency: string): Account {
  const all = [...world.accounts.values()];
  const existing = all.find((account) => account.clientId === clientId && account.currency === currency);
  if (existing) return existing;
  const account = {
    accountId: world.ids.uuid(),
    listNumber: firstListNumber + all.length,
    clientId,
    currency,
    digits: world.ids.digits(10),
  };
  world.accounts.set(account.accountId, account);
  return account;
}
