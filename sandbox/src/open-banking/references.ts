/** How accounts are referred to on the open-banking interfaces: by IBAN where there is one, else by national number. */
import type { Account } from "../world/accounts";
import { bankIn, domesticAddress, homeOf, ibanOf } from "../world/banks";

export interface AccountReference {
  readonly iban?: string | undefined;
  readonly bban?: string | undefined;
  readonly currency?: string | undefined;
}

export function referenceTo({ currency, digits }: Account): AccountReference {
  const country = homeOf(currency);
  const iban = ibanOf(country, digits);
  return iban ? { iban, currency } : { bban: domesticAddress(country, digits)?.accountNumber, currency };
}

export const bicOf = ({ currency }: Account): string => bankIn(homeOf(currency)).bic;

/** The account's number, for people. */
export const numberOf = ({ iban, bban }: AccountReference): string => iban ?? bban ?? "";

/** The account among several that a reference means. */
export function referredTo(
  accounts: Iterable<Account>,
  { iban, bban, currency }: AccountReference,
): Account | undefined {
  for (const account of accounts) {
    const own = referenceTo(account);
    const meant =
      iban === undefined ? bban !== undefined && own.bban === bban : own.iban === iban.toUpperCase();
    if (meant && (currency === undefined || currency === account.currency)) return account;
  }
  return undefined;
}
