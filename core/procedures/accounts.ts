/** Accounts that the caller of a procedure selects, and their balances. */
import type { balanceTypes } from "../contract/accounts";
import { FxdeskError } from "../spec/errors";
import { AccountId, Currencies } from "../values/values";
import { mapConcurrent, type Context, type ContractClient } from "./procedure";
import { assertBalances } from "./row-validation";

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

type Balance = Awaited<ReturnType<ContractClient["accounts"]["listBalances"]>>[number];

export interface AccountBalances {
  readonly account: Account;
  readonly balances: readonly Balance[];
  /** Reason why the balances could not be read. */
  readonly unread?: string;
}

/** Reads balances of accounts side by side, in the order of the accounts. An account that fails does not affect the others. */
export async function readBalances(
  context: Context,
  accounts: readonly Account[],
  types: readonly (typeof balanceTypes)[number][],
): Promise<readonly AccountBalances[]> {
  const { client, signal, progress } = context;
  let done = 0;
  const read = async (account: Account): Promise<AccountBalances> => {
    const { account_id } = account;
    try {
      const listed = await client.accounts.listBalances({ account_id, balance_types: [...types] });
      return { account, balances: assertBalances(listed) };
    } catch (error) {
      if (!(error instanceof FxdeskError) || signal?.aborted) throw error;
      return { account, balances: [], unread: error.message };
    }
  };
  return mapConcurrent(context, accounts, async (account) => {
    const result = await read(account);
    progress({ done: (done += 1), total: accounts.length, message: `Balances in ${account.currency}` });
    return result;
  });
}

/** Returns a gap for each account whose balances could not be read. `what` names them in the message. */
export const unreadGaps = (what: string, read: readonly AccountBalances[]): string[] =>
  read.flatMap(({ account: { account_id: id, currency }, unread }) =>
    unread === undefined ? [] : [`${what} of account ${id} in ${currency}: ${unread}`],
  );
