/** The list in a result that is the answer, and what is said about it beside. */
import type { z } from "zod";
import { elementOf, propertyOf, shapeOf } from "../schema/kind";
import type { Callable } from "./operation";

export interface ResultList {
  /** Name of the list. */
  readonly name: string;
  readonly entries: readonly unknown[];
  /** The result without the list. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Parts a result; undefined where nothing declares its rows, or it has none. */
export function extractResultList({ resultList: name }: Callable, body: unknown): ResultList | undefined {
  if (name === undefined || typeof body !== "object" || body === null) return undefined;
  const { [name]: entries, ...rest } = body as Record<string, unknown>;
  return Array.isArray(entries) ? { name, entries, rest } : undefined;
}

/** The schema of a list in the result; undefined where it has no such list. */
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

/** The fields of an entry of a list in the result, in the order in which they are declared. */
export function listEntryFields(callable: Callable, name: string): readonly string[] {
  const list = listSchemaOf(callable, name);
  return list ? Object.keys(shapeOf(elementOf(list)!)) : [];
}
