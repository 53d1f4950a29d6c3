/** Declares an operation for a test, to which only the given properties matter. */
import { z } from "zod";
import { type Declaration, json, operation } from "../../../core/operations";

const list = {
  name: "things.list",
  tool: "list_things",
  title: "List things",
  summary: "Lists things.",
  effect: "read",
  method: "GET",
  path: "/things",
  server: "service",
  credentials: [],
  responses: { 200: json(z.unknown(), "The things.") },
  errors: {},
  contract: "0",
} as const satisfies Declaration;

export function declare<const T extends Partial<Declaration>>(
  parts: T,
): Readonly<Omit<typeof list, keyof T> & T>;
export function declare(parts: Partial<Declaration>): Declaration {
  return operation({ ...list, ...parts });
}
