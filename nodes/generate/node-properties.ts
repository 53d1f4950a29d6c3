/** The properties that nodes store, as the editor is told of them. */
import { connectionType } from "../node-names";
import { defaultKeySource } from "../operation/request-key";
import { defaultResultProperty } from "../operation/result-property";
import type { TypedValue } from "../operation/value-sources";
import { literal, propertiesVersion } from "./markup";

const valueProperty = (given: unknown): string => `() => ({ value: ${literal(given)} })`;

const validatedProperty = (given: string, check: string): string =>
  `{ value: ${given}, validate: function (given, option) { return fxdesk.${check}(this, given, option); } }`;

const numberProperty = '() => ({ value: "", validate: RED.validators.number(true) })';

/** Functions of the editor's script, by the property that each makes: every type has its own, for the editor writes into them. */
const propertyFactories = {
  name: valueProperty(""),
  connection: `() => ({ type: ${literal(connectionType)}, value: "" })`,
  fields: `() => (${validatedProperty("{}", "fieldsProblem")})`,
  fromPayload: valueProperty(false),
  operation: '() => ({ value: "", required: true })',
  input: `(usual) => (${validatedProperty("usual", "inputProblem")})`,
  pages: valueProperty("all"),
  requestKey: valueProperty(defaultKeySource),
  rows: valueProperty("whole"),
  saveTo: valueProperty({ type: "str", value: "" }),
  /** Errors have an output of their own where there are two. */
  resultTo: valueProperty(defaultResultProperty),
  outputs: valueProperty(1),
  timeoutMs: numberProperty,
  /** Where a watch begins the first time, and after how many seconds it reads again; as declared when empty. */
  from: valueProperty(""),
  every: numberProperty,
  version: valueProperty(propertiesVersion),
};

export type Property = keyof typeof propertyFactories;

/** The part of the script that has the functions. */
export const propertyFactoriesCode: string = Object.entries(propertyFactories)
  .map(([name, maker]) => `const ${name} = ${maker};`)
  .join("\n");

/** The properties of a node, its own among those that all have; `input` is what that takes unless the form says otherwise. */
export function nodeProperties(own: readonly Property[], input?: TypedValue): string {
  const propertyCode = (name: Property) => `${name}: ${name}(${name === "input" ? literal(input) : ""})`;
  const all: readonly Property[] = ["name", "connection", ...own, "version"];
  return `{ ${all.map(propertyCode).join(", ")} }`;
}
