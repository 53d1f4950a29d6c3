/** Values in the notation of CODA: amounts in thousandths, signs, accounts by structure. */
import { Big } from "big.js";
import { formatAmount, toBalance, parseDecimal } from "../amount";
import { parseDdmmyy } from "../dates";
import { FormatError, type Position } from "../format-error";
import { isIban } from "../identifiers";
import type { Account, Balance, CreditDebit } from "../statement";

export const recordPosition = (field: string): Position => ({ format: "CODA", field });

/** Formats an amount as 12 digits and 3 decimals for every currency. */
export function formatThousandths(amount: Big | string, position: Position): string {
  const value = typeof amount === "string" ? parseDecimal(amount, position) : amount;
  const digits = value.times(1000).toFixed();
  if (digits.includes("."))
    throw new FormatError("invalid", position, `${value.toFixed()} has more than 3 decimals`);
  if (digits.length > 15)
    throw new FormatError("too_long", position, `${value.toFixed()} has more than 12 digits`);
  return digits;
}

export const parseThousandths = (digits: string): Big => new Big(digits.trim() || "0").div(1000);

export const signOf = ({ creditDebit }: Pick<Balance, "creditDebit">): string =>
  creditDebit === "Debit" ? "1" : "0";

export function parseSign(sign: string, position: Position): CreditDebit {
  if (sign === "0") return "Credit";
  if (sign === "1") return "Debit";
  throw new FormatError("invalid", position, `a sign must be 0 or 1, not "${sign}"`);
}

/** Parses a date; undefined if it is all zeros. */
export const parseDate = (digits: string, position: Position): string | undefined =>
  /^[0 ]*$/.test(digits) ? undefined : parseDdmmyy(digits, position);

interface SignedAmount {
  readonly sign: string;
  readonly amount: string;
  readonly date: string;
}

export function parseBalance(
  { sign, amount, date }: SignedAmount,
  currency: string,
  position: Position,
): Balance {
  const value = parseThousandths(amount);
  const day = parseDate(date, position);
  if (!day) throw new FormatError("missing", position, "the balance has no date");
  return toBalance(parseSign(sign, position) === "Debit" ? value.neg() : value, day, currency);
}

export const parseAmount = (digits: string, currency: string): string =>
  formatAmount(parseThousandths(digits), currency);

/** 0 Belgian number, 1 other number, 2 Belgian IBAN, 3 other IBAN. */
type AccountStructure = "0" | "1" | "2" | "3";

export function accountStructureOf(number: string): AccountStructure {
  if (isIban(number)) return number.startsWith("BE") ? "2" : "3";
  return /^\d{12}$/.test(number) ? "0" : "1";
}

/** Formats an account and its currency in 37 characters. */
export const formatAccount = ({ number, currency }: Account): string =>
  accountStructureOf(number) === "0" ? `${number} ${currency}` : number.padEnd(34) + currency;

export function parseAccount(structure: string, text: string, position: Position): Account {
  if (!/^[0-3]$/.test(structure))
    throw new FormatError("invalid", position, `an account structure must be 0 to 3, not "${structure}"`);
  const number = (structure === "0" ? text.slice(0, 12) : text.slice(0, 34)).trim();
  const currency = structure === "0" ? text.slice(13, 16) : text.slice(34, 37);
  if (number === "") throw new FormatError("missing", position, "the account number is empty");
  if (!/^[A-Z]{3}$/.test(currency))
    throw new FormatError("invalid", position, `a currency must be three capital letters, not "${currency}"`);
  return { number, currency };
}
