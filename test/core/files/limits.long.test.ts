/** What has no end: a reader stops with a FormatError, and takes no more of it than it may. */
import {
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
} from "../../../core/files";
import { maxFieldLength, maxPartLength } from "../../../core/files/limits";
import { message } from "./mt940-messages";
import { collect, entry, toPieces, readOutcome, statement } from "./statement-fixtures";

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

type Expected = Partial<FormatError>;

/** Reads a stream without an end, and makes sure that it is refused, soon and for the right reason. */
async function expectRefused(
  read: (source: TextSource) => AsyncIterable<Statement>,
  stream: EndlessStream,
  max: number,
  expected: Expected,
): Promise<void> {
  expect(await readOutcome(read(stream))).toMatchObject({ name: "FormatError", ...expected });
  expect(stream.charactersRead).toBeLessThan(max);
  expect(stream.isClosed).toBe(true);
}

describe("MT940", () => {
  test.each<[string, string, string, Expected]>([
    ["text", "", "x", { code: "unrecognised", field: ":20:", line: 1 }],
    ["XML", "<Document>", "<a/>", { code: "unrecognised", field: ":20:", line: 1 }],
    ["blanks", "", " ", { code: "unrecognised", field: ":20:", line: 1 }],
    ["blanks behind a message", `${message([])}\r\n`, " ", { code: "too_long", field: ":20:", line: 7 }],
    ["a dash", openMessage, "-", { code: "too_long", field: ":60F:", line: 4 }],
    ["a line of :20:", ":20:", "x", { code: "too_long", field: ":20:", line: 1 }],
    ["a line of :61:", `${openMessage}${line61}`, "/", { code: "too_long", field: ":61:", line: 5 }],
    ["a line of :86:", `${openMessage}${line61}\n:86:`, "/", { code: "too_long", field: ":86:", line: 6 }],
    ["a further line", `${openMessage}${line61}\n:86:\n`, "/", { code: "too_long", field: ":86:", line: 6 }],
    ["lines of :25:", ":20:A\n:25:B", "x\n", { code: "too_long", field: ":25:", line: 2 }],
    ["lines of :61:", `${openMessage}${line61}\n`, "x\n", { code: "too_long", field: ":61:", line: 5 }],
    ["lines of :86:", `${openMessage}${line61}\n:86:`, "x\n", { code: "too_long", field: ":86:", line: 6 }],
    ["fields :86:", `${openMessage}${line61}\n`, ":86:Rent\n", { code: "too_long", field: ":86:" }],
    ["fields :86: of the statement", messageWithoutEnd, ":86:Rent\n", { code: "too_long", field: ":86:" }],
  ])("%s without an end", async (_, beginning, repeated, expected) => {
    // Tags and CR are taken, but do not count.
    await expectRefused(readMt940, new EndlessStream(beginning, repeated), 2 * maxFieldLength, {
      format: "MT940",
      ...expected,
    });
  });

  test("balances without an end", async () => {
    const blanks = " ".repeat(1000);
    await expectRefused(
      readMt940,
      new EndlessStream(messageWithoutEnd, `:65:C260201EUR1,${blanks}\r\n`),
      1.2 * maxPartLength,
      {
        format: "MT940",
        code: "too_long",
        field: ":65:",
      },
    );
  });
});

test("a text is refused as a stream is", async () => {
  const text = `${openMessage}${line61}\r\n:86:${"x".repeat(maxFieldLength)}`;
  expect(await readOutcome(readMt940(text))).toMatchObject({ code: "too_long", field: ":86:", line: 6 });
});

describe("CODA", () => {
  test.each<[string, string, Expected]>([
    ["text", "x", { code: "unrecognised", line: 1 }],
    ["blanks", " ", { code: "unrecognised", line: 1 }],
    ["a header", "0", { code: "too_long", field: "0", line: 1 }],
  ])("%s without an end", async (_, repeated, expected) => {
    await expectRefused(readCoda, new EndlessStream("", repeated), 1.2 * maxFieldLength, {
      format: "CODA",
      ...expected,
    });
  });

  test("CR that ends the lines of a long text", async () => {
    const text = (await collectText(writeCoda([full]))).replaceAll("\r\n", "\r").repeat(2000);
    expect(text.length).toBeGreaterThan(maxFieldLength);
    expect(await readOutcome(readCoda(text))).toMatchObject({ code: "invalid", line: 1 });
  });

  test.each<[string, RegExp, string]>([
    ["details", /^21.{4}(?!0000)/, "2.1"],
    ["information", /^31/, "3.1"],
    ["communications", /^4/, "4"],
  ])("%s without an end", async (_, start, field) => {
    await expectRefused(
      readCoda,
      new EndlessStream(...(await splitAtLine(writeCoda([full]), start))),
      1.2 * maxPartLength,
      {
        format: "CODA",
        code: "too_long",
        field,
      },
    );
  });
});

describe("CSV", () => {
  test.each<[string, string, string, Expected]>([
    ["text", "", "x", { code: "unrecognised", line: 1 }],
    ["a quote", '"', "x\n", { code: "unrecognised", line: 1 }],
    ["a header", "record,", "x", { code: "missing", field: "account_number", line: 1 }],
  ])("%s without an end", async (_, beginning, repeated, expected) => {
    await expectRefused(readCsv, new EndlessStream(beginning, repeated), 1.2 * maxFieldLength, {
      format: "CSV",
      ...expected,
    });
  });

  test.each<[string, string, string]>([
    ["a row", "", "x"],
    ["a row of quotes", "", '"'],
    ["a quote", '"', "x"],
    ["a quote over lines", '"', "\n"],
    ["blanks", "", " "],
  ])("%s without an end behind the header", async (_, start, repeated) => {
    const [header] = await splitAtLine(writeCsv([full]), /opening/);
    await expectRefused(readCsv, new EndlessStream(header + start, repeated), 1.2 * maxFieldLength, {
      format: "CSV",
      code: "too_long",
      field: "record",
      line: 2,
    });
  });

  test.each(["detail", "forward"])("rows of %s without an end", async (record) => {
    const [before, row] = await splitAtLine(writeCsv([full]), new RegExp(`,${record},`));
    const stream = new EndlessStream(before, row.replace("\r\n", `${" ".repeat(1000)}\r\n`));
    await expectRefused(readCsv, stream, 1.2 * maxPartLength, {
      format: "CSV",
      code: "too_long",
      field: "record",
    });
  });
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
