/** The rows of lists: pages and the rows that one result shows; splits a body into rows and the rest, and joins them again. */
import type { NextPage } from "../../core/call/next-page";
import type { ServiceResponse } from "../../core/call/response";
import type { Values } from "../../core/spec/fields";
import { isObject, type JsonObject } from "./content";

/** A row and the path of its list; empty if the body itself is the list. */
export interface Row {
  readonly path: readonly string[];
  readonly value: unknown;
}

export interface SplitBody {
  /** The body with empty lists. */
  readonly metadata: unknown;
  readonly rows: readonly Row[];
}

/** A page, or a complete list that has no pages. */
export interface Page {
  readonly response: ServiceResponse;
  /** Input values of the call that read the page. */
  readonly values: Values;
  readonly metadata: unknown;
  readonly rows: readonly Row[];
  readonly following: NextPage | undefined;
}

/** The rows for one result, and the pages they come from. */
export interface ListResult {
  readonly pages: readonly [Page, ...Page[]];
  readonly rows: readonly Row[];
  /** True if the next page is behind a link that does not match the operation. */
  readonly unreachable?: true;
  /** True if it begins at the cursor of an earlier result. */
  readonly isContinuation: boolean;
  /** The arguments of the call for the rows after them. */
  readonly nextArguments?: JsonObject;
  /** True if the remaining rows were read but are too large to be stored. */
  readonly isTooLargeToStore?: true;
}

/** Returns the name of the list of a row, for example `sums` or `access.accounts`. */
export const listNameOf = ({ path }: Row): string => path.join(".");

/** Splits a body into its rows, in document order, and the rest. */
export function splitRows(body: unknown, path: readonly string[] = []): SplitBody {
  if (Array.isArray(body)) return { metadata: [], rows: body.map((value: unknown) => ({ path, value })) };
  if (!isObject(body)) return { metadata: body, rows: [] };
  const parts = Object.entries(body).map(([key, value]) => [key, splitRows(value, [...path, key])] as const);
  return {
    metadata: Object.fromEntries(parts.map(([key, { metadata }]) => [key, metadata])),
    rows: parts.flatMap(([, { rows }]) => rows),
  };
}

/** Puts rows back into a body. Creates lists that the metadata lacks, for example of another page. */
export function joinRows({ metadata, rows }: SplitBody): unknown {
  if (Array.isArray(metadata)) return rows.map(({ value }) => value);
  if (!isObject(metadata)) return metadata;
  const keys = new Set([...Object.keys(metadata), ...rows.map(({ path }) => path[0]!)]);
  const inside = (key: string): SplitBody => ({
    metadata: metadata[key] ?? (rows.some(({ path }) => path[0] === key && path.length > 1) ? {} : []),
    rows: rows
      .filter(({ path }) => path[0] === key)
      .map(({ path, value }) => ({ path: path.slice(1), value })),
  });
  return Object.fromEntries(
    [...keys].map((key) => [key, key in metadata && metadata[key] === null ? null : joinRows(inside(key))]),
  );
}
