/** Any statements: written and read again, and read by a parser that fxdesk did not write. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as fc from "fast-check";
import { Parser } from "mt940js";
import {
  normaliseCoda,
  normaliseCsv,
  normaliseMt940,
  readCoda,
  readCsv,
  readMt940,
  type Statement,
  collectText,
  LossCounter,
  readCamt,
  writeCamt,
  type TextSource,
  writeCoda,
  writeCsv,
  writeMt940,
} from "../../../core/files";
import { collect, anyStatement, easyStatement, readOutcome, toPieces } from "./statement-fixtures";

interface Roundtrip {
  readonly write: (statements: readonly Statement[]) => AsyncIterable<string>;
  readonly read: (source: TextSource) => AsyncIterable<Statement>;
  readonly normalise: (statement: Statement) => Statement;
}

const withSubTags: Roundtrip = {
  write: (statements) => writeMt940(statements, { subTags: true }),
  read: readMt940,
  normalise: (statement) => normaliseMt940(statement, { subTags: true }),
};

const formats: [string, Roundtrip][] = [
  ["MT940 with sub-tags", withSubTags],
  ["MT940 without sub-tags", { write: writeMt940, read: readMt940, normalise: normaliseMt940 }],
  ["CODA", { write: writeCoda, read: readCoda, normalise: normaliseCoda }],
  ["CSV", { write: writeCsv, read: readCsv, normalise: normaliseCsv }],
];

/** Folder of the published schemas, which are not part of the project. */
const schemas = process.env.ISO20022_XSD;

const runs = { numRuns: Number(process.env.FXDESK_RUNS ?? 60) };

describe.each(formats)("%s", (_, { write, read, normalise }) => {
  const normal = (statement: Statement) => normalise(statement);

  test("any statements come back as the format carries them, however the text arrives", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStatement, { maxLength: 3 }),
        fc.integer({ min: 1, max: 500 }),
        async (statements, size) => {
          const text = await collectText(write(statements));
          expect(await collect(read(text))).toEqual(statements.map(normal));
          expect(await collect(read(toPieces(text, size)))).toEqual(statements.map(normal));
        },
      ),
      runs,
    );
  });

  test("what a format carries, it carries again without a further change", () => {
    fc.assert(
      fc.property(anyStatement, (statement) => {
        expect(normal(normal(statement))).toEqual(normal(statement));
      }),
      runs,
    );
  });
});

describe.each(["08", "02"] as const)("camt.053.001.%s", (version) => {
  const write = (statement: Statement) => collectText(writeCamt([statement], version));
  const hold = async (statement: Statement) => {
    const [held] = await collect(readCamt(await write(statement), { tolerate: true }));
    return held!;
  };
  const lossesOf = async (statement: Statement) => {
    const counter = new LossCounter(hold);
    await counter.add(statement);
    return counter.losses;
  };
  const factsOf = ({ account: { currency }, openingBalance, closingBalance, entries }: Statement) => ({
    currency,
    balances: [openingBalance, closingBalance],
    entries: entries.map(({ amount, creditDebit, bookingDate, valueDate, reversal }) => ({
      amount,
      creditDebit,
      bookingDate,
      valueDate,
      reversal,
    })),
  });

  test("any statement keeps its money and days, and loses nothing when written again", async () => {
    await fc.assert(
      fc.asyncProperty(anyStatement, async (statement) => {
        const held = await hold(statement);
        expect(withoutNegativeZero(factsOf(held))).toEqual(withoutNegativeZero(factsOf(statement)));
        expect(await lossesOf(held)).toEqual([]);
      }),
      runs,
    );
  });

  test("an easy statement loses nothing", async () => {
    await fc.assert(
      fc.asyncProperty(easyStatement, async ({ account, ...rest }) => {
        // An account without spaces (an IBAN is written without) that is no account of a counterparty.
        const statement = withoutNegativeZero({
          ...rest,
          account: { ...account, number: "GB33BUKB20201555555555" },
        });
        expect(await lossesOf(statement)).toEqual([]);
        const strictly = await collect(readCamt(await write(statement)));
        expect(strictly).toHaveLength(1);
      }),
      runs,
    );
  });

  (schemas === undefined ? test.skip : test)("any statement is valid by the published schema", async () => {
    const options = ["--noout", "--schema", join(schemas!, `camt.053.001.${version}.xsd`), "-"];
    await fc.assert(
      fc.asyncProperty(anyStatement, async (statement) => {
        execFileSync("xmllint", options, { input: await write(statement), stdio: ["pipe", "pipe", "pipe"] });
      }),
      runs,
    );
  });
});

test("CSV loses nothing of a statement without empty texts", () => {
  fc.assert(
    fc.property(easyStatement, (statement) => {
      const { forwardBalances, ...rest } = statement;
      const expected = forwardBalances?.length ? statement : rest;
      expect(withoutNegativeZero(normaliseCsv(statement))).toEqual(withoutNegativeZero(expected));
    }),
  );
});

test("MT940 with sub-tags and CODA keep the amounts, dates, references and texts of easy entries", () => {
  fc.assert(
    fc.property(easyStatement, (statement) => {
      const carried = [normaliseMt940(statement, { subTags: true }), normaliseCoda(statement)];
      for (const { entries } of carried) expect(entries).toMatchObject(statement.entries);
    }),
  );
});

/** A balance of nothing is a credit. */
const withoutNegativeZero = <Facts>(facts: Facts): Facts =>
  JSON.parse(JSON.stringify(facts), (_, value: { creditDebit?: string; amount?: string; date?: string }) =>
    value?.date && Number(value.amount) === 0 ? { ...value, creditDebit: "Credit" } : value,
  );

const junk = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "\r\n",
    "\n",
    "-\r\n",
    ":61:",
    ":86:",
    ":62F:",
    ":60M:",
    '"',
    ",",
    "{4:",
    "21",
    "9",
    "/REMI/",
    "?20",
  ),
);

test.each(formats)("%s, given any text", async (_, { read }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(junk, { maxLength: 40 }), async (pieces) => {
      await readOutcome(read(pieces.join("")));
    }),
    { numRuns: 150 },
  );
});

/** It rounds to two decimals, and takes all years for 20YY and a slash for the end of the customer reference. */
const isReadable = ({ account, entries }: Statement) =>
  account.currency !== "BHD" &&
  entries.every(
    ({ valueDate, customerReference = "" }) => valueDate >= "2000" && !customerReference.includes("/"),
  );

test("mt940js reads every message, finds it balanced, and every entry in it", async () => {
  await fc.assert(
    fc.asyncProperty(anyStatement, fc.boolean(), async (statement, subTags) => {
      const normal = normaliseMt940(statement, { subTags });
      fc.pre(isReadable(normal));
      const messages = new Parser().parse(await collectText(writeMt940([statement], { subTags })));
      expect(new Set(messages.map(({ number }) => Number(number.statement)))).toEqual(
        new Set([normal.number]),
      );
      expect(messages.map(({ number }) => Number(number.sequence))).toEqual(
        messages.map((_, index) => index + 1),
      );
      expect(new Set(messages.map(({ currency }) => currency))).toEqual(new Set([normal.account.currency]));
      const found = messages.flatMap(({ transactions }) => transactions);
      expect(
        found.map(({ date, amount, isReversal, transactionType, bankReference, extraDetails }) => ({
          valueDate: date.toISOString().slice(0, 10),
          amount: Math.abs(amount),
          creditDebit: amount < 0 || Object.is(amount, -0) ? "Debit" : "Credit",
          reversal: isReversal,
          transactionCode: transactionType,
          bankReference,
          additionalInformation: extraDetails,
        })),
      ).toEqual(
        normal.entries.map((entry) => ({
          valueDate: entry.valueDate,
          amount: Number(entry.amount),
          creditDebit: entry.creditDebit,
          reversal: entry.reversal ?? false,
          transactionCode: entry.transactionCode,
          bankReference: entry.bankReference ?? "",
          additionalInformation: entry.additionalInformation ?? "",
        })),
      );
    }),
    { numRuns: 100 },
  );
});
