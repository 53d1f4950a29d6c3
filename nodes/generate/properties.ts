/** The properties that nodes store, as the editor is told of them. */
import { connectionType } from "../names";
import { usualKey } from "../operation/key";
import { usualProperty } from "../operation/result";
import type { TypedValue } from "../operation/sources";
import { literal, version } from "./markup";

const value = (given: unknown): string => `() => ({ value: ${literal(given)} })`;

const validated = (given: string, check: string): string =>
  `{ value: ${given}, validate: function (given, option) { return fxdesk.${check}(this, given, option); } }`;

const number = '() => ({ value: "", validate: RED.validators.number(true) })';

/** Functions of the editor's script, by the property that each makes: every type has its own, for the editor writes into them. */
const makers = {
  name: value(""),
  connection: `() => ({ type: ${literal(connectionType)}, value: "" })`,
  fields: `() => (${validated("{}", "violations")})`,
  fromPayload: value(false),
  operation: '() => ({ value: "", required: true })',
  input: `(usual) => (${validated("usual", "inputProblem")})`,
  pages: value("all"),
  requestKey: value(usualKey),
  rows: value("whole"),
  saveTo: value({ type: "str", value: "" }),
  /** Errors have an output of their own where there are two. */
  resultTo: value(usualProperty),
  outputs: value(1),
  timeoutMs: number,
  /** Where a watch begins the first time, and after how many seconds it reads again; as declared when empty. */
  from: value(""),
  every: number,
  version: value(version),
};

export type Property = keyof typeof makers;

/** The part of the script that has the functions. */
export const propertyMakers: string = Object.entries(makers)
  .map(([name, maker]) => `const ${name} = ${maker};`)
  .join("\n");

/** The properties of a node, its own among those that all have; `input` is what that takes unless the form says otherwise. */
export function nodeProperties(own: readonly Property[], input?: TypedValue): string {
  const made = (name: Property) => `${name}: ${name}(${name === "input" ? literal(input) : ""})`;
  const all: readonly Property[] = ["name", "connection", ...own, "version"];
  return `{ ${all.map(made).join(", ")} }`;
}
