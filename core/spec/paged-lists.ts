/** The entries of paged lists. */
import type { z } from "zod";
import { elementOf, propertyOf } from "../values/kind";
import type { Callable } from "./operation";

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
