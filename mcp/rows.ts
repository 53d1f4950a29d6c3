/** The rows of a body, whether it is a list or has lists inside, and the body without them. */
import type { JsonObject } from "./protocol";

/** A row with the fields that lead to its list; none where the body is the list. */
export interface Row {
  readonly path: readonly string[];
  readonly value: unknown;
}

export interface SplitBody {
  /** The body with its lists empty. */
  readonly metadata: unknown;
  readonly rows: readonly Row[];
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

/** Parts a body into its rows, in the order in which they stand, and the rest. */
export function splitRows(body: unknown, path: readonly string[] = []): SplitBody {
  if (Array.isArray(body)) return { metadata: [], rows: body.map((value: unknown) => ({ path, value })) };
  if (!isObject(body)) return { metadata: body, rows: [] };
  const parts = Object.entries(body).map(([key, value]) => [key, splitRows(value, [...path, key])] as const);
  return {
    metadata: Object.fromEntries(parts.map(([key, { metadata }]) => [key, metadata])),
    rows: parts.flatMap(([, { rows }]) => rows),
  };
}

/** The body with some of its rows. A list that the frame does not have, as of another page, is made. */
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
