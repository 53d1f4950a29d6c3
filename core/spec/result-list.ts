/** The lists of results: the main list of a procedure, with the fields beside it, and the entries of paged lists. */
import type { z } from "zod";
import { elementOf, isRequired, propertyOf, shapeOf } from "../values/kind";
import type { Callable } from "./operation";

export interface ResultList {
  readonly name: string;
  readonly entries: readonly unknown[];
  /** The result without the list. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Splits a result into a list, the main one by default, and the rest. Returns undefined if the result has no such list. */
export function extractResultList(
  { resultList }: Pick<Callable, "resultList">,
  body: unknown,
  name = resultList,
): ResultList | undefined {
  if (name === undefined || typeof body !== "object" || body === null) return undefined;
  const { [name]: entries, ...rest } = body as Record<string, unknown>;
  return Array.isArray(entries) ? { name, entries, rest } : undefined;
}

/** Returns the schema of a list in the result, or undefined. */
export function listSchemaOf(
  { responses }: Pick<Callable, "responses">,
  name: string,
): z.ZodType | undefined {
  for (const response of Object.values(responses)) {
    const list = response.kind === "json" ? propertyOf(response.schema, name) : undefined;
    if (list && elementOf(list)) return list;
  }
  return undefined;
}

/** Returns the field names of an entry of a list in the result, in their declared order. */
export function listEntryFields(callable: Callable, name: string): readonly string[] {
  const list = listSchemaOf(callable, name);
  return list ? Object.keys(shapeOf(elementOf(list)!)) : [];
}

/**
 * Returns the names of the lists of objects in the result, the main list first. Without a declared main list, only lists that
 * every result of a read has count.
 */
export function listNamesOf({ effect, resultList, responses }: Callable): readonly string[] {
  if (effect !== "read" && resultList === undefined) return [];
  const names = Object.values(responses).flatMap((response) =>
    response.kind !== "json"
      ? []
      : Object.entries(shapeOf(response.schema)).flatMap(([name, each]) => {
          const element = elementOf(each);
          const isList = element !== undefined && Object.keys(shapeOf(element)).length > 0;
          return isList && (resultList !== undefined || isRequired(each)) ? name : [];
        }),
  );
  return [...new Set([...(resultList === undefined ? [] : [resultList]), ...names])];
}

/** Returns the column names of rows: known fields in their order, then others by first appearance. */
export function columnsOf(rows: readonly object[], fields: readonly string[]): string[] {
  const rank = (name: string) => {
    const index = fields.indexOf(name.split(".")[0]!);
    return index === -1 ? fields.length : index;
  };
  return [...new Set(rows.flatMap((row) => Object.keys(row)))].toSorted(
    (one, other) => rank(one) - rank(other),
  );
}

/** Returns the paths to the lists of a body. An empty path is the body itself. */
export const listPathsIn = ({ linkedPages }: Callable): readonly (readonly string[])[] =>
  linkedPages ? linkedPages.entries.map((path) => path.split(".")) : [[]];

/** Returns the schema of a list entry, or undefined if the operation returns no list. */
export function listEntrySchema(operation: Callable): z.ZodType | undefined {
  const [path = []] = listPathsIn(operation);
  const schemas = Object.values(operation.responses).flatMap((response) =>
    response.kind === "json" ? [response.schema] : [],
  );
  const lists = schemas.map((schema) =>
    path.reduce<z.ZodType | undefined>((inner, name) => inner && propertyOf(inner, name), schema),
  );
  return lists.map((list) => list && elementOf(list)).find((entry) => entry !== undefined);
}

/** True if the result has entries: it is a list, or an object with lists. */
export const hasEntries = (callable: Callable): boolean =>
  listNamesOf(callable).length > 0 || listEntrySchema(callable) !== undefined;
