import { validateIBAN, ValidationErrorsIBAN } from "ibantools";

/** National check digits inside the IBAN are for the bank to verify. */
const isNational = (error: ValidationErrorsIBAN) =>
  error === ValidationErrorsIBAN.WrongAccountBankBranchChecksum;

/** True if an IBAN has valid check digits and its country's length and format. */
export const isPayableIban = (text: string): boolean => validateIBAN(text).errorCodes.every(isNational);
