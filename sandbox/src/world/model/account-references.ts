/** Notation of accounts, entries and amounts in the open-banking interfaces. */
import type { Big } from "big.js";
import type { Account } from "./account";
import { bankIn, homeCountryOf, ibanOf, internationalAddress } from "../banks/banks";
import { formatDecimalAmount } from "../money/currencies";

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
  return iban ? { iban, currency } : { bban: internationalAddress(country, digits).accountNumber, currency };
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
