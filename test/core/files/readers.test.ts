/** What every reader says of texts that are of another kind, or of none. */
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
import { collect, entry, statement } from "./statement-fixtures";

type Read = (text: TextSource) => AsyncIterable<Statement>;
type Write = (statements: Statement[]) => AsyncIterable<string>;

const formats: [string, Read, Write][] = [
  ["MT940", readMt940, writeMt940],
  ["CODA", readCoda, writeCoda],
  ["CSV", readCsv, writeCsv],
];

const oneStatement = [statement([entry({ remittance: "Rent" })])];

describe.each(formats)("%s", (name, read, write) => {
  test.each(["", "\n", " \r\n\t\r\n "])("a text of nothing, %j, holds no statements", async (text) => {
    expect(await collect(read(text))).toEqual([]);
  });

  test.each(formats.filter(([other]) => other !== name))(
    "a text of %s is named as such",
    async (other, _, writeOther) => {
      const text = await collectText(writeOther(oneStatement));
      await expect(collect(read(text))).rejects.toMatchObject({ code: "unrecognised", format: name });
      await expect(collect(read(text))).rejects.toThrow(`it looks like ${other}`);
    },
  );

  test.each([
    ["XML", '<?xml version="1.0"?>\n<Document/>\n'],
    ["PDF", "%PDF-1.7\n\n"],
    ["JSON", '{ "accounts": [] }\n'],
    ["CSV with semicolons", "record;amount\nentry;1\n"],
    ["CSV with tabs", "record\tamount\nentry\t1\n"],
  ])("%s is named as such", async (kind, text) => {
    await expect(collect(read(text))).rejects.toMatchObject({ code: "unrecognised", format: name });
    await expect(collect(read(text))).rejects.toThrow(`it looks like ${kind}`);
  });

  test("lines that end with CR alone", async () => {
    const text = (await collectText(write(oneStatement))).replaceAll("\r\n", "\r");
    await expect(collect(read(text))).rejects.toBeInstanceOf(FormatError);
    await expect(collect(read(text))).rejects.toThrow("LF or CRLF");
  });
});
