/**
 * What has no end, or was made to be slow: a reader stops with a FormatError and takes no more than it may, and the time to
 * read and write grows with the length, not with its square.
 */
import {
  type Entry,
  FormatError,
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
  writeMt940,
} from "../../../core/files";
import { maxFieldLength, maxPartLength } from "../../../core/files/text-lines";
import { message } from "./mt940-messages";
import { collect, entry, problemOf, readOutcome, toPieces, statement } from "./statement-fixtures";

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

/** A limit is a little more than this; tags and line ends are taken, but do not count. */
const [maxField, maxPart] = [2 * maxFieldLength, 1.2 * maxPartLength];
const balances = `:65:C260201EUR1,${" ".repeat(1000)}\r\n`;
test.each<[string, string, string, number, string]>([
  ["text", "", "x", maxField, "unrecognised :20: 1"],
  ["XML", "<Document>", "<a/>", maxField, "unrecognised :20: 1"],
  ["blanks", "", " ", maxField, "unrecognised :20: 1"],
  ["blanks behind a message", `${message([])}\r\n`, " ", maxField, "too_long :20: 7"],
  ["a dash", openMessage, "-", maxField, "too_long :60F: 4"],
  ["a line of :61:", `${openMessage}${line61}`, "/", maxField, "too_long :61: 5"],
  ["a line of :86:", `${openEntry}:86:`, "/", maxField, "too_long :86: 6"],
  ["lines of :25:", ":20:A\n:25:B", "x\n", maxField, "too_long :25: 2"],
  ["lines of :86:", `${openEntry}:86:`, "x\n", maxField, "too_long :86: 6"],
  ["fields :86:", openEntry, ":86:Rent\n", maxField, "too_long :86:"],
  ["fields :86: of the statement", messageWithoutEnd, ":86:Rent\n", maxField, "too_long :86:"],
  ["balances", messageWithoutEnd, balances, maxPart, "too_long :65:"],
])("MT940: %s without an end", async (_, beginning, repeated, max, problem) => {
  await expectRefused(readMt940, [beginning, repeated], max, problem);
});

test("a text is refused as a stream is", async () => {
  expect(await problemOf(readMt940(`${openEntry}:86:${"x".repeat(maxFieldLength)}`))).toBe("too_long :86: 6");
  const coda = (await collectText(writeCoda([full]))).replaceAll("\r\n", "\r").repeat(2000);
  expect(await problemOf(readCoda(coda))).toBe("invalid 0 1");
});

/** Lines repeated for ever, or what follows the lines before the first one that matches. */
test.each<[string, RegExp | undefined, string, number, string]>([
  ["text", undefined, "x", maxField, "unrecognised xx 1"],
  ["blanks", undefined, " ", maxField, "unrecognised    1"],
  ["a header", undefined, "0", maxField, "too_long 0 1"],
  ["details", /^21.{4}(?!0000)/, "", maxPart, "too_long 2.1"],
  ["information", /^31/, "", maxPart, "too_long 3.1"],
  ["communications", /^4/, "", maxPart, "too_long 4"],
])("CODA: %s without an end", async (_, line, repeated, max, problem) => {
  const parts = line ? await splitAtLine(writeCoda([full]), line) : (["", repeated] as const);
  await expectRefused(readCoda, parts, max, problem);
});

test.each<[string, RegExp | undefined, string, string, number, string]>([
  ["text", undefined, "", "x", maxField, "unrecognised record 1"],
  ["a quote", undefined, '"', "x\n", maxField, "unrecognised record 1"],
  ["a header", undefined, "record,", "x", maxField, "missing account_number 1"],
  ["a row", /opening/, "", "x", maxField, "too_long record 2"],
  ["a row of quotes", /opening/, "", '"', maxField, "too_long record 2"],
  ["a quote in a row", /opening/, '"', "x", maxField, "too_long record 2"],
  ["a quote over lines", /opening/, '"', "\n", maxField, "too_long record 2"],
  ["blanks", /opening/, "", " ", maxField, "too_long record 2"],
  ["rows of details", /,detail,/, "", `${" ".repeat(1000)}\r\n`, maxPart, "too_long record"],
  ["rows of balances", /,forward,/, "", `${" ".repeat(1000)}\r\n`, maxPart, "too_long record"],
])("CSV: %s without an end", async (_, row, start, repeated, max, problem) => {
  const [before, line] = row ? await splitAtLine(writeCsv([full]), row) : ["", ""];
  const more = max === maxPart ? line.replace("\r\n", repeated) : repeated;
  await expectRefused(readCsv, [before + start, more], max, problem);
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

/** Work that is proportional to the length takes a fraction of a second; to its square, minutes. */
const maxSeconds = 3;
const characters = 80_000;
const repetitions = 20_000;

/** Checks the processor time, which other programs do not lengthen. */
async function expectFast(work: () => Promise<unknown>): Promise<void> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000_000).toBeLessThan(maxSeconds);
}

const validMessage = message([line61, ":86:Rent"]);
const informationStarts = ["", "/EREF/", "/CNTP/", "/EXCH/", "/OCMT/USD", "/REMI/STRD/CUR/"].concat([
  "166?20",
  "166?31",
  "166?20SVWZ+",
  "166?20OAMT+",
]);

/** Messages with a long text at each place. */
const messagesWith = (long: string): string[] => [
  long,
  `${long}\r\n${validMessage}`,
  `{1:${long}\r\n${validMessage}`,
  `${validMessage}${long}\r\n${validMessage}`,
  ...["REF", ":25:", ":25:TESTDEFF/", "1/1", "EUR100,"].map((before) =>
    validMessage.replace(before.slice(0, 4), () => before + long),
  ),
  message([`:61:260115C${long}`]),
  message([line61 + long]),
  message([line61, long]),
  message([line61, `/OCMT/${long}`]),
  message([`:NS:${long}`]),
  ...["", "\r\n:64:", "\r\n:86:"].map((before) => message([], `:62F:C260131EUR100,${before}${long}`)),
  ...informationStarts.map((before) => message([line61, `:86:${before}${long}`])),
];

const withLongTexts = (long: string): Entry => ({
  ...entry(),
  customerReference: long,
  bankReference: long,
  endToEndId: long,
  mandateId: long,
  creditorId: long,
  counterparty: { name: long, account: long, bic: long },
  creditorReference: long,
  remittance: long,
  purpose: long,
  returnReason: long,
  additionalInformation: long,
});

const writers: [string, (statements: Statement[]) => AsyncIterable<string>][] = [
  ["MT940", writeMt940],
  ["MT940 with sub-tags", (statements) => writeMt940(statements, { subTags: true })],
  ["CODA", writeCoda],
  ["CSV", writeCsv],
];

const fillers = [
  "/",
  " ",
  "/ ",
  "?",
  "?20",
  "/BIC/x",
  "EREF+",
  "1",
  ",",
  '"',
  "'",
  "\n",
  "x\r\n",
  "\r",
].concat(["a ", ":", "-", "{4:", "\u0000", "\u0301\u0316"]);

describe.each(fillers)("%j, repeated,", (filler) => {
  /** Ends with a character that no pattern for its end expects. */
  const long = `${filler.repeat(Math.ceil(characters / filler.length))}x`;

  test("is read quickly at any place of MT940", async () => {
    for (const text of messagesWith(long)) await expectFast(() => readOutcome(readMt940(text)));
  });

  test("is read quickly as a line, a header and a record of CODA", async () => {
    const [header = ""] = (await collectText(writeCoda([statement()]))).split("\r\n");
    for (const text of [long, `0${long}`, `${header}\r\n1${long}`])
      await expectFast(() => readOutcome(readCoda(text)));
  });

  test("is read quickly in the header and any cell of CSV", async () => {
    const [header = "", opening = ""] = (await collectText(writeCsv([statement()]))).split("\r\n");
    const cells = opening.split(",");
    const rows = cells.map((_, index) => `${header}\r\n${cells.with(index, `"${long}"`).join(",")}\r\n`);
    for (const text of [long, `"${long}`, `"${long}"`, `${header},${long}`, `${header}\r\n${long}`, ...rows])
      await expectFast(() => readOutcome(readCsv(text)));
  });

  test.each(writers)("is written quickly in %s", async (_, write) => {
    const account = { number: `x${long}`, currency: "EUR", bic: long, holder: long };
    const all = statement([withLongTexts(`x${long}`)], { account, reference: long, information: long });
    const others = [{ transactionCode: long }, { exchangeRate: long }, { bookingDate: long }];
    for (const each of [all, ...others.map((fields) => statement([entry(fields)]))])
      await expectFast(() =>
        collectText(write([each])).catch((error: unknown) => expect(error).toBeInstanceOf(FormatError)),
      );
  });
});

test.each<[string, (text: string) => AsyncIterable<Statement>, AsyncIterable<string>]>([
  ["MT940", readMt940, writeMt940([full])],
  ["CODA", readCoda, writeCoda([full])],
  ["CSV", readCsv, writeCsv([full])],
])("any repeated line of %s is read quickly", async (_, read, written) => {
  const lines = (await collectText(written)).split("\r\n");
  for (const [index, line] of lines.entries()) {
    const text = lines.toSpliced(index, 1, ...Array.from({ length: repetitions }, () => line)).join("\r\n");
    await expectFast(() => readOutcome(read(text)));
  }
});

test("keeps every entry, balance and code word of a long statement", async () => {
  const lines = (line: string) => Array.from({ length: repetitions }, () => line);
  const closing = [":62F:C260131EUR100,", ...lines(":65:C260201EUR1,")].join("\r\n");
  const [found] = await collect(readMt940(message(lines(line61), closing)));
  expect([found!.entries.length, found!.forwardBalances!.length]).toEqual([repetitions, repetitions]);
  const words = `:86:/EREF/E-1${"/BIC/x".repeat(150_000)}`;
  const [other] = await collect(readMt940(message([line61, words])));
  expect(other!.entries[0]).toMatchObject({ endToEndId: "E-1", counterparty: { bic: "x" } });
});

test("writes a text of any length", async () => {
  const remittance = "a ".repeat(10_000_000);
  const text = await collectText(writeMt940([statement([entry({ remittance })])]));
  expect(text).toContain(`:86:${"a ".repeat(31)}a\r\n`);
});
