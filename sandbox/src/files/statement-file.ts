/** Statement and report files in the formats of the contract. */
import { FormatError, writeCoda, writeCsv, writeMt940, type Mt940Options } from "@fxdesk/toolkit/formats";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FileResponse } from "../calls/behaviour";
import type { StoredFile } from "../world/model/outbox";
import type { AccountStatement, Statement } from "../world/model/statement";
import type { StatementFormat } from "../world/common/enumerations";
import { lineNumber } from "../world/ledger/book";
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

interface StatementWriter {
  readonly write: (statement: AccountStatement, options: Mt940Options) => Promise<FileResponse["bytes"]>;
  /** Rejects if the format cannot carry the statement. Needed for formats that fail only while writing. */
  readonly validate?: (statement: AccountStatement, options: Mt940Options) => Promise<void>;
}

/**
 * Streams a text format. The format may fail at the end, after the client has read the start, so `validate` writes the
 * whole text once before.
 */
const streamingWriter = (
  chunks: (statement: AccountStatement, options: Mt940Options) => AsyncGenerator<string>,
): StatementWriter => ({
  validate: async (statement, options) => {
    const chunksToCheck = chunks(statement, options);
    // Yield to other requests.
    while (!(await chunksToCheck.next()).done) await nextTurn();
  },
  write: async (statement, options) => Readable.from(chunks(statement, options)),
});

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
  pdf: { write: (statement) => reportPdf(toStatementReport(statement)) },
  csv: streamingWriter((statement) => writeCsv([statement])),
  mt940: streamingWriter((statement, options) => writeMt940([withLineNumbers(statement)], options)),
  xls: { write: statementXlsx },
  coda: streamingWriter((statement) => writeCoda([withLineNumbers(statement)])),
};

/** Validations in progress or done, by requested statement. */
const validations = new WeakMap<Statement, Promise<void>>();

/** Starts validating a requested statement, so that the later download does not wait. */
export function validateAhead(requested: Statement, content: AccountStatement): void {
  const validation = writers[requested.format].validate?.(content, {});
  if (!validation) return;
  validations.set(requested, validation);
  // The download reports the error.
  validation.catch(() => {});
}

/**
 * Writes a statement, or returns undefined if the format cannot carry it. `requested` is the statement that was
 * validated ahead, if any.
 */
export async function statementFile(
  statement: AccountStatement,
  format: StatementFormat,
  options: Mt940Options = {},
  requested?: Statement,
): Promise<FileResponse | undefined> {
  const { account, period } = statement;
  const { contentType, extension } = fileTypes[format];
  const fileName = `statement-${account.currency}-${period.from}-${period.to}.${extension}`;
  try {
    const { validate, write } = writers[format];
    await ((requested && validations.get(requested)) ?? validate?.(statement, options));
    return { contentType, fileName, bytes: await write(statement, options) };
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** Reads a streamed file into memory. */
export async function toStoredFile({ bytes, ...file }: FileResponse): Promise<StoredFile> {
  return { ...file, bytes: bytes instanceof Readable ? await buffer(bytes) : bytes };
}

export async function reportFile(report: Report, name: string, format: "pdf" | "csv"): Promise<StoredFile> {
  const { contentType, extension } = fileTypes[format];
  const bytes = await (format === "pdf" ? reportPdf(report) : reportCsv(report));
  return { contentType, fileName: `${name}.${extension}`, bytes };
}
