/** IBANs that money can be sent to. */
import { validateIBAN, ValidationErrorsIBAN } from "ibantools";

/** A national check digit inside the IBAN is its bank's business. */
const isNational = (error: ValidationErrorsIBAN) =>
  error === ValidationErrorsIBAN.WrongAccountBankBranchChecksum;

/** Whether an IBAN has right check digits and the length and form of its country. */
export const isPayableIban = (text: string): boolean => validateIBAN(text).errorCodes.every(isNational);
