/** What no writer takes: broken in any format. */
import {
  type CreditDebit,
  type Entry,
  FormatError,
  type Statement,
  collectText,
  writeCoda,
  writeCsv,
  writeMt940,
} from "../../../core/files";
import { entry, statement } from "./statement-fixtures";

/** A word that JavaScript may give, where there is no compiler to say that it is none. */
const invalidIndicator = "debit" as CreditDebit;

const writers: [string, (statements: Statement[]) => AsyncIterable<string>][] = [
  ["MT940", writeMt940],
  ["MT940 with sub-tags", (statements) => writeMt940(statements, { subTags: true })],
  ["CODA", writeCoda],
  ["CSV", writeCsv],
];

/** Broken, and refused as it is whatever the format carries. */
const brokenExchanges: [string, Partial<Entry>][] = [
  ["a rate that is none", { exchangeRate: "abc" }],
  ["an instructed amount that is none", { instructedAmount: { amount: "x", currency: "USD" } }],
  ["an instructed amount without a currency", { instructedAmount: { amount: "1", currency: "" } }],
  ["charges with a sign", { charges: { amount: "-1", currency: "USD" } }],
];

const withEntry = (fields: Partial<Entry>): Statement => {
  const { closingBalance, ...rest } = statement([entry()]);
  return { ...rest, closingBalance, entries: [entry(fields)] };
};

test.each(writers.slice(0, 3))(
  "%s: a number of which the character set leaves nothing is none",
  async (_, write) => {
    const broken = statement([], { account: { number: "\u0301", currency: "EUR" } });
    await expect(collectText(write([broken]))).rejects.toMatchObject({ code: "missing" });
  },
);

describe.each(writers)("%s", (name, write) => {
  test.each(brokenExchanges)("%s is refused", async (_, fields) => {
    await expect(collectText(write([withEntry(fields)]))).rejects.toMatchObject({
      name: "FormatError",
      code: "invalid",
      format: name.split(" ")[0],
    });
  });
});

describe.each(writers)("%s", (name, write) => {
  test.each<[string, Statement]>([
    ["an entry that is neither credit nor debit", withEntry({ creditDebit: invalidIndicator })],
    [
      "an opening balance that is neither",
      statement([], { openingBalance: { creditDebit: invalidIndicator, amount: "1", date: "2026-01-01" } }),
    ],
    [
      "a closing balance that is neither",
      statement([], { closingBalance: { creditDebit: invalidIndicator, amount: "100", date: "2026-01-01" } }),
    ],
  ])("%s is refused", async (_, broken) => {
    await expect(collectText(write([broken]))).rejects.toBeInstanceOf(FormatError);
    await expect(collectText(write([broken]))).rejects.toMatchObject({
      code: "invalid",
      format: name.split(" ")[0],
      message: expect.stringContaining('Credit or Debit, not "debit"') as string,
    });
  });
});
