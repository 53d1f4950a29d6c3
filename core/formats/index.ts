/** Converts bank statement files to and from one typed statement. */
export { minorUnits } from "../schema/currency";
export { toAscii } from "./charset";
export { normaliseCoda } from "./coda/normalise";
export { readCoda, readCodaParts } from "./coda/read";
export { writeCoda } from "./coda/write";
export { escapeFormula, formatRow as csvRow } from "./csv/cells";
export { normaliseCsv } from "./csv/normalise";
export { readCsv, readCsvParts } from "./csv/read";
export { writeCsv } from "./csv/write";
export { type Format, FormatError, type FormatErrorCode, type Position } from "./format-error";
export { isBelgianReference, isIban, isIsoReference } from "./identifiers";
export { normaliseMt940 } from "./mt940/normalise";
export type { Mt940Options } from "./mt940/options";
export { readMt940, readMt940Parts } from "./mt940/read";
export { writeMt940 } from "./mt940/write";
export type { StatementPart } from "./statement-parts";
export type {
  Account,
  Balance,
  Counterparty,
  CreditDebit,
  Entry,
  Money,
  Source,
  Statement,
  StatementHead,
  StatementSource,
  StatementTail,
} from "./statement";
export { signedAmount } from "./statement";
export { collectText, type TextSource } from "./text-lines";
