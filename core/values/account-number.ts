/** Numbers of accounts in one spelling. */

/** Returns a number without spaces, in capital letters. */
export const normalizeAccountNumber = (text: string): string => text.replace(/\s/g, "").toUpperCase();

/** True for an IBAN in any spelling. Its check digits are not computed. */
export const isIban = (text: string): boolean =>
  /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(normalizeAccountNumber(text));
