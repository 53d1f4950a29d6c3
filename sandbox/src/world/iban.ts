/** Whether a text is an IBAN that money can be sent to. */
import { validateIBAN, ValidationErrorsIBAN } from "ibantools";

/** A national check digit inside the IBAN is its bank's business. */
const isNational = (error: ValidationErrorsIBAN) =>
  error === ValidationErrorsIBAN.WrongAccountBankBranchChecksum;

export const isIban = (text: string): boolean => validateIBAN(text).errorCodes.every(isNational);
