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

/** Returns the quote in a response, or undefined if a field is missing. */
export function parseQuote({ quotes: { responseFields } }: QuoteOperation, body: unknown): Quote | undefined {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
  const read = Object.entries(responseFields).map(
    ([name, field]) => [name, textOf(fields[field as string])] as const,
  );
  return read.every(([, value]) => value !== undefined)
    ? (Object.fromEntries(read) as unknown as Quote)
    : undefined;
}
