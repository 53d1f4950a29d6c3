/**
 * National formats of account numbers, made from ten digits, with the check digits of the country. Bank and branch do
 * not exist (all zeros, or TEST if letters are required).
 */
import { validateIBAN, ValidationErrorsIBAN } from "ibantools";

/** Formats ten digits as an account number, or as the national part of an IBAN. */
export type NumberFormat = (digits: string) => string;

/** Takes the first digits. */
export const takeDigits =
  (length: number): NumberFormat =>
  (digits) =>
    digits.slice(0, length);

/** Pads with leading zeros, which stand for bank and branch. */
export const padWithZeros =
  (length: number): NumberFormat =>
  (digits) =>
    digits.padStart(length, "0");

/** Adds the letters of a bank and the zeros of its branch. */
export const withPrefix =
  (bank: string, format: NumberFormat): NumberFormat =>
  (digits) =>
    bank + format(digits);

const mod97 = (digits: string) => Number(BigInt(digits) % 97n);
const twoDigits = (value: number) => String(value).padStart(2, "0");

const weightedSum = (digits: string, weights: readonly number[]) =>
  Array.from(digits).reduce((sum, digit, index) => sum + Number(digit) * weights[index % weights.length]!, 0);

/** Returns the difference to the next multiple. */
const toNextMultiple = (sum: number, multiple: number) => (multiple - (sum % multiple)) % multiple;

/**
 * Appends a check digit that makes the weighted sum a multiple of 11. A filler digit comes before it: 0, or 1 if the
 * check digit would be ten.
 */
function appendMod11Digit(digits: string, weights: readonly number[]): string {
  const filled = ["0", "1"]
    .map((filler) => digits + filler)
    .find((candidate) => toNextMultiple(weightedSum(candidate, weights), 11) < 10)!;
  return filled + String(toNextMultiple(weightedSum(filled, weights), 11));
}

/** The last two digits are the others modulo 97, and 97 instead of 0. */
export const belgian: NumberFormat = (digits) => {
  const checked = digits.slice(0, 8);
  return `00${checked}${twoDigits(mod97(checked) || 97)}`;
};

/** The clé RIB. Bank and branch are zeros and do not affect it. */
export const french: NumberFormat = (digits) =>
  padWithZeros(21)(digits) + twoDigits(97 - ((3 * mod97(digits)) % 97));

export const dutch: NumberFormat = (digits) =>
  `TEST${appendMod11Digit(digits.slice(0, 8), [10, 9, 8, 7, 6, 5, 4, 3, 2])}`;

/** One control digit for bank and branch, here 0, and one for the account; 10 is written as 1. */
export const spanish: NumberFormat = (digits) => {
  const control = toNextMultiple(weightedSum(digits, [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]), 11);
  return `000000000${control === 10 ? 1 : control}${digits}`;
};

/** Values of digits in odd positions. In even positions digits count as they are. */
const italianOdd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];

/** The CIN, a check letter, precedes bank, branch and account. */
export const italian: NumberFormat = (digits) => {
  const rest = padWithZeros(22)(digits);
  const sum = Array.from(rest, Number).reduce(
    (total, digit, index) => total + (index % 2 === 0 ? italianOdd[digit]! : digit),
    0,
  );
  return String.fromCharCode("A".charCodeAt(0) + (sum % 26)) + rest;
};

/** The last two digits make the number 1 modulo 97. */
export const portuguese: NumberFormat = (digits) => {
  const checked = padWithZeros(19)(digits);
  return checked + twoDigits(98 - mod97(`${checked}00`));
};

/** Luhn check digit: every other digit is doubled and its digits are added. */
export const finnish: NumberFormat = (digits) => {
  const checked = padWithZeros(13)(digits);
  const sum = Array.from(checked, Number)
    .map((digit, index) => (index % 2 === 0 ? digit * 2 : digit))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return checked + String(toNextMultiple(sum, 10));
};

export const norwegian: NumberFormat = (digits) =>
  appendMod11Digit(`0000${digits.slice(0, 5)}`, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]);

export const czech: NumberFormat = (digits) =>
  `0000000000${appendMod11Digit(digits.slice(0, 8), [6, 3, 7, 9, 10, 5, 8, 4, 2])}`;

export const hungarian: NumberFormat = (digits) => {
  const checked = padWithZeros(15)(digits);
  return `00000000${checked}${toNextMultiple(weightedSum(checked, [9, 7, 3, 1]), 10)}`;
};

/** The CLABE. Its rule sums only the last digit of each product, which is the same modulo 10. */
export const mexican: NumberFormat = (digits) => {
  const checked = padWithZeros(17)(digits);
  return checked + String(toNextMultiple(weightedSum(checked, [3, 7, 1]), 10));
};

export const newZealand: NumberFormat = (digits) => `${digits.slice(0, 7)}000`;

/** National check digits inside the IBAN are for the bank to verify. */
const isNational = (error: ValidationErrorsIBAN) =>
  error === ValidationErrorsIBAN.WrongAccountBankBranchChecksum;

/** True if an IBAN has valid check digits and its country's length and format. */
export const isPayableIban = (text: string): boolean => validateIBAN(text).errorCodes.every(isNational);
