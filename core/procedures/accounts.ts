/** Selection of accounts by the caller of a procedure. */
import { AccountId, Currencies } from "../values/values";
import type { ContractClient } from "./procedure";

export type Account = Awaited<ReturnType<ContractClient["accounts"]["list"]>>[number];

/** Input fields that select accounts. Default: all. */
export const accountFields = {
  accounts: AccountId.array()
    .optional()
    .meta({ title: "Accounts", description: "Account UUIDs; default all." }),
  currencies: Currencies.optional().meta({
    title: "Currencies",
    description: "Codes such as EUR,GBP; default all.",
  }),
};

/** The operations that `selectAccounts` calls. */
export const accountOperations = ["accounts.listCurrencyAccounts", "accounts.list"] as const;

/** Returns the selected accounts. Accounts that do not exist are missing from the result. */
export async function selectAccounts(
  client: ContractClient,
  {
    accounts,
    currencies,
  }: { readonly accounts?: readonly string[] | undefined; readonly currencies?: string | undefined },
): Promise<readonly Account[]> {
  const requestedCurrencies =
    currencies ??
    [...new Set((await client.accounts.listCurrencyAccounts()).map(({ currency }) => currency))].join(",");
  if (requestedCurrencies === "") return [];
  const all = await client.accounts.list({ currencies: requestedCurrencies });
  return accounts ? all.filter(({ account_id: id }) => accounts.includes(id)) : all;
}

/** Returns the requested accounts that were not found, with a reason. */
export const findMissingAccounts = (
  {
    accounts = [],
    currencies,
  }: { readonly accounts?: readonly string[] | undefined; readonly currencies?: string | undefined },
  found: readonly Account[],
): { readonly account_id: string; readonly reason: string }[] =>
  accounts
    .filter((id) => !found.some(({ account_id: known }) => known === id))
    .map((account_id) => ({
      account_id,
      reason: `Account not found${currencies === undefined ? "" : ` in ${currencies}`}.`,
    }));
