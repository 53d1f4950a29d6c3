/** What is written is read again, within what each format can carry. */
import * as fc from "fast-check";
import {
  normaliseCoda,
  normaliseCsv,
  normaliseMt940,
  readCoda,
  readCsv,
  readMt940,
  type Statement,
  collectText,
  type TextSource,
  writeCoda,
  writeCsv,
  writeMt940,
} from "../../../core/files";
import { collect, anyStatement, easyStatement, toPieces } from "./statement-fixtures";

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
const withoutNegativeZero = (statement: Statement): unknown =>
  JSON.parse(
    JSON.stringify(statement),
    (_, value: { creditDebit?: string; amount?: string; date?: string }) =>
      value?.date && Number(value.amount) === 0 ? { ...value, creditDebit: "Credit" } : value,
  );
