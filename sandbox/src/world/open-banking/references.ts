/** How the open-banking interfaces write accounts, entries and amounts. */
import type { Big } from "big.js";
import type { Account } from "../accounts/account";
import { bankIn, homeCountryOf, ibanOf, internationalAddress } from "../accounts/banks";
import { formatDecimalAmount } from "../money/currencies";

export interface AccountReference {
  readonly iban?: string | undefined;
  readonly bban?: string | undefined;
  readonly currency?: string | undefined;
}

/** By IBAN where there is one, else by national number. */
export function toAccountReference({
  currency,
  digits,
}: Account): AccountReference & { readonly currency: string } {
  const country = homeCountryOf(currency);
  const iban = ibanOf(country, digits);
  return iban ? { iban, currency } : { bban: internationalAddress(country, digits).accountNumber, currency };
}

/** Of every account: a current account. ISO 20022 ExternalCashAccountType1Code. */
export const cashAccountType = "CACC";

export const bicOf = ({ currency }: Account): string => bankIn(homeCountryOf(currency)).bic;

/** The account's number, for people. */
export const accountNumberOf = ({ iban, bban }: AccountReference): string => iban ?? bban ?? "";

/** The account among several that a reference means. */
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

/** The identifier of a line without dashes, as a reference has at most 35 characters. */
export const toEntryReference = (lineId: string): string => lineId.replaceAll("-", "");

export const toLineId = (reference: string): string =>
  reference.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** An amount, with a minus where it is negative. */
export const toCurrencyAmount = (amount: Big, currency: string) => ({
  currency,
  amount: formatDecimalAmount(amount, currency),
});
