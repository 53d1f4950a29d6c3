/**
 * National formats of account numbers, made from ten digits, with the check digits of the country. Bank and branch do
 * not exist (all zeros, or TEST if letters are required).
 */
import { isValidBBAN, validateIBAN, ValidationErrorsIBAN } from "ibantools";

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

const weightedSum = (digits: string, weights: readonly number[]) =>
  Array.from(digits).reduce((sum, digit, index) => sum + Number(digit) * weights[index % weights.length]!, 0);

/** Returns the difference to the next multiple. */
const toNextMultiple = (sum: number, multiple: number) => (multiple - (sum % multiple)) % multiple;

/** Completes the national part of an IBAN by the first check digits, from `lowest` on, that the country's rule accepts. */
const withCheckDigits =
  (country: string, lowest: string, complete: (digits: string, check: string) => string): NumberFormat =>
  (digits) => {
    for (let check = Number(lowest); ; check += 1) {
      const bban = complete(digits, String(check).padStart(lowest.length, "0"));
      if (isValidBBAN(bban, country)) return bban;
    }
  };

export const belgian = withCheckDigits("BE", "01", (digits, check) => `00${digits.slice(0, 8)}${check}`);

/** The clé RIB. Bank and branch are zeros. */
export const french = withCheckDigits("FR", "01", (digits, check) => padWithZeros(21)(digits) + check);

/**
 * Appends a filler and a check digit, which weigh 2 and 1 and make the weighted sum a multiple of 11. The filler is 0, or 1
 * if the check digit would be ten.
 */
function appendMod11Digits(digits: string, weights: readonly number[]): string {
  const check = toNextMultiple(weightedSum(digits, weights), 11);
  return digits + (check === 10 ? "18" : `0${check}`);
}

export const dutch: NumberFormat = (digits) =>
  `TEST${appendMod11Digits(digits.slice(0, 8), [10, 9, 8, 7, 6, 5, 4, 3])}`;

/** The first control digit, for bank and branch, is 0. */
export const spanish = withCheckDigits("ES", "0", (digits, check) => `000000000${check}${digits}`);

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

export const portuguese = withCheckDigits("PT", "02", (digits, check) => padWithZeros(19)(digits) + check);

/** Luhn check digit: every other digit is doubled and its digits are added. */
export const finnish: NumberFormat = (digits) => {
  const checked = padWithZeros(13)(digits);
  const sum = Array.from(checked, Number)
    .map((digit, index) => (index % 2 === 0 ? digit * 2 : digit))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return checked + String(toNextMultiple(sum, 10));
};

/** A filler digit comes before the check digit. */
export const norwegian = withCheckDigits("NO", "00", (digits, check) => `0000${digits.slice(0, 5)}${check}`);

export const czech: NumberFormat = (digits) =>
  `0000000000${appendMod11Digits(digits.slice(0, 8), [6, 3, 7, 9, 10, 5, 8, 4])}`;

export const hungarian = withCheckDigits(
  "HU",
  "0",
  (digits, check) => `00000000${padWithZeros(15)(digits)}${check}`,
);

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
