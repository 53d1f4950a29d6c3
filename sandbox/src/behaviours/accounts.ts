/** Accounts and balances. Contract: endpoints 8 to 12. */
import type { Big } from "big.js";
import type { BehavioursOf } from "../calls/behaviour";
import { DomainError } from "../world/common/domain-error";
import { accountOfDetails, detailsOf, findPrimaryDetails } from "../world/accounts/account-details";
import { type Account, ownNumbers } from "../world/model/account";
import { bankAccount, domesticAddress, internationalAddress } from "../world/banks/banks";
import { formatDecimalAmount } from "../world/money/currencies";
import { addDays, dayOf, startOf } from "@fxdesk/toolkit/calendars";
import type { BalanceType } from "../world/common/enumerations";
import { balanceAccount } from "../world/ledger/ledger";
import type { Client } from "../world/parties/parties";
import type { World } from "../world/model/world";

/** Returns the client's account with an ID. Throws if the client has no such account. */
export function findAccount(world: World, client: Client, accountId: string): Account {
  const account = world.accounts.get(accountId.toLowerCase());
  if (account?.clientId !== client.clientId)
    throw new DomainError("account-not-found", "The client has no such account.", accountId);
  return account;
}

/** Parses a list of currencies. Commas are optional, so `EURUSD` is accepted. */
export const parseCurrencies = (list: string | undefined): string[] | undefined =>
  list?.match(/[A-Z]{3}/g) ?? undefined;

/** Returns the client's accounts in the listed currencies, or all accounts if no list is given. */
export function accountsInCurrencies(world: World, client: Client, list: string | undefined): Account[] {
  const currencies = parseCurrencies(list);
  return world.accountsOf(client).filter(({ currency }) => currencies?.includes(currency) ?? true);
}

/** Returns the addresses of an account's confirmed details, or its own address if it has none. */
function addressesOf(world: World, client: Client, account: Account) {
  const confirmed = detailsOf(world, client)
    .filter((details) => accountOfDetails(world, details) === account)
    .flatMap(({ numbers }) => numbers ?? []);
  const numbered = confirmed.length > 0 ? confirmed : [ownNumbers(account)];
  return numbered.flatMap(({ country, digits }) => [
    ...[domesticAddress(country, digits)].filter((address) => address !== undefined),
    internationalAddress(country, digits),
  ]);
}

const toAccountView = (world: World, client: Client, account: Account) => ({
  account_id: account.accountId,
  account_type: "Business",
  account_subtype: "EMoney",
  currency: account.currency,
  status: "Enabled",
  account_details: addressesOf(world, client, account).map((address) => ({
    account_address: client.address,
    account_name: client.name,
    ...address,
  })),
});

/** Balance types that are committed or owed, and therefore count against the client. */
const liabilityTypes = new Set<BalanceType>([
  "RequiredFunds",
  "RequiredFundsImmediate",
  "Outgoing",
  "MarginCall",
  "Processing",
]);

/** Formats an amount as the service does: unsigned, with a credit or debit indicator. */
export const toUnsignedAmount = (amount: Big, currency: string) => ({
  amount: { amount: formatDecimalAmount(amount.abs(), currency), currency },
  credit_debit_indicator: amount.lt(0) ? "Debit" : "Credit",
});

export const toBalanceView = (account: Account, type: BalanceType, amount: Big, at: Date) => ({
  account_id: account.accountId,
  ...toUnsignedAmount(liabilityTypes.has(type) ? amount.neg() : amount, account.currency),
  datetime: at.toISOString(),
  type,
});

function balanceOf({ ledger, now }: World, account: Account, type: BalanceType): Big {
  if (type !== "RequiredFundsImmediate") return ledger.balance(balanceAccount(account, type));
  const endOfToday = startOf(addDays(dayOf(now), 1));
  return ledger.balanceByValue(balanceAccount(account, "RequiredFunds"), endOfToday);
}

export const accounts: BehavioursOf<"accounts"> = {
  "accounts.list": ({ values, client, world }) => ({
    status: 200,
    body: accountsInCurrencies(world, client, values.currencies).map((account) =>
      toAccountView(world, client, account),
    ),
  }),

  "accounts.get": ({ values, client, world }) => ({
    status: 200,
    body: toAccountView(world, client, findAccount(world, client, values.account_id)),
  }),

  "accounts.getFunding": ({ values, client, world }) => {
    const requestedId = values.account_id?.toLowerCase();
    const account = world
      .accountsOf(client)
      .find(({ accountId, currency }) => accountId === requestedId || currency === values.currency);
    if (!account)
      throw new DomainError(
        "funding-account-not-found",
        "No funding account matches the request.",
        String(values.currency ?? values.account_id),
      );
    const { accountId, currency } = account;
    const { country, digits } = findPrimaryDetails(world, client, currency)?.numbers ?? ownNumbers(account);
    return {
      status: 200,
      body: {
        account_id: accountId,
        currency,
        account_holder_name: client.name,
        ...bankAccount(country, digits),
        reference_for_payment: client.clientId,
      },
    };
  },

  "accounts.listCurrencyAccounts": ({ client, world }) => ({
    status: 200,
    body: world.accountsOf(client).map(({ listNumber, currency }) => ({ account_id: listNumber, currency })),
  }),

  "accounts.listBalances": ({ values, client, world }) => {
    const account = findAccount(world, client, values.account_id);
    const types = [...new Set(values.balance_types)];
    return {
      status: 200,
      body: types.map((type) => toBalanceView(account, type, balanceOf(world, account, type), world.now)),
    };
  },
};
