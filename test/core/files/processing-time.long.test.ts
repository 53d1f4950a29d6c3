/** Large files made to be slow: time grows with their length, and no faster. */
import {
  type Entry,
  FormatError,
  readCoda,
  readCsv,
  readMt940,
  type Statement,
  collectText,
  writeCoda,
  writeCsv,
  writeMt940,
} from "../../../core/files";
import { message } from "./mt940-messages";
import { collect, entry, readOutcome, statement } from "./statement-fixtures";

/** What takes a fraction of a second in proportion to the length takes minutes in proportion to its square. */
const maxSeconds = 3;
const characters = 80_000;
const repetitions = 20_000;

/** Processor time, which other programs do not lengthen. */
async function measureSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}

const fillers: [name: string, filler: string][] = [
  ["slashes", "/"],
  ["spaces", " "],
  ["slashes and spaces", "/ "],
  ["question marks", "?"],
  ["subfields", "?20"],
  ["code words", "/BIC/x"],
  ["keys", "EREF+"],
  ["digits", "1"],
  ["commas", ","],
  ["quotes", '"'],
  ["apostrophes", "'"],
  ["newlines", "\n"],
  ["short lines", "x\r\n"],
  ["CR", "\r"],
  ["words", "a "],
  ["colons", ":"],
  ["dashes", "-"],
  ["braces", "{4:"],
  ["control characters", "\u0000"],
  ["combining marks", "\u0301\u0316"],
];

/** A text as long as asked for, and behind it a sign that no pattern for its end expects. */
const repeatFiller = (filler: string, length: number) =>
  `${filler.repeat(Math.ceil(length / filler.length))}x`;

const line61 = ":61:2601150115C0,NTRFNONREF";
const validMessage = message([line61, ":86:Rent"]);

describe.each(fillers)("reading %s", (_, filler) => {
  const long = repeatFiller(filler, characters);

  test.each<[string, string]>([
    ["without a tag", long],
    ["before a message", `${long}\r\n${validMessage}`],
    ["in an envelope", `{1:${long}\r\n${validMessage}`],
    ["behind a dash", `${validMessage}${long}\r\n${validMessage}`],
    [":20:", validMessage.replace("REF", () => long)],
    [":25:", validMessage.replace(":25:", () => `:25:${long}`)],
    [":25: behind a BIC", validMessage.replace(":25:", () => `:25:TESTDEFF/${long}`)],
    [":28C:", validMessage.replace("1/1", () => `1/1${long}`)],
    [":60F:", validMessage.replace("EUR100,", () => `EUR100,${long}`)],
    [":61: as the amount", message([`:61:260115C${long}`])],
    [":61: as references", message([line61 + long])],
    [":61: as supplementary details", message([line61, long])],
    [":61: as code words", message([line61, `/OCMT/${long}`])],
    [":62F:", message([], `:62F:C260131EUR100,${long}`)],
    [":64:", message([], `:62F:C260131EUR100,\r\n:64:${long}`)],
    [":86: of the statement", message([], `:62F:C260131EUR100,\r\n:86:${long}`)],
    [":NS:", message([`:NS:${long}`])],
    ...["", "/EREF/", "/CNTP/", "/PURP/", "/EXCH/", "/OCMT/USD", "/REMI/", "/REMI/STRD/CUR/"].map(
      (before): [string, string] => [`:86:${before}`, message([line61, `:86:${before}${long}`])],
    ),
    ...["166?20", "166?31", "166?20SVWZ+", "166?20OAMT+"].map((before): [string, string] => [
      `:86:${before}`,
      message([line61, `:86:${before}${long}`]),
    ]),
  ])("MT940: %s", async (_name, text) => {
    expect(await measureSeconds(() => readOutcome(readMt940(text)))).toBeLessThan(maxSeconds);
  });

  test("CODA: a line, a header, and a record", async () => {
    const [header = ""] = (await collectText(writeCoda([statement()]))).split("\r\n");
    for (const text of [long, `0${long}`, `${header}\r\n1${long}`])
      expect(await measureSeconds(() => readOutcome(readCoda(text)))).toBeLessThan(maxSeconds);
  });

  test("CSV: a header, and any cell", async () => {
    const [header = "", opening = ""] = (await collectText(writeCsv([statement()]))).split("\r\n");
    const cells = opening.split(",");
    const rows = cells.map((__, index) => `${header}\r\n${cells.with(index, `"${long}"`).join(",")}\r\n`);
    for (const text of [long, `"${long}`, `"${long}"`, `${header},${long}`, `${header}\r\n${long}`, ...rows])
      expect(await measureSeconds(() => readOutcome(readCsv(text)))).toBeLessThan(maxSeconds);
  });
});

describe("reading what is repeated", () => {
  const full = statement(
    [
      entry({
        remittance: "Rent ".repeat(60),
        counterparty: { name: "N".repeat(60), account: "BE70000012345678" },
        details: [entry()],
        additionalInformation: "Rent",
      }),
    ],
    {
      information: "of the statement ",
      availableBalance: { creditDebit: "Credit", amount: "1.00", date: "2026-01-31" },
      forwardBalances: [{ creditDebit: "Credit", amount: "1.00", date: "2026-02-01" }],
    },
  );

  test.each<[string, (text: string) => AsyncIterable<Statement>, AsyncIterable<string>]>([
    ["MT940", readMt940, writeMt940([full])],
    ["CODA", readCoda, writeCoda([full])],
    ["CSV", readCsv, writeCsv([full])],
  ])("any line of %s", async (_, read, written) => {
    const lines = (await collectText(written)).split("\r\n");
    for (const [index, line] of lines.entries()) {
      const text = lines.toSpliced(index, 1, ...Array.from({ length: repetitions }, () => line)).join("\r\n");
      expect(await measureSeconds(() => readOutcome(read(text)))).toBeLessThan(maxSeconds);
    }
  });

  test.each([":20:R", ":25:N", ":28C:1/1", ":NS:", ":99:", "-", "x", "", " ", "{1:x"])(
    "%j in MT940",
    async (line) => {
      const text = `${`${line}\r\n`.repeat(repetitions)}${validMessage}`;
      expect(await measureSeconds(() => readOutcome(readMt940(text)))).toBeLessThan(maxSeconds);
    },
  );

  test("all of it is there", async () => {
    const [found] = await collect(
      readMt940(
        message(
          Array.from({ length: repetitions }, () => line61),
          [":62F:C260131EUR100,", ...Array.from({ length: repetitions }, () => ":65:C260201EUR1,")].join(
            "\r\n",
          ),
        ),
      ),
    );
    expect(found!.entries).toHaveLength(repetitions);
    expect(found!.forwardBalances).toHaveLength(repetitions);
  });

  test("more code words than a call takes arguments", async () => {
    const [found] = await collect(readMt940(message([line61, `:86:/EREF/E-1${"/BIC/x".repeat(150_000)}`])));
    expect(found!.entries[0]).toMatchObject({ endToEndId: "E-1", counterparty: { bic: "x" } });
  });
});

async function writeOrRefuse(chunks: AsyncIterable<string>): Promise<void> {
  await collectText(chunks).catch((error: unknown) => {
    expect(error).toBeInstanceOf(FormatError);
  });
}

describe.each(fillers)("writing %s", (_, filler) => {
  const long = `x${repeatFiller(filler, characters / 2)}`;
  const texts: Partial<Entry> = {
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
  };
  const account = { number: long, currency: "EUR", bic: long, holder: long };

  test.each<[string, (statements: Statement[]) => AsyncIterable<string>]>([
    ["MT940", writeMt940],
    ["MT940 with sub-tags", (statements) => writeMt940(statements, { subTags: true })],
    ["CODA", writeCoda],
    ["CSV", writeCsv],
  ])("%s", async (__, write) => {
    const written = statement([entry(texts)], { account, reference: long, information: long });
    expect(await measureSeconds(() => collectText(write([written])))).toBeLessThan(maxSeconds);
    for (const fields of [{ transactionCode: long }, { exchangeRate: long }, { bookingDate: long }]) {
      const other = statement([entry(fields)]);
      expect(await measureSeconds(() => writeOrRefuse(write([other])))).toBeLessThan(maxSeconds);
    }
  });
});

test("a text of any length is written", async () => {
  const remittance = "a ".repeat(10_000_000);
  const text = await collectText(writeMt940([statement([entry({ remittance })])]));
  expect(text).toContain(`:86:${"a ".repeat(31)}a\r\n`);
});
