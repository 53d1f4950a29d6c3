/** Converts between SWIFT transaction types (MT940) and CODA transaction codes. */
import type { Entry } from "./statement";

/**
 * SWIFT type, then CODA family and transaction for a credit and for a debit. The first row of a SWIFT type wins.
 */
const codeTable: readonly (readonly [swift: string, credit: string, debit: string])[] = [
  ["TRF", "0150", "0101"],
  ["TRF", "0250", "0201"],
  ["TRF", "4150", "4101"],
  ["STO", "0150", "0103"],
  ["RTI", "0154", "0149"],
  ["CHK", "0358", "0301"],
  ["DDT", "0550", "0501"],
  ["SEC", "1150", "1101"],
  ["FEX", "3050", "3001"],
  ["FEX", "3052", "3003"],
  ["INT", "3550", "3501"],
  ["CHG", "3587", "8035"],
  ["MSC", "3089", "3039"],
];

const miscellaneous = codeTable.at(-1)!;

/** Returns the transaction code for MT940: four characters. */
export function toSwiftCode({ transactionCode = "" }: Entry): string {
  if (/^[A-Z][A-Z0-9]{3}$/.test(transactionCode)) return transactionCode;
  const familyAndTransaction = transactionCode.slice(1, 5);
  const [swift] = codeTable.find(([, ...codes]) => codes.includes(familyAndTransaction)) ?? miscellaneous;
  return `N${swift}`;
}

/** Returns the transaction code for CODA: type, family, transaction and category, eight digits. */
export function toCodaCode({ transactionCode = "", creditDebit }: Entry): string {
  if (/^\d{8}$/.test(transactionCode)) return transactionCode;
  const swift = /^S\d{3}$/.test(transactionCode) ? "TRF" : transactionCode.slice(1);
  const [, credit, debit] = codeTable.find(([type]) => type === swift) ?? miscellaneous;
  return `0${creditDebit === "Credit" ? credit : debit}000`;
}
