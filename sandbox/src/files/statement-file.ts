/** Statement and report files in the formats of the contract. */
import {
  collectText,
  FormatError,
  writeCoda,
  writeCsv,
  writeMt940,
  type Mt940Options,
} from "@fxdesk/toolkit/formats";
import type { StoredFile } from "../world/model/outbox";
import type { AccountStatement } from "../world/model/statement";
import type { StatementFormat } from "../world/common/enumerations";
import { lineNumber } from "../world/ledger/ledger";
import { reportCsv, type Report } from "./reports";
import { reportPdf } from "./pdf";
import { toStatementReport, statementXlsx } from "./statement-tables";

interface FileType {
  readonly contentType: string;
  readonly extension: string;
}

const fileTypes: Readonly<Record<StatementFormat, FileType>> = {
  pdf: { contentType: "application/pdf", extension: "pdf" },
  csv: { contentType: "text/csv; charset=utf-8", extension: "csv" },
  mt940: { contentType: "text/plain; charset=us-ascii", extension: "sta" },
  xls: {
    contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    extension: "xlsx",
  },
  coda: { contentType: "text/plain; charset=us-ascii", extension: "cod" },
};

/** Rejects with a FormatError if the format cannot carry the statement. */
type StatementWriter = (statement: AccountStatement, options: Mt940Options) => Promise<Buffer>;

const textWriter =
  (chunks: (...input: Parameters<StatementWriter>) => AsyncGenerator<string>): StatementWriter =>
  async (...input) =>
    Buffer.from(await collectText(chunks(...input)));

/** Shortens the bank references to line numbers, because the format has no room for whole IDs. */
const withLineNumbers = (statement: AccountStatement): AccountStatement => ({
  ...statement,
  entries: {
    *[Symbol.iterator]() {
      for (const entry of statement.entries)
        yield { ...entry, bankReference: lineNumber(entry.bankReference!) };
    },
  },
});

const writers: Readonly<Record<StatementFormat, StatementWriter>> = {
  pdf: (statement) => reportPdf(toStatementReport(statement)),
  csv: textWriter((statement) => writeCsv([statement])),
  mt940: textWriter((statement, options) => writeMt940([withLineNumbers(statement)], options)),
  xls: statementXlsx,
  coda: textWriter((statement) => writeCoda([withLineNumbers(statement)])),
};

/** Writes a statement, or returns undefined if the format cannot carry it. */
export async function statementFile(
  statement: AccountStatement,
  format: StatementFormat,
  options: Mt940Options = {},
): Promise<StoredFile | undefined> {
  const { account, period } = statement;
  const { contentType, extension } = fileTypes[format];
  const fileName = `statement-${account.currency}-${period.from}-${period.to}.${extension}`;
  try {
    return { contentType, fileName, bytes: await writers[format](statement, options) };
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

export async function reportFile(report: Report, name: string, format: "pdf" | "csv"): Promise<StoredFile> {
  const { contentType, extension } = fileTypes[format];
  const bytes = await (format === "pdf" ? reportPdf(report) : reportCsv(report));
  return { contentType, fileName: `${name}.${extension}`, bytes };
}
