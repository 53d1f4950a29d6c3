/** Values of camt elements. */
import { isDay } from "../../values/values";
import { formatAmountText } from "../amount";
import { FormatError, quoteValue, type Severity } from "../format-error";
import type { CreditDebit, Money } from "../statement";
import { childOf, elementPosition, onlyChild, textOf, type XmlElement } from "../xml";

/** Takes a fault: throws it, or remembers it as a violation. */
export type Report = (error: unknown, severity?: Severity) => void;

/** Returns the result; undefined after a reported fault. */
export function attemptWith<T>(report: Report, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    report(error);
    return undefined;
  }
}

const amountPattern = /^(\d{1,24}(\.\d{0,12})?|\.\d{1,12})$/;

/** Parses an amount element with its currency. */
function parseMoneyElement(element: XmlElement, field: string): Money {
  const text = element.text.trim();
  const currency = element.attributes.Ccy ?? "";
  const position = { format: "camt", field, line: element.line } as const;
  if (!amountPattern.test(text) || element.children.length > 0)
    throw new FormatError(
      "invalid",
      position,
      `expected an amount without a sign, for example 12.50, found ${quoteValue(text)}`,
    );
  if (!/^[A-Z]{3}$/.test(currency))
    throw new FormatError("invalid", position, `the amount has no currency: ${quoteValue(currency)}`);
  return { currency, amount: formatAmountText(text.replace(/^\./, "0.").replace(/\.$/, ""), currency) };
}

/** Parses the amount of an entry, detail or balance. */
export const parseAmount = (element: XmlElement): Money =>
  parseMoneyElement(onlyChild("camt", element, "Amt"), `${element.name}/Amt`);

/** Parses the amount at a path; undefined if it is missing. */
export function moneyOf(element: XmlElement | undefined, ...path: readonly string[]): Money | undefined {
  const found = childOf(element, ...path);
  return found && parseMoneyElement(found, path.join("/"));
}

const indicators: Readonly<Record<string, CreditDebit>> = { CRDT: "Credit", DBIT: "Debit" };

export function parseIndicator(element: XmlElement): CreditDebit {
  const found = onlyChild("camt", element, "CdtDbtInd");
  const indicator = indicators[found.text.trim()];
  if (indicator) return indicator;
  throw new FormatError(
    "invalid",
    elementPosition("camt", element, "CdtDbtInd"),
    `expected CRDT or DBIT, found ${quoteValue(found.text.trim())}`,
  );
}

/** Parses a day, also of a time, whose day is kept as written; undefined if it is missing. */
export function parseDay(element: XmlElement, name: string): string | undefined {
  const found = childOf(element, name);
  const text = textOf(found, "Dt") ?? textOf(found, "DtTm") ?? textOf(element, name);
  if (text === undefined) return undefined;
  const day = text.slice(0, 10);
  if (isDay(day) && /^(?:$|[TZ+-])/.test(text.slice(10))) return day;
  throw new FormatError(
    "invalid",
    elementPosition("camt", element, name),
    `expected a date as YYYY-MM-DD, found ${quoteValue(text)}`,
  );
}

const decimalPattern = /^\d{1,24}(\.\d{1,17})?$/;

/** Returns a decimal number at a path; undefined if it is missing or not one. */
export function decimalOf(element: XmlElement | undefined, ...path: readonly string[]): string | undefined {
  const text = textOf(element, ...path);
  return text !== undefined && decimalPattern.test(text) ? text : undefined;
}
