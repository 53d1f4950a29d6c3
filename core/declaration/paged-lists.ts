/** Where a list that comes in pages has its entries. */
import type { z } from "zod";
import { elementOf, propertyOf } from "../schema/kind";
import type { Callable } from "./operation";

/** Paths to the lists of a body: the body itself, or lists inside it. */
export const listPathsIn = ({ linkedPages }: Callable): readonly (readonly string[])[] =>
  linkedPages ? linkedPages.entries.map((path) => path.split(".")) : [[]];

/** The schema of a list's entries; undefined where the operation reads no list. */
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
