/** Files that were damaged on their way: a reader gives statements or a FormatError, and always comes to an end. */
import * as fc from "fast-check";
import {
  FormatError,
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
import { anyStatement, readOutcome } from "./statement-fixtures";

type Damage = (text: string) => string;

/** A place in a text of any length. */
const anyShare = fc.double({ min: 0, max: 1, noNaN: true });
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

const damage: fc.Arbitrary<Damage> = fc
  .record({ from: anyShare, length: fc.integer({ min: 0, max: 40 }), put: junk, to: anyShare })
  .chain(({ from, length, put, to }) =>
    fc.constantFrom<Damage>(
      (text) => splice(text, from, length, put),
      (text) => splice(text, from, length, ""),
      (text) => splice(text, to, 0, text.slice(indexAt(text, from), indexAt(text, from) + length * 5)),
      (text) => text.slice(0, indexAt(text, from)),
    ),
  );

const indexAt = (text: string, share: number) => Math.floor(share * text.length);
const splice = (text: string, share: number, length: number, put: string) =>
  text.slice(0, indexAt(text, share)) + put + text.slice(indexAt(text, share) + length);

const formats: [
  string,
  (statements: Statement[]) => AsyncIterable<string>,
  (text: TextSource) => AsyncIterable<Statement>,
][] = [
  ["MT940 with sub-tags", (statements) => writeMt940(statements, { subTags: true }), readMt940],
  ["MT940 without sub-tags", writeMt940, readMt940],
  ["CODA", writeCoda, readCoda],
  ["CSV", writeCsv, readCsv],
];

test.each(formats)("%s, damaged", async (_, write, read) => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStatement, { minLength: 1, maxLength: 2 }),
      fc.array(damage, { minLength: 1, maxLength: 4 }),
      async (statements, damages) => {
        const text = damages.reduce((sum, each) => each(sum), await collectText(write(statements)));
        if ((await readOutcome(read(text))) instanceof FormatError) refused += 1;
      },
    ),
    { numRuns: 150 },
  );
  expect(refused).toBeGreaterThan(30);
});

test.each(formats)("%s, given any text", async (_, __, read) => {
  await fc.assert(
    fc.asyncProperty(fc.array(junk, { maxLength: 40 }), async (pieces) => {
      await readOutcome(read(pieces.join("")));
    }),
    { numRuns: 150 },
  );
});
