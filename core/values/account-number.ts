/** Numbers of accounts in one spelling. */

/** Returns a number without spaces, in capital letters. */
export const normalizeAccountNumber = (text: string): string => text.replace(/\s/g, "").toUpperCase();

/** True for an IBAN in any spelling. Its check digits are not computed. */
export const isIban = (text: string): boolean =>
  /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(normalizeAccountNumber(text));

/** True if the check digits of an IBAN in any spelling fit its other characters (ISO 7064, modulo 97). */
export function hasValidCheckDigits(iban: string): boolean {
  const number = normalizeAccountNumber(iban);
  if (!isIban(number) || !/^..(0[2-9]|[1-8]\d|9[0-8])/.test(number)) return false;
  const moved = number.slice(4) + number.slice(0, 4);
  return (
    Array.from(moved).reduce((rest, sign) => Number(`${rest}${Number.parseInt(sign, 36)}`) % 97, 0) === 1
  );
}

/** Lengths of IBANs by country, from the registry of ISO 13616. */
const ibanLengths =
  "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 " +
  "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 " +
  "LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 " +
  "PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";

/** Returns the length that the country of an IBAN prescribes, or undefined for a country without IBANs. */
export function ibanLengthOf(iban: string): number | undefined {
  const index = ibanLengths.indexOf(normalizeAccountNumber(iban).slice(0, 2));
  return index < 0 ? undefined : Number(ibanLengths.slice(index + 2, index + 4));
}
