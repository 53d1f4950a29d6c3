/** Describes what a result omits of a list, and how to request the rest. */
import type { z } from "zod";
import { modelFields } from "../../core/spec/fields";
import type { Callable } from "../../core/spec/operation";
import type { ResultContent } from "./content";
import { isRowObject } from "./csv";
import { linkedContent, type Resources } from "./links";
import { argumentName } from "./names";
import { joinRows, type ListResult, listNameOf, type Row, splitRows } from "./rows";
import { jsonLength, maxResultLength, truncate } from "./truncate";
import { withDecimalStrings } from "./values";

export const moreFollowNote = "There are more: call this tool again with exactly the arguments in next.";

const countLists = (rows: readonly Row[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(listNameOf(row), (counts.get(listNameOf(row)) ?? 0) + 1);
  return counts;
};

/** States how many rows of each list the result has; undefined if it has all. */
export function partialRowsNote({
  pages: [{ rows: all }],
  rows,
  isContinuation,
}: ListResult): string | undefined {
  if (!isContinuation && rows.length === all.length) return undefined;
  const here = countLists(rows);
  const parts = [...countLists(all)]
    .map(([list, count]) => ({ list, count, shown: here.get(list) ?? 0 }))
    .filter(({ count, shown }) => (isContinuation ? shown > 0 : shown < count))
    .map(({ list, count, shown }) => `${shown} of the ${count} ${list}`);
  return `This result has ${parts.join(", ")}.`;
}

/** Removes lists whose rows are all in other results, because an empty list would mean that there are none. */
function withoutOmittedLists(metadata: unknown, omittedLists: ReadonlySet<string>, path = ""): unknown {
  if (!isRowObject(metadata)) return metadata;
  return Object.fromEntries(
    Object.entries(metadata)
      .filter(([name]) => !omittedLists.has(path + name))
      .map(([name, value]) => [name, withoutOmittedLists(value, omittedLists, `${path}${name}.`)]),
  );
}

/** Returns the fields other than the rows, at full length. */
function completeMetadata({ pages: [{ metadata, rows: all }], rows }: ListResult): unknown {
  const here = countLists(rows);
  const omittedLists = [...countLists(all).keys()].filter((list) => !here.has(list));
  return withoutOmittedLists(metadata, new Set(omittedLists));
}

/** Returns the fields other than the rows, truncated. */
export const truncatedMetadata = (list: ListResult): unknown =>
  truncate(completeMetadata(list), maxResultLength);

const isTooLong = ({ value }: Row) => jsonLength(value) > maxResultLength;

/** Truncates rows that are longer than a result. */
export const truncateRows = (rows: readonly Row[]): Row[] =>
  rows.map((row) => (isTooLong(row) ? { ...row, value: truncate(row.value, maxResultLength) } : row));

/** Describes the truncation of metadata. */
function truncatedMetadataNote(metadata: unknown): string {
  const omittedCount =
    splitRows(metadata).rows.length - splitRows(truncate(metadata, maxResultLength)).rows.length;
  const rows = omittedCount > 0 ? `, and ${omittedCount} rows are omitted` : "";
  return `Too long to show in full: texts are cut${rows}.`;
}

/** Names the filters that reduce the result. */
function narrowingHint(operation: Callable): string {
  const filters = modelFields(operation).filter(
    ({ location, required }) => location === "query" && !required,
  );
  return filters.length > 0
    ? ` Call again with ${filters.map(({ name }) => argumentName(name)).join(", ")} to narrow it.`
    : "";
}

/** Explains which parts are not shown, and why. */
export function omissionNotes(
  operation: Callable,
  { pages: [{ metadata }], rows, isTooLargeToStore, unreachable }: ListResult,
): string[] {
  const longCount = rows.filter(isTooLong).length;
  return [
    ...(jsonLength(metadata) > maxResultLength ? [truncatedMetadataNote(metadata)] : []),
    ...(longCount > 0
      ? [`${longCount} of them ${longCount === 1 ? "is" : "are"} too long to show in full.`]
      : []),
    ...(isTooLargeToStore
      ? [`The remaining rows are too large to be stored.${narrowingHint(operation)}`]
      : []),
    ...(unreachable ? ["The service has more, behind a link that this tool cannot follow."] : []),
  ];
}

/** Adds a link to the complete data if anything was truncated. */
export function withCompleteResource(
  operation: Callable,
  list: ListResult,
  schema: z.ZodType | undefined,
  shown: ResultContent,
  resources: Resources,
): ResultContent {
  const { rows } = list;
  const metadata = completeMetadata(list);
  if (!rows.some(isTooLong) && jsonLength(metadata) <= maxResultLength) return shown;
  const parts = splitRows(metadata);
  const complete = withDecimalStrings(joinRows({ ...parts, rows: [...parts.rows, ...rows] }), schema);
  const resource = {
    name: operation.tool,
    mimeType: "application/json",
    content: JSON.stringify(complete),
  };
  const linked = linkedContent(shown.content, resource, resources);
  return { ...shown, ...linked, remarks: [...shown.remarks, ...linked.remarks] };
}
