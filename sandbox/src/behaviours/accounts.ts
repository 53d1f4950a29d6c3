/** Accounts and balances. Contract: endpoints 8 to 12. */
import { Refusal } from "../refusal";
import type { Account } from "../world/accounts";
import type { Client } from "../world/parties";
import type { World } from "../world/world";

/** The client's account with an id. */
export function accountOf(world: World, client: Client, accountId: string): Account {
  const account = world.accounts.get(accountId);
  if (account?.clientId !== client.clientId)
    throw new Refusal(404, "account_not_found", "The client has no such account.", accountId);
  return account;
}
