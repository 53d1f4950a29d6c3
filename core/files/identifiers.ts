/** Identifiers with check digits. */

/** Returns a number of any length modulo 97; letters count as two digits, A = 10 to Z = 35 (ISO 7064). */
function mod97(text: string): number {
  let remainder = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}

const rotate = (text: string) => text.slice(4) + text.slice(0, 4);

/** True for an IBAN with correct check digits (ISO 13616). */
export const isIban = (text: string): boolean =>
  /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text) && mod97(rotate(text)) === 1;

/** True for an international creditor reference, `RF…`, with correct check digits (ISO 11649). */
export const isIsoReference = (text: string): boolean =>
  /^RF\d{2}[A-Z0-9]{1,21}$/.test(text) && mod97(rotate(text)) === 1;

/** Returns the check digits of a Belgian structured reference: its first ten digits modulo 97, with 97 for 0. */
export const belgianCheckDigits = (ten: string): string => String(mod97(ten) || 97).padStart(2, "0");

/** True for a Belgian structured reference: twelve digits with correct check digits. */
export const isBelgianReference = (text: string): boolean =>
  /^\d{12}$/.test(text) && text.endsWith(belgianCheckDigits(text.slice(0, 10)));
