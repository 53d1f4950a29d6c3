/** Accounts that the caller of a procedure selects, and their balances. */
import { invalidInputError } from "../call/call-errors";
import { type balanceTypes, listAccounts } from "../contract/accounts";
import { FxdeskError } from "../spec/errors";
import { AccountId, Currencies } from "../values/values";
import { attempt, mapConcurrent, type Context, type ContractClient } from "./procedure";
import { assertBalances } from "./row-validation";

export type Account = Awaited<ReturnType<ContractClient["accounts"]["list"]>>[number];

/** Returns undefined if account_details is not a list: a missing name must not cost the result. */
export const accountNameOf = ({ account_details: details }: Account): string | undefined =>
  Array.isArray(details)
    ? (details.find((each) => each?.account_name)?.account_name ?? undefined)
    : undefined;

/** Input fields that select accounts. Default: all. */
export const accountFields = {
  accounts: AccountId.array().optional().meta({ title: "Accounts", description: "Account UUIDs." }),
  currencies: Currencies.optional().meta({
    title: "Currencies",
    description: "Such as EUR,GBP.",
  }),
};

/** The operations that `selectAccounts` calls. */
export const accountOperations = ["accounts.listCurrencyAccounts", "accounts.list"] as const;

interface AccountSelection {
  readonly accounts?: readonly string[] | undefined;
  readonly currencies?: string | undefined;
}

type ReportMissing = (missing: readonly string[], held: readonly string[]) => void;

/** Throws InvalidInput: without a currency, a result would look whole. */
const refuseMissing: ReportMissing = (missing, held) => {
  const message = `names ${missing.join(", ")}, but there are accounts only in ${held.join(", ")}`;
  throw invalidInputError(listAccounts, [{ field: "currencies", message }]);
};

/** Reports the currencies in which the client has no account. */
async function checkHeld(
  client: ContractClient,
  currencies: string,
  found: readonly Account[],
  report: ReportMissing,
): Promise<void> {
  const wanted = currencies.match(/[A-Z]{3}/g) ?? [];
  if (wanted.every((each) => found.some(({ currency }) => currency === each))) return;
  const held = new Set((await client.accounts.listCurrencyAccounts()).map(({ currency }) => currency));
  const missing = wanted.filter((each) => !held.has(each));
  if (missing.length > 0) report(missing, [...held]);
}

/**
 * Returns the selected accounts. Accounts that do not exist are missing from the result. Currencies without an account are
 * reported, by default with InvalidInput.
 */
export async function selectAccounts(
  client: ContractClient,
  { accounts, currencies }: AccountSelection,
  reportMissing = refuseMissing,
): Promise<readonly Account[]> {
  const requestedCurrencies =
    currencies ??
    [...new Set((await client.accounts.listCurrencyAccounts()).map(({ currency }) => currency))].join(",");
  if (requestedCurrencies === "") return [];
  const all = await client.accounts.list({ currencies: requestedCurrencies });
  if (currencies !== undefined) await checkHeld(client, currencies, all, reportMissing);
  return accounts ? all.filter(({ account_id: id }) => accounts.includes(id)) : all;
}

/** Returns the requested accounts that were not found, with a reason. */
export function findMissingAccounts(
  { accounts = [], currencies }: AccountSelection,
  found: readonly Account[],
): { readonly account_id: string; readonly reason: string }[] {
  const known = new Set(found.map(({ account_id: id }) => id));
  const reason = `Account not found${currencies === undefined ? "" : ` in ${currencies}`}.`;
  return accounts.filter((id) => !known.has(id)).map((account_id) => ({ account_id, reason }));
}

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
  const { client, progress } = context;
  let done = 0;
  return mapConcurrent(context, accounts, async (account) => {
    const { account_id, currency } = account;
    const read = await attempt(context, async () =>
      assertBalances(await client.accounts.listBalances({ account_id, balance_types: [...types] })),
    );
    progress({ done: (done += 1), total: accounts.length, message: `Balances in ${currency}` });
    return read instanceof FxdeskError
      ? { account, balances: [], unread: read.message }
      : { account, balances: read };
  });
}

/** Returns a gap for each account whose balances could not be read. `what` names them in the message. */
export const unreadGaps = (what: string, read: readonly AccountBalances[]): string[] =>
  read.flatMap(({ account: { account_id: id, currency }, unread }) =>
    unread === undefined ? [] : [`${what} of account ${id} in ${currency}: ${unread}`],
  );
