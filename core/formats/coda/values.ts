/** Values in CODA's own form: amounts in thousandths, signs, accounts by structure. */
import { Big } from "big.js";
import { amountText, balanceFrom, decimal } from "../amount";
import { fromDdmmyy } from "../dates";
import { FormatError, type Place } from "../error";
import { isIban } from "../identifiers";
import type { Account, Balance, CreditDebit } from "../statement";

export const inRecord = (field: string): Place => ({ format: "CODA", field });

/** An amount as 12 digits and 3 decimals, whatever the currency. */
export function thousandths(amount: Big | string, place: Place): string {
  const value = typeof amount === "string" ? decimal(amount, place) : amount;
  const digits = value.times(1000).toFixed();
  if (digits.includes("."))
    throw new FormatError("invalid", place, `${value.toFixed()} has more than 3 decimals`);
  if (digits.length > 15)
    throw new FormatError("too_long", place, `${value.toFixed()} has more than 12 digits`);
  return digits;
}

export const fromThousandths = (digits: string): Big => new Big(digits.trim() || "0").div(1000);

export const signOf = ({ creditDebit }: Pick<Balance, "creditDebit">): string =>
  creditDebit === "Debit" ? "1" : "0";

export function creditDebitFrom(sign: string, place: Place): CreditDebit {
  if (sign === "0") return "Credit";
  if (sign === "1") return "Debit";
  throw new FormatError("invalid", place, `a sign is 0 or 1, not "${sign}"`);
}

/** A date of zeros is not known. */
export const dateFrom = (digits: string, place: Place): string | undefined =>
  /^[0 ]*$/.test(digits) ? undefined : fromDdmmyy(digits, place);

interface SignedAmount {
  readonly sign: string;
  readonly amount: string;
  readonly date: string;
}

export function readBalance({ sign, amount, date }: SignedAmount, currency: string, place: Place): Balance {
  const value = fromThousandths(amount);
  const day = dateFrom(date, place);
  if (!day) throw new FormatError("missing", place, "the balance has no date");
  return balanceFrom(creditDebitFrom(sign, place) === "Debit" ? value.neg() : value, day, currency);
}

export const amountFrom = (digits: string, currency: string): string =>
  amountText(fromThousandths(digits), currency);

/** Belgian number, other number, Belgian IBAN, other IBAN. */
export type Structure = "0" | "1" | "2" | "3";

export function structureOf(number: string): Structure {
  if (isIban(number)) return number.startsWith("BE") ? "2" : "3";
  return /^\d{12}$/.test(number) ? "0" : "1";
}

/** An account with its currency, in 37 characters. */
export const accountText = ({ number, currency }: Account): string =>
  structureOf(number) === "0" ? `${number} ${currency}` : number.padEnd(34) + currency;

export function readAccount(structure: string, text: string, place: Place): Account {
  if (!/^[0-3]$/.test(structure))
    throw new FormatError("invalid", place, `an account's structure is 0 to 3, not "${structure}"`);
  const number = (structure === "0" ? text.slice(0, 12) : text.slice(0, 34)).trim();
  const currency = structure === "0" ? text.slice(13, 16) : text.slice(34, 37);
  if (number === "") throw new FormatError("missing", place, "the account has no number");
  if (!/^[A-Z]{3}$/.test(currency))
    throw new FormatError("invalid", place, `a currency is three capital letters, not "${currency}"`);
  return { number, currency };
}
