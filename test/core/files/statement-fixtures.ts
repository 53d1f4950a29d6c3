/** Statements for tests: one by hand, and any. */
import { Big } from "big.js";
import * as fc from "fast-check";
import { type Balance, type Entry, FormatError, minorUnits, type Statement } from "../../../core/files";

export const entry = (fields: Partial<Entry> = {}): Entry => ({
  bookingDate: "2026-01-15",
  valueDate: "2026-01-15",
  amount: "10.00",
  creditDebit: "Credit",
  transactionCode: "NTRF",
  ...fields,
});

const signed = ({ creditDebit, amount }: Pick<Balance, "creditDebit" | "amount">) =>
  creditDebit === "Debit" ? new Big(amount).neg() : new Big(amount);

const balance = (amount: Big, date: string, currency: string): Balance => ({
  creditDebit: amount.lt(0) ? "Debit" : "Credit",
  amount: amount.abs().toFixed(minorUnits(currency)),
  date,
});

/** A statement whose closing balance is what its entries lead to. */
export function statement(entries: readonly Entry[] = [], fields: Partial<Statement> = {}): Statement {
  const account = fields.account ?? { number: "NL13TEST0123456789", currency: "EUR" };
  const openingBalance = fields.openingBalance ?? balance(new Big(100), "2026-01-01", account.currency);
  const closing = entries.reduce((sum, item) => sum.plus(signed(item)), signed(openingBalance));
  return {
    account,
    number: 1,
    openingBalance,
    closingBalance: balance(closing, "2026-01-31", account.currency),
    entries,
    ...fields,
  };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** What came of reading: statements, or the error. Anything but a FormatError is thrown on. */
export async function readOutcome(statements: AsyncIterable<Statement>): Promise<Statement[] | FormatError> {
  try {
    return await collect(statements);
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

/** Returns code, field and line of the error; "read" if there is none. */
export async function problemOf(statements: AsyncIterable<Statement>): Promise<string> {
  const outcome = await readOutcome(statements);
  if (!(outcome instanceof FormatError)) return "read";
  return [outcome.code, outcome.field, outcome.line].filter((part) => part !== undefined).join(" ");
}

/** A text in pieces of a few characters, as a stream may bring it. */
export async function* toPieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

/** Pieces of text that a format could take for something else. */
const trickyText = fc.constantFrom(
  ..."- : :86: -} /EREF/ /REMI/ EREF // / ?20 123?00 SVWZ+ =1+1 +1 -1 @x '=x '' \" , \r\n \n ; NONREF KREF+ NOTPROVIDED".split(
    " ",
  ),
  "\t",
  "Müller & Söhne",
  "BE70000012345678",
  "Łódź €5",
  "株式会社",
  "\u2028",
  "\u0000",
  "x".repeat(70),
);
const anyWord = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[A-Za-z0-9]{1,12}$/) },
  { weight: 2, arbitrary: trickyText },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
);
/** Any text, short or long, however unfit. */
const anyText = fc
  .tuple(fc.array(anyWord, { maxLength: 30 }), fc.constantFrom("", " ", "  "))
  .map(([parts, glue]) => parts.join(glue));
/** Text that every format carries as it is. */
const easyText = fc
  .array(fc.stringMatching(/^[A-Za-z0-9]{2,9}$/), { minLength: 1, maxLength: 2 })
  .map((parts) => parts.join(" "));

const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);
const anyDay = fc.integer({ min: Date.UTC(1980, 0, 1), max: Date.UTC(2079, 11, 31) }).map(dayOf);
const nearDays = fc
  .tuple(
    fc.integer({ min: Date.UTC(1981, 0, 1), max: Date.UTC(2078, 11, 31) }),
    fc.integer({ min: -150, max: 150 }),
  )
  .map(([day, offset]) => ({ valueDate: dayOf(day), bookingDate: dayOf(day + offset * 86_400_000) }));
const anyDays = fc.record({ valueDate: anyDay, bookingDate: anyDay });

/** Amounts that also CODA holds: three decimals, nine digits. */
const amountIn = (currency: string) =>
  fc
    .bigInt({ min: 0n, max: 10n ** 8n })
    .map((minor) =>
      new Big(minor.toString()).div(new Big(10).pow(minorUnits(currency))).toFixed(minorUnits(currency)),
    );

const currencies = fc.constantFrom("EUR", "USD", "JPY", "BHD");
const accounts = fc.constantFrom(
  "NL13TEST0123456789",
  "BE70000012345678",
  "BE70 0000 1234 5678",
  "000001234567",
  "12345-678",
  "0129199999EUR",
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** Without keys whose value is undefined: a field is there or it is not. */
const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;

const entryFields = (currency: string, text: fc.Arbitrary<string>, days: typeof anyDays) => ({
  amount: amountIn(currency),
  creditDebit: fc.constantFrom("Credit" as const, "Debit" as const),
  reversal: optional(fc.constant(true)),
  days,
  remittance: optional(text),
  endToEndId: optional(text),
  counterparty: optional(fc.record({ name: text, account: accounts }, { requiredKeys: ["name"] })),
  creditorReference: optional(fc.constantFrom("090933755493", "RF18539007547034")),
});

const toEntry = ({ days, ...fields }: { days: { valueDate: string; bookingDate: string } }) =>
  withoutUndefined({ ...fields, ...days }) as unknown as Entry;

const anyEntry = (currency: string, withDetails = true): fc.Arbitrary<Entry> =>
  fc
    .record({
      ...entryFields(currency, anyText, anyDays),
      transactionCode: optional(fc.constantFrom("NTRF", "S103", "FCHG", "00150000", "80437000", "rubbish")),
      customerReference: optional(anyText),
      bankReference: optional(anyText),
      mandateId: optional(anyText),
      creditorId: optional(anyText),
      purpose: optional(fc.oneof(anyText, fc.constant("SALA"))),
      returnReason: optional(fc.constantFrom("AC04", "")),
      exchangeRate: optional(fc.constantFrom("1.0845", "156")),
      instructedAmount: optional(fc.record({ amount: amountIn("USD"), currency: fc.constant("USD") })),
      charges: optional(fc.record({ amount: amountIn("GBP"), currency: fc.constant("GBP") })),
      additionalInformation: optional(anyText),
      details: withDetails
        ? optional(fc.array(anyEntry(currency, false), { maxLength: 3 }))
        : fc.constant(undefined),
    })
    .map(toEntry);

/** An entry that needs no change in any format but sub-tagged MT940 or CODA as said there. */
const easyEntry = (currency: string): fc.Arbitrary<Entry> =>
  fc.record(entryFields(currency, easyText, nearDays)).map((fields) =>
    toEntry({
      ...fields,
      ...(fields.counterparty && {
        counterparty: withoutUndefined({
          ...fields.counterparty,
          ...(fields.counterparty.account && {
            account: fields.counterparty.account.replaceAll(" ", ""),
          }),
        }),
      }),
    }),
  );

const anyBalance = (currency: string) =>
  fc.record({
    creditDebit: fc.constantFrom("Credit" as const, "Debit" as const),
    amount: amountIn(currency),
    date: anyDay,
  });

const statementArbitrary = (
  entryIn: (currency: string) => fc.Arbitrary<Entry>,
  text: fc.Arbitrary<string>,
): fc.Arbitrary<Statement> =>
  currencies.chain((currency) =>
    fc
      .record({
        number: accounts,
        bic: optional(fc.constantFrom("TESTNL2A", "TESTBEBBXXX")),
        holder: optional(text),
        reference: optional(text),
        count: fc.integer({ min: 0, max: 2_000_000 }),
        openingBalance: anyBalance(currency),
        closingDate: anyDay,
        availableBalance: optional(anyBalance(currency)),
        forwardBalances: optional(fc.array(anyBalance(currency), { maxLength: 2 })),
        information: optional(text),
        entries: fc.array(entryIn(currency), { maxLength: 12 }),
      })
      .map(({ number, bic, holder, count, closingDate, entries, ...fields }) => {
        const account = withoutUndefined({ number, currency, bic, holder });
        const made = statement(
          entries,
          withoutUndefined({ ...fields, number: count, account }) as Partial<Statement>,
        );
        return { ...made, closingBalance: { ...made.closingBalance!, date: closingDate } };
      }),
  );

export const anyStatement = statementArbitrary(anyEntry, anyText);
export const easyStatement = statementArbitrary(easyEntry, easyText);
