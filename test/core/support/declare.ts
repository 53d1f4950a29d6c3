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

export const declare = <const T extends Partial<Declaration>>(parts: T) =>
  operation({ ...list, ...parts } as Omit<typeof list, keyof T> & T & Declaration);
