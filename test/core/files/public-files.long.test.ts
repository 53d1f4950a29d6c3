/**
 * Reads a folder of public bank files (FXDESK_CORPUS) as they are: statements, entries and sums are compared with those that a
 * few lines of this test find in the text. The figures for each format are printed, and files that add up, but are refused.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Big } from "big.js";
import { createClient, FxdeskError } from "@fxdesk/toolkit";
import type { Statement } from "@fxdesk/toolkit/formats";
import { signedAmount } from "../../../core/files";

const corpus = process.env.FXDESK_CORPUS;

interface Sums {
  readonly entries: number;
  /** Number of statements with both balances whose sum is wrong; undefined if there is no such statement. */
  readonly wrong?: number;
}

const sumOf = (amounts: readonly Big[]) => amounts.reduce((sum, each) => sum.plus(each), new Big(0));

/** Counts statements, each with the sum of its booked entries and the balances that it states. */
const toSums = (
  entries: number,
  statements: readonly { opening: Big | undefined; closing: Big | undefined; booked: readonly Big[] }[],
): Sums => {
  const checked = statements.filter(({ opening, closing }) => opening && closing);
  const wrong = checked.filter(
    ({ opening, closing, booked }) => !opening!.plus(sumOf(booked)).eq(closing!),
  ).length;
  return { entries, ...(checked.length === statements.length && checked.length > 0 && { wrong }) };
};

function sumsOfMt940(text: string): Sums {
  const amount = (sign: string, digits: string) =>
    new Big(digits.replace(",", ".").replace(/\.$/, "")).times(/^(D|RC)/.test(sign) ? -1 : 1);
  // Some files have an end-of-file byte (Ctrl-Z) before the next message.
  const messages = text.replaceAll("\u001A", "").split(/^:20:/m).slice(1);
  const found = messages.map((message) => {
    const balance = (tag: string) => {
      const [, sign, digits] =
        new RegExp(`^:6${tag}[FM]:([CD])\\d{6}[A-Z]{3}(\\d+[,.]?\\d*)`, "m").exec(message) ?? [];
      return sign === undefined ? undefined : amount(sign, digits!);
    };
    const booked = [...message.matchAll(/^:61:\d{6}(?:\d{4}| +)?(R?[CD])[A-Z]?(\d+[,.]?\d*)/gm)];
    return {
      opening: balance("0"),
      closing: balance("2"),
      booked: booked.map(([, sign, digits]) => amount(sign!, digits!)),
    };
  });
  return toSums(
    found.reduce((count, { booked }) => count + booked.length, 0),
    found,
  );
}

function sumsOfCamt(text: string): Sums {
  const xml = text.replace(/<(\/?)[\w-]+:/g, "<$1").replace(/<!--[\s\S]*?-->/g, "");
  const blocks = (name: string, within: string) =>
    [...within.matchAll(new RegExp(`<${name}(?: [^>]*)?>([\\s\\S]*?)</${name}>`, "g"))].map(
      ([, inner]) => inner!,
    );
  const signed = (block: string) => {
    // Transactions and charges within an entry, and credit lines within a balance, have amounts of their own.
    const own = block.replace(/<(NtryDtls|Chrgs|AmtDtls|CdtLine)(?: [^>]*)?>[\s\S]*?<\/\1>/g, "");
    const [amount] = blocks("Amt", own);
    const [indicator] = blocks("CdtDbtInd", own);
    const isNumber = /^\s*\d+(\.\d*)?\s*$/.test(amount ?? "");
    const sign = { CRDT: 1, DBIT: -1 }[indicator?.trim() ?? ""];
    return isNumber && sign ? new Big(Number.parseFloat(amount!)).times(sign) : undefined;
  };
  const statements = ["Stmt", "Rpt", "Ntfctn"]
    .flatMap((name) => blocks(name, xml))
    .map((statement) => {
      const entries = blocks("Ntry", statement);
      const balances = new Map(
        blocks("Bal", statement).map((each) => [
          blocks("Cd", blocks("Tp", each)[0] ?? "")[0]?.trim(),
          signed(each),
        ]),
      );
      const isBooked = (entry: string) => (blocks("Sts", entry)[0] ?? "BOOK").includes("BOOK");
      return {
        entries: entries.length,
        opening: balances.get("OPBD") ?? balances.get("PRCD"),
        closing: balances.get("CLBD"),
        booked: entries.filter(isBooked).flatMap((each) => signed(each) ?? []),
      };
    });
  return toSums(
    statements.reduce((count, { entries }) => count + entries, 0),
    statements,
  );
}

function sumsOfCoda(text: string): Sums {
  const records = text.split(/\r\n|\r|\n/);
  const amount = (record: string, at: number) => {
    const digits = record.slice(at + 1, at + 16);
    return /^\d+$/.test(digits) ? new Big(digits).times(record[at] === "1" ? -1 : 1) : undefined;
  };
  const statements: { opening?: Big | undefined; closing?: Big | undefined; booked: (Big | undefined)[] }[] =
    [];
  for (const record of records) {
    if (record.startsWith("0")) statements.push({ booked: [] });
    const last = statements.at(-1);
    if (!last) continue;
    if (record.startsWith("1")) last.opening = amount(record, 42);
    if (record.startsWith("8")) last.closing = amount(record, 41);
    if (record.startsWith("21") && record.slice(6, 10) === "0000") last.booked.push(amount(record, 31));
  }
  const found = statements.map(({ opening, closing, booked }) => ({
    opening,
    closing,
    booked: booked.flatMap((each) => each ?? []),
  }));
  return toSums(
    found.reduce((count, { booked }) => count + booked.length, 0),
    found,
  );
}

const sumsOf = { mt940: sumsOfMt940, camt: sumsOfCamt, coda: sumsOfCoda, csv: () => undefined } as const;

const formatOf = (path: string, text: string): keyof typeof sumsOf | undefined => {
  if (/\.(cs|go|java|js|md|php|py|rb|rs|rst|ts)$/.test(path)) return undefined;
  if (/<[\w:]*(BkToCstmrStmt|BkToCstmrAcctRpt|BkToCstmrDbtCdtNtfctn)\b/.test(text)) return "camt";
  if (/^:20:/m.test(text) && /^:25:/m.test(text)) return "mt940";
  if (/^0.{13}05/.test(text)) return "coda";
  return /\.csv$/i.test(path) ? "csv" : undefined;
};

const isSumRight = ({ openingBalance, closingBalance, entries }: Statement): boolean => {
  if (!openingBalance || !closingBalance) return true;
  const booked = entries.filter(({ status }) => status === undefined).map(signedAmount);
  return new Big(signedAmount(openingBalance))
    .plus(sumOf(booked.map((each) => new Big(each))))
    .eq(signedAmount(closingBalance));
};

const client = createClient({ baseUrl: "http://127.0.0.1:1", clientId: "none" });
afterAll(() => client.close());

/** Reads a file, or returns the rule that it breaks. Throws every error that is not a refusal of the file. */
async function read(content_base64: string, tolerate: boolean): Promise<readonly Statement[] | string> {
  try {
    const { statements } = await client.statements.convert({ content_base64, tolerate });
    return statements as unknown as readonly Statement[];
  } catch (error) {
    if (!(error instanceof FxdeskError) || error.code !== "invalid_input") throw error;
    return error.message;
  }
}

const figures = {
  files: 0,
  addUp: 0,
  strict: 0,
  addUpStrict: 0,
  tolerated: 0,
  entries: 0,
  errors: 0,
  warnings: 0,
};

(corpus === undefined ? test.skip : test)(
  "public files: no crash, and no wrong sum that is not said",
  async () => {
    const table: Record<string, typeof figures> = {};
    const faults: string[] = [];
    const refused: string[] = [];
    const paths = readdirSync(corpus!, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name))
      .toSorted();
    for (const path of paths) {
      const bytes = readFileSync(path);
      const text = new TextDecoder("latin1").decode(bytes);
      const format = formatOf(path, text);
      if (format === undefined) continue;
      const name = relative(corpus!, path);
      const row = (table[format] ??= { ...figures });
      const sums = sumsOf[format](text);
      const content = bytes.toString("base64");
      const [strict, tolerant] = [await read(content, false), await read(content, true)];
      row.files += 1;
      if (sums?.wrong === 0) row.addUp += 1;
      if (typeof strict !== "string") {
        row.strict += 1;
        if (sums?.wrong === 0) row.addUpStrict += 1;
        if (!strict.every(isSumRight)) faults.push(`${name}: strict reading gives a wrong sum`);
      } else if (sums?.wrong === 0) refused.push(`${name} adds up, but is refused: ${strict}`);
      if (typeof tolerant === "string") continue;
      row.tolerated += 1;
      const entries = tolerant.reduce((count, each) => count + each.entries.length, 0);
      const violations = tolerant.flatMap((each) => each.violations ?? []);
      const errors = violations.filter(({ severity }) => severity === "error").length;
      row.entries += entries;
      row.errors += errors;
      row.warnings += violations.length - errors;
      const silent = tolerant.filter(
        (each) => !isSumRight(each) && !each.violations?.some(({ rule }) => rule === "balance"),
      );
      if (silent.length > 0) faults.push(`${name}: a wrong sum is not said`);
      if (sums && errors === 0 && entries !== sums.entries)
        faults.push(`${name}: ${entries} of ${sums.entries} entries, and no error is said`);
      if ((sums?.wrong ?? 0) > 0 && errors === 0)
        faults.push(`${name}: the balances in the text do not add up, and no error is said`);
    }
    process.stderr.write(`${JSON.stringify(table, null, 1)}\n${refused.join("\n")}\n`);
    expect(faults).toEqual([]);
    for (const { addUp, addUpStrict } of Object.values(table))
      expect(addUpStrict).toBeGreaterThanOrEqual(Math.floor(addUp * 0.75));
  },
);
