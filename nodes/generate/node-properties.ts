/** Generates the definitions of the stored node properties. */
import { connectionType } from "../shared/node-names";
import { defaultKeySource } from "../operation/call-options";
import { defaultResultProperty } from "../operation/output/result-property";
import type { TypedValue } from "../shared/typed-values";
import { literal, propertiesVersion } from "./markup";

const valueProperty = (given: unknown): string => `() => ({ value: ${literal(given)} })`;

const validatedProperty = (given: string, check: string): string =>
  `{ value: ${given}, validate: function (given, option) { return fxdesk.${check}(this, given, option); } }`;

const numberProperty = '() => ({ value: "", validate: RED.validators.number(true) })';

/** Factory functions by property. Each node type needs its own objects because the editor modifies them. */
const propertyFactories = {
  name: valueProperty(""),
  connection: `() => ({ type: ${literal(connectionType)}, value: "" })`,
  fields: `() => (${validatedProperty("{}", "fieldsProblem")})`,
  fromPayload: valueProperty(false),
  operation: '() => ({ value: "", required: true })',
  input: `(source) => (${validatedProperty("source", "inputProblem")})`,
  pages: valueProperty("all"),
  requestKey: valueProperty(defaultKeySource),
  rows: valueProperty("whole"),
  saveTo: valueProperty({ type: "str", value: "" }),
  resultTo: valueProperty(defaultResultProperty),
  /** 2 if errors have their own output. */
  outputs: valueProperty(1),
  timeoutMs: numberProperty,
  /** Start position and interval in seconds of a watch. Empty: as declared. */
  from: valueProperty(""),
  every: numberProperty,
  version: valueProperty(propertiesVersion),
};

export type Property = keyof typeof propertyFactories;

/** Code of the factory functions. */
export const propertyFactoriesCode: string = Object.entries(propertyFactories)
  .map(([name, maker]) => `const ${name} = ${maker};`)
  .join("\n");

/** Returns the property definitions of a node: its own and the common ones. `input` is the default source of the input. */
export function nodeProperties(own: readonly Property[], input?: TypedValue): string {
  const propertyCode = (name: Property) => `${name}: ${name}(${name === "input" ? literal(input) : ""})`;
  const all: readonly Property[] = ["name", "connection", ...own, "version"];
  return `{ ${all.map(propertyCode).join(", ")} }`;
}
