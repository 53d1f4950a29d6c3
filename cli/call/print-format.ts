/** Formats of a response on stdout. */
import { choiceFrom, type ParsedArguments, UsageError } from "../command-line/arguments";

export const printFormats = ["json", "jsonl", "csv", "table"] as const;

export interface PrintFormat {
  readonly format: (typeof printFormats)[number];
  /** Chosen columns; undefined for all. */
  readonly columns?: readonly string[];
}

/** Reads --print, --columns and --table. Throws a UsageError. */
export function printFormatFrom(parsed: ParsedArguments): PrintFormat {
  const columns = parsed
    .string("columns")
    ?.split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  const chosen = choiceFrom(parsed, "print", printFormats);
  if (parsed.boolean("table") && chosen !== undefined && chosen !== "table")
    throw new UsageError(`--table and --print ${chosen} exclude each other.`);
  const format = chosen ?? (parsed.boolean("table") || columns ? "table" : "json");
  if (!columns) return { format };
  if (columns.length === 0)
    throw new UsageError("--columns needs the names of columns, for example id,status.");
  if (format === "csv" || format === "table") return { format, columns };
  throw new UsageError(`--columns works with --print csv or table, not with ${format}.`);
}
