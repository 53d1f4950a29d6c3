/** What has no end: a reader stops with a FormatError, and takes no more of it than it may. */
import {
  readCoda,
  readCodaParts,
  readCsv,
  readCsvParts,
  readMt940,
  readMt940Parts,
  type Statement,
  type StatementPart,
  collectText,
  type TextSource,
  writeCoda,
  writeCsv,
} from "../../../core/files";
import { maxFieldLength, maxPartLength } from "../../../core/files/text-lines";
import { message } from "./mt940-messages";
import { collect, entry, problemOf, toPieces, statement } from "./statement-fixtures";

/** More than a reader may take in before it stops. */
const excessiveLength = 2 * maxPartLength;

/** A stream that begins with some text and goes on with the same for ever. */
class EndlessStream {
  charactersRead = 0;
  isClosed = false;

  constructor(
    readonly beginning: string,
    readonly repeated: string,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, void> {
    const piece = this.repeated.repeat(Math.ceil(50_000 / this.repeated.length));
    try {
      yield this.beginning;
      for (; this.charactersRead < excessiveLength; this.charactersRead += piece.length) yield piece;
      throw new Error("too much was taken");
    } finally {
      this.isClosed = true;
    }
  }
}

const line61 = ":61:2601150115C0,NTRFNONREF";
const openMessage = message([]).slice(0, message([]).indexOf(":62F:"));
const messageWithoutEnd = message([]).slice(0, -1);

/** The text of a writer as far as the first line that begins in this way, and that line. */
async function splitAtLine(
  chunks: AsyncIterable<string>,
  start: RegExp,
): Promise<[before: string, line: string]> {
  const lines = (await collectText(chunks)).split(/(?<=\r\n)/);
  const at = lines.findIndex((line) => start.test(line));
  return [lines.slice(0, at).join(""), lines[at]!];
}

const balance = { creditDebit: "Credit", amount: "100.00", date: "2026-01-31" } as const;
const full = statement(
  [entry({ remittance: "x".repeat(200), endToEndId: "E", details: [entry(), entry()] })],
  { information: "Rent", forwardBalances: [balance] },
);

/** Reads an endless stream, which must be refused soon and for the right reason. */
async function expectRefused(
  read: (source: TextSource) => AsyncIterable<Statement>,
  [beginning, repeated]: readonly [beginning: string, repeated: string],
  max: number,
  problem: string,
): Promise<void> {
  const stream = new EndlessStream(beginning, repeated);
  expect(await problemOf(read(stream))).toContain(problem);
  expect(stream.charactersRead).toBeLessThan(max);
  expect(stream.isClosed).toBe(true);
}

const openEntry = `${openMessage}${line61}\n`;

test.each<[string, string, string, string]>([
  ["text", "", "x", "unrecognised :20: 1"],
  ["XML", "<Document>", "<a/>", "unrecognised :20: 1"],
  ["blanks", "", " ", "unrecognised :20: 1"],
  ["blanks behind a message", `${message([])}\r\n`, " ", "too_long :20: 7"],
  ["a dash", openMessage, "-", "too_long :60F: 4"],
  ["a line of :20:", ":20:", "x", "too_long :20: 1"],
  ["a line of :61:", `${openMessage}${line61}`, "/", "too_long :61: 5"],
  ["a line of :86:", `${openEntry}:86:`, "/", "too_long :86: 6"],
  ["a further line", `${openEntry}:86:\n`, "/", "too_long :86: 6"],
  ["lines of :25:", ":20:A\n:25:B", "x\n", "too_long :25: 2"],
  ["lines of :61:", openEntry, "x\n", "too_long :61: 5"],
  ["lines of :86:", `${openEntry}:86:`, "x\n", "too_long :86: 6"],
  ["fields :86:", openEntry, ":86:Rent\n", "too_long :86:"],
  ["fields :86: of the statement", messageWithoutEnd, ":86:Rent\n", "too_long :86:"],
])("MT940: %s without an end", async (_, beginning, repeated, problem) => {
  // Tags and CR are taken, but do not count.
  await expectRefused(readMt940, [beginning, repeated], 2 * maxFieldLength, problem);
});

test("MT940: balances without an end", async () => {
  const line = `:65:C260201EUR1,${" ".repeat(1000)}\r\n`;
  await expectRefused(readMt940, [messageWithoutEnd, line], 1.2 * maxPartLength, "too_long :65:");
});

test("a text is refused as a stream is", async () => {
  expect(await problemOf(readMt940(`${openEntry}:86:${"x".repeat(maxFieldLength)}`))).toBe("too_long :86: 6");
  const coda = (await collectText(writeCoda([full]))).replaceAll("\r\n", "\r").repeat(2000);
  expect(await problemOf(readCoda(coda))).toBe("invalid 0 1");
});

test.each([
  ["text", "x", "unrecognised xx 1"],
  ["blanks", " ", "unrecognised    1"],
  ["a header", "0", "too_long 0 1"],
])("CODA: %s without an end", async (_, repeated, problem) => {
  await expectRefused(readCoda, ["", repeated], 1.2 * maxFieldLength, problem);
});

test.each<[string, RegExp, string]>([
  ["details", /^21.{4}(?!0000)/, "too_long 2.1"],
  ["information", /^31/, "too_long 3.1"],
  ["communications", /^4/, "too_long 4"],
])("CODA: %s without an end", async (_, start, problem) => {
  const parts = await splitAtLine(writeCoda([full]), start);
  await expectRefused(readCoda, parts, 1.2 * maxPartLength, problem);
});

test.each([
  ["text", "", "x", "unrecognised record 1"],
  ["a quote", '"', "x\n", "unrecognised record 1"],
  ["a header", "record,", "x", "missing account_number 1"],
])("CSV: %s without an end", async (_, beginning, repeated, problem) => {
  await expectRefused(readCsv, [beginning, repeated], 1.2 * maxFieldLength, problem);
});

test.each([
  ["a row", "", "x"],
  ["a row of quotes", "", '"'],
  ["a quote", '"', "x"],
  ["a quote over lines", '"', "\n"],
  ["blanks", "", " "],
])("CSV: %s without an end behind the header", async (_, start, repeated) => {
  const [header] = await splitAtLine(writeCsv([full]), /opening/);
  await expectRefused(readCsv, [header + start, repeated], 1.2 * maxFieldLength, "too_long record 2");
});

test.each(["detail", "forward"])("CSV: rows of %s without an end", async (record) => {
  const [before, row] = await splitAtLine(writeCsv([full]), new RegExp(`,${record},`));
  const long = row.replace("\r\n", `${" ".repeat(1000)}\r\n`);
  await expectRefused(readCsv, [before, long], 1.2 * maxPartLength, "too_long record");
});

describe("as much as may be", () => {
  /** More than a part may have, in many of them. */
  const [length, count] = [0.9 * maxFieldLength, (1.2 * maxPartLength) / maxFieldLength];
  const remittance = "x".repeat(length);
  const entries = Array.from({ length: count }, () => entry({ remittance, amount: "0.00" }));

  async function lengthOf(parts: AsyncIterable<StatementPart>): Promise<number> {
    let sum = 0;
    for await (const part of parts) if (part.kind === "entry") sum += part.entry.remittance?.length ?? 0;
    return sum;
  }

  test("MT940: any number of long fields and lines", async () => {
    const text = message(Array.from({ length: count }, () => [line61, `:86:${remittance}`]).flat());
    expect(await lengthOf(readMt940Parts(toPieces(text, 100_000)))).toBe(length * count);
    expect(await lengthOf(readMt940Parts(text))).toBe(length * count);
  });

  test("CSV: any number of long rows", async () => {
    expect(await lengthOf(readCsvParts(writeCsv([statement(entries)])))).toBe(length * count);
  });

  test("CODA: any number of entries", async () => {
    const [before, information] = await splitAtLine(writeCoda([full]), /^31/);
    const one = before.slice(before.indexOf("\r\n21") + 2) + information.repeat(10);
    const text = before + one.repeat((1.2 * maxPartLength) / one.length);
    await expect(lengthOf(readCodaParts(text))).rejects.toMatchObject({ code: "missing", field: "9" });
  });

  test("text between messages, and what says nothing about a statement", async () => {
    const passedOver = `${"x".repeat(1000)}\r\n`.repeat(maxPartLength / 1000);
    const text = `HEADER\r\n${passedOver}${message([])}\r\n${"\r\n".repeat(maxFieldLength)}${message([])}`;
    expect(await collect(readMt940(text))).toHaveLength(2);
  });
});
