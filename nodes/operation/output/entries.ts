/** The entries of a result, and their CSV. */
import { formatRows, toRow } from "../../../core/files/csv/rows";
import type { Callable } from "../../../core/spec/operation";
import {
  columnsOf,
  extractResultList,
  listEntrySchema,
  listPathsIn,
  listSchemaOf,
} from "../../../core/spec/result-list";
import { isObject, valueAt } from "../../../core/values/json";
import { elementOf, shapeOf } from "../../../core/values/kind";

/** Entries of a result, and what the result has beside them. */
export interface Entries {
  readonly entries: readonly unknown[];
  readonly rest?: Readonly<Record<string, unknown>>;
}

/** Returns the entries of several lists; each entry names its list. */
const joinNamedLists = (body: unknown, paths: readonly (readonly string[])[]): unknown[] =>
  paths.flatMap((path) => {
    const list = path.join(".");
    const entries = valueAt(body, path);
    if (!Array.isArray(entries)) return [];
    return entries.map((entry) => (isObject(entry) ? Object.assign({ list }, entry) : entry) as unknown);
  });

/** Returns the entries of a body. Undefined if it has none, for example while a file is not ready. */
export function entriesIn(operation: Callable, body: unknown, list: string | undefined): Entries | undefined {
  if (Array.isArray(body)) return { entries: body };
  const paths = listPathsIn(operation);
  if (operation.linkedPages) return { entries: joinNamedLists(body, paths) };
  return extractResultList(operation, body, list);
}

/** Returns the declared columns, with those of nested objects, so that a file has the same columns every day. */
function declaredColumns(operation: Callable, list: string | undefined): string[] {
  const element = list === undefined ? listEntrySchema(operation) : elementOf(listSchemaOf(operation, list)!);
  const columns = Object.entries(element ? shapeOf(element) : {}).flatMap(([name, schema]) => {
    const inner = Object.keys(shapeOf(schema));
    return inner.length > 0 ? inner.map((each) => `${name}.${each}`) : name;
  });
  return listPathsIn(operation).length > 1 ? ["list", ...columns] : columns;
}

/** Returns entries as CSV with one header: the declared columns, then others that an entry has. */
export function toCsv(operation: Callable, list: string | undefined, entries: readonly unknown[]): string {
  const rows = entries.map(toRow);
  const declared = declaredColumns(operation, list);
  return formatRows([...new Set([...declared, ...columnsOf(rows, declared)])], rows);
}
