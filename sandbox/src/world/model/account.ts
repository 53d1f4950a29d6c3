/** Accounts, their details, and their notation in the open-banking interfaces. */
import { homeCountryOf, bankIn, ibanOf, internationalAddress } from "../banks/banks";
import type { AccountDetailsStatus } from "../common/enumerations";
import type { Big } from "big.js";
import { formatDecimalAmount } from "../money/currencies";

export interface Account {
  readonly accountId: string;
  /** Integer that identifies the account in the simplified list and in MT940 requests. */
  readonly listNumber: number;
  readonly clientId: string;
  readonly currency: string;
  /** Digits from which its account numbers are made. */
  readonly digits: string;
}

/** Input of account numbers, formatted by country. */
export interface Numbers {
  readonly country: string;
  readonly digits: string;
}

/** Returns the numbers an account has from its opening. */
export const ownNumbers = ({ currency, digits }: Account): Numbers => ({
  country: homeCountryOf(currency),
  digits,
});

/** Numbers under which money reaches an account. */
export interface AccountDetails {
  readonly accountDetailsId: string;
  readonly clientId: string;
  /** A pooled account is shared by several clients. */
  readonly type: "dedicated" | "pooled";
  /** False: a segregated account with its own numbers at the bank. */
  readonly virtual: boolean;
  readonly country: string;
  readonly currency: string;
  /** Undefined until the details are confirmed. */
  numbers: Numbers | undefined;
  readonly createdAt: Date;
  modifiedAt: Date;
  status: AccountDetailsStatus;
  primary: boolean;
  alias: string | undefined;
}

export interface AccountReference {
  readonly iban?: string | undefined;
  readonly bban?: string | undefined;
  readonly currency?: string | undefined;
}

/** Returns the IBAN of an account, or its national number if the country has no IBAN. */
export function toAccountReference({
  currency,
  digits,
}: Account): AccountReference & { readonly currency: string } {
  const country = homeCountryOf(currency);
  const iban = ibanOf(country, digits);
  return iban ? { iban, currency } : { bban: internationalAddress(country, digits).account_number, currency };
}

/** Type of every account: current account (ISO 20022 ExternalCashAccountType1Code). */
export const cashAccountType = "CACC";

export const bicOf = ({ currency }: Account): string => bankIn(homeCountryOf(currency)).bic;

/** Returns the account number for display. */
export const accountNumberOf = ({ iban, bban }: AccountReference): string => iban ?? bban ?? "";

/** Finds the referenced account. */
export function findReferencedAccount(
  accounts: Iterable<Account>,
  { iban, bban, currency }: AccountReference,
): Account | undefined {
  for (const account of accounts) {
    const own = toAccountReference(account);
    const isMatch =
      iban === undefined ? bban !== undefined && own.bban === bban : own.iban === iban.toUpperCase();
    if (isMatch && (currency === undefined || currency === account.currency)) return account;
  }
  return undefined;
}

/** Removes the dashes of a line ID, because a reference has at most 35 characters. */
export const toEntryReference = (lineId: string): string => lineId.replaceAll("-", "");

export const toLineId = (reference: string): string =>
  reference.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** Formats a signed amount with its currency. */
export const toCurrencyAmount = (amount: Big, currency: string) => ({
  currency,
  amount: formatDecimalAmount(amount, currency),
});
