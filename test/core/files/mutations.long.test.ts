/**
 * Mutated bank files: every reader refuses them with a FormatError or reads them, at once, and sums that do not add up are
 * always said. FXDESK_RUNS sets the number of mutations of each kind and format.
 */
import { Big } from "big.js";
import {
  collectText,
  FormatError,
  planCsv,
  readBankCsv,
  readCamt,
  readCoda,
  readCsv,
  readMt940,
  type ReadOptions,
  signedAmount,
  type Statement,
  writeCamt,
  writeCoda,
  writeCsv,
  writeMt940,
} from "../../../core/files";
import { entry, statement } from "./statement-fixtures";

const runs = Number(process.env.FXDESK_RUNS ?? 500);
const maxMs = 2000;

/** Returns a generator of whole numbers below a limit, the same for the same seed (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
type Random = ReturnType<typeof createRandom>;

const statements = [1, 2].map((number) =>
  statement(
    [
      entry({ amount: "1200.50", remittance: "Invoice 4711, January", endToEndId: "E-1" }),
      entry({ amount: "3", creditDebit: "Debit", reversal: true, creditorReference: "090933755493" }),
      entry({
        amount: "70.25",
        details: [entry({ amount: "70" }), entry({ amount: "0.25" })],
        counterparty: { name: 'Müller, "A" & Co', account: "DE89370400440532013000" },
      }),
    ],
    { number, account: { number: "BE70000012345678", currency: "EUR" } },
  ),
);

const bankCsv = [
  "IBAN Auftragskonto;Buchungstag;Valutadatum;Name;Verwendungszweck;Betrag;Währung;Saldo",
  "DE89370400440532013000;02.11.2026;03.11.2026;A GmbH;Invoice 1;1.250,50;EUR;2.250,50",
  'DE89370400440532013000;03.11.2026;03.11.2026;"B; GmbH";Rent;-200,25;EUR;2.050,25',
  "DE89370400440532013000;13.11.2026;13.11.2026;C;Fee;-0,25;EUR;2.050,00",
  "",
].join("\r\n");

const mt942 =
  ":20:R\r\n:25:NL13TEST0123456789\r\n:28C:1/1\r\n:34F:EUR0,\r\n:13D:2611160900+0100\r\n" +
  ":61:2611161116C10,50NTRFREF1//B1\r\n:86:one\r\n:61:2611161116D3,25NTRFREF2\r\n:90D:1EUR3,25\r\n:90C:1EUR10,50\r\n-\r\n";

interface Subject {
  readonly text: string | Promise<string>;
  readonly read: (text: string, options: ReadOptions) => AsyncIterable<Statement>;
  /** Matches the values of the format. */
  readonly field: RegExp;
}

const subjects: Readonly<Record<string, Subject>> = {
  MT940: { text: collectText(writeMt940(statements)), read: readMt940, field: /[^:,/\r\n]+/g },
  MT942: { text: mt942, read: readMt940, field: /[^:,/\r\n]+/g },
  CODA: { text: collectText(writeCoda(statements)), read: readCoda, field: /\d+|[^\d\s]+/g },
  CSV: { text: collectText(writeCsv(statements)), read: readCsv, field: /[^,\r\n]+/g },
  "CSV of a bank": {
    text: bankCsv,
    read: async function* (text, options) {
      yield* readBankCsv(text, await planCsv(text), options);
    },
    field: /[^;\r\n]+/g,
  },
  "camt.053": {
    text: collectText(writeCamt(statements, "08")).then((text) => text.replaceAll("><", ">\n<")),
    read: readCamt,
    field: /(?<=>)[^<>\n]+(?=<)/g,
  },
};

const junk = [
  "",
  "\0",
  "\n",
  "\r",
  "\u001A",
  "é",
  "\uD800",
  "9",
  "-",
  ",",
  ".",
  ";",
  '"',
  "<",
  ">",
  "&",
  "</Ntry>",
  ":61:",
  ":62F:",
  ":86:",
  "{4:",
  "?20",
  "21",
  "8",
  " ",
];

const mutations = {
  bytes: (text: string, random: Random): string => {
    const at = random(text.length);
    return text.slice(0, at) + junk[random(junk.length)]! + text.slice(at + random(random(4) === 0 ? 40 : 3));
  },
  lines: (text: string, random: Random): string => {
    const lines = text.split("\n");
    const [from, to] = [random(lines.length), random(lines.length)];
    const [line] = lines.splice(from, 1);
    const changes = [
      [],
      [line!, line!],
      [lines[to] ?? "", line!],
      [line!.slice(0, random(line!.length + 1))],
    ];
    lines.splice(random(2) === 0 ? from : to, 0, ...changes[random(changes.length)]!);
    return (random(20) === 0 ? lines.slice(0, to) : lines).join("\n");
  },
  fields: (text: string, random: Random, pattern: RegExp): string => {
    const fields = [...text.matchAll(pattern)];
    const [one, other] = [fields[random(fields.length)], fields[random(fields.length)]];
    if (!one || !other) return text;
    const [value] = one;
    const digit = random(value.length);
    const put = [
      other[0],
      "",
      value.slice(0, digit) + String(random(10)) + value.slice(digit + 1),
      `-${value}`,
      value.replace(/[.,]/g, (mark) => (mark === "." ? "," : ".")),
      value + value,
    ];
    return text.slice(0, one.index) + put[random(put.length)]! + text.slice(one.index + value.length);
  },
} as const;

/** True if a statement without a violation does not add up, or cannot be shown to. */
function isSilentlyWrong({
  kind,
  openingBalance,
  closingBalance,
  entries,
  violations = [],
}: Statement): boolean {
  if (violations.length > 0) return false;
  if (!openingBalance || !closingBalance) return kind === undefined;
  const booked = entries.filter(({ status }) => status === undefined);
  const sum = booked.reduce(
    (total, each) => total.plus(signedAmount(each)),
    new Big(signedAmount(openingBalance)),
  );
  return !sum.eq(signedAmount(closingBalance));
}

const cases = Object.keys(subjects).flatMap((format) =>
  Object.keys(mutations).map((kind) => [format, kind as keyof typeof mutations] as const),
);

test.each(cases)("%s with mutated %s", async (format, kind) => {
  const { text: given, read, field } = subjects[format]!;
  const text = await given;
  const figures = { refused: 0, faulty: 0, clean: 0, silent: [] as string[], slow: [] as string[] };
  const random = createRandom(Number(process.env.FXDESK_SEED ?? 1));
  const readAll = async (mutated: string, options: ReadOptions) => {
    const start = performance.now();
    try {
      for await (const found of read(mutated, options)) {
        if (isSilentlyWrong(found)) figures.silent.push(mutated);
        else if (found.violations) figures.faulty += 1;
        else figures.clean += 1;
      }
    } catch (error) {
      if (!(error instanceof FormatError))
        throw new Error(`failed to read ${JSON.stringify(mutated)}`, { cause: error });
      figures.refused += 1;
    }
    if (performance.now() - start > maxMs) figures.slow.push(mutated);
  };
  for (let run = 0; run < runs; run += 1) {
    let mutated = text;
    for (let count = 1 + random(2); count > 0; count -= 1) mutated = mutations[kind](mutated, random, field);
    await readAll(mutated, { tolerate: true });
    await readAll(mutated, {});
  }
  if (process.env.FXDESK_RUNS) process.stderr.write(`${format}, ${kind}: ${JSON.stringify(figures)}\n`);
  expect([figures.silent, figures.slow]).toEqual([[], []]);
  expect(figures.refused).toBeGreaterThan(runs / 20);
});
