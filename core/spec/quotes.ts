/** Quotes as the service returns them. */
import type { Declaration, QuoteDeclaration, QuotedFields } from "./operation";

/** The fields of a quote, as text. */
export type Quote = QuotedFields;

/** An operation that returns quotes. */
export interface QuoteOperation extends Declaration {
  readonly quotes: QuoteDeclaration;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

function readFields<Fields extends object>(names: Fields, body: unknown): Fields | undefined {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
  const read = Object.entries(names).map(([name, field]) => [name, textOf(fields[field as string])] as const);
  return read.every(([, value]) => value !== undefined) ? (Object.fromEntries(read) as Fields) : undefined;
}

/** Returns the quote in a response, or undefined if a field is missing. */
export const parseQuote = ({ quotes }: QuoteOperation, body: unknown): Quote | undefined =>
  readFields(quotes.responseFields, body);

export const isDecimal = (text: string): boolean => /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);

/** Returns the rate of an estimate, or undefined if a field is missing or no positive decimal. */
export function parseEstimate({ quotes: { estimate } }: QuoteOperation, body: unknown) {
  const found = estimate && readFields(estimate.responseFields, body);
  return found && isDecimal(found.rate) && Number(found.rate) > 0 ? found : undefined;
}
