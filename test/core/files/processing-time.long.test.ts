/** Large files made to be slow: the time to read and write them grows with their length, not with its square. */
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

const line61 = ":61:2601150115C0,NTRFNONREF";
const validMessage = message([line61, ":86:Rent"]);
const information = ["", "/EREF/", "/CNTP/", "/EXCH/", "/OCMT/USD", "/REMI/STRD/CUR/"].concat([
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
  ...information.map((before) => message([line61, `:86:${before}${long}`])),
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
    const full = statement([withLongTexts(`x${long}`)], { account, reference: long, information: long });
    const others = [{ transactionCode: long }, { exchangeRate: long }, { bookingDate: long }];
    for (const each of [full, ...others.map((fields) => statement([entry(fields)]))])
      await expectFast(() =>
        collectText(write([each])).catch((error: unknown) => expect(error).toBeInstanceOf(FormatError)),
      );
  });
});

const full = statement([{ ...withLongTexts("Rent "), remittance: "Rent ".repeat(60), details: [entry()] }], {
  information: "of the statement ",
  availableBalance: { creditDebit: "Credit", amount: "1.00", date: "2026-01-31" },
  forwardBalances: [{ creditDebit: "Credit", amount: "1.00", date: "2026-02-01" }],
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
