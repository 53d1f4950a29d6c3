/** Documents in the formats the contract names. */
import type { StoredFile } from "../behaviour";
import { csv } from "./csv";
import { pdf } from "./pdf";
import type { Report } from "./report";

export type FormatName = "pdf" | "csv" | "mt940" | "xls" | "coda";

interface Format {
  readonly contentType: string;
  readonly write: (report: Report) => Promise<Buffer>;
}

/** A format that is missing here cannot be made: a statement in it fails. */
const formats: Readonly<Partial<Record<FormatName, Format>>> = {
  pdf: { contentType: "application/pdf", write: pdf },
  csv: { contentType: "text/csv; charset=utf-8", write: csv },
};

/** The report as a file; undefined when it cannot be made in the format. */
export async function fileOf(report: Report, format: FormatName): Promise<StoredFile | undefined> {
  const { contentType, write } = formats[format] ?? {};
  if (!contentType || !write) return undefined;
  return { contentType, fileName: `${report.fileName}.${format}`, bytes: await write(report) };
}
