/** Building blocks of the editor files: HTML, code and the definitions of the stored node properties. */
import type { Effect } from "../../core/spec/operation";
import { connectionType } from "../shared/node-names";
import { defaultKeySource } from "../operation/call-options";
import { defaultResultProperty } from "../operation/output/node-call";
import type { TypedValue } from "../shared/typed-values";

/** Colours by effect, and of triggers. Dark text is readable on all of them, in light and dark themes. */
export const colors: Readonly<Record<Effect | "trigger", string>> = {
  read: "#B5D3E7",
  change: "#F3D58A",
  money: "#F0A58F",
  trigger: "#BFE0BC",
};

/** Version of the stored properties. Changing their format requires a migration. */
export const propertiesVersion = 1;

/** Returns JSON that is safe inside a script element. */
export const literal = (value: unknown): string => JSON.stringify(value).replaceAll("</", "<\\/");

/** Returns the form template of a type. Empty ones are filled by the shared script. */
export const template = (type: string, content = ""): string =>
  `<script type="text/html" data-template-name="${type}">${content}</script>`;

export const wrapForm = (content: string): string => `<div class="fxdesk-form">${content}</div>`;

export const row = (id: string, words: string, control: string): string =>
  `<div class="form-row"><label for="${id}" data-i18n="${words}"></label>${control}</div>`;

export const textInput = (id: string, type = "text", placeholder?: string): string =>
  `<input type="${type}" id="${id}"${placeholder === undefined ? "" : ` placeholder="${placeholder}"`}>`;

/** Returns the properties of a definition, one per line. */
export const properties = (list: readonly string[]): string => `{\n    ${list.join(",\n    ")}\n  }`;

const valueProperty = (given: unknown): string => `() => ({ value: ${literal(given)} })`;

const validatedProperty = (given: string, check: string): string =>
  `{ value: ${given}, validate: function (given, option) { return fxdesk.${check}(this, given, option); } }`;

const optionProperty = (name: string): string =>
  `() => ({ value: "", validate: function (given, _option) { return fxdesk.optionProblem(this, ${literal(name)}, given); } })`;

/** Factory functions by property. Each node type needs its own objects because the editor modifies them. */
const propertyFactories = {
  name: valueProperty(""),
  connection: `() => ({ type: ${literal(connectionType)}, value: "" })`,
  fields: `() => (${validatedProperty("{}", "fieldsProblem")})`,
  fromPayload: valueProperty(false),
  operation: '() => ({ value: "", required: true })',
  input: `(source) => (${validatedProperty("source", "inputProblem")})`,
  requestKey: valueProperty(defaultKeySource),
  results: valueProperty("all"),
  list: valueProperty(""),
  saveTo: valueProperty({ type: "str", value: "" }),
  resultTo: valueProperty(defaultResultProperty),
  /** 2 if errors have their own output. */
  outputs: valueProperty(1),
  /** True if messages are handled one at a time. */
  inOrder: valueProperty(false),
  timeoutMs: optionProperty("timeoutMs"),
  /** Start position and interval in seconds of a watch. Empty: as declared. */
  from: optionProperty("from"),
  every: optionProperty("every"),
  version: valueProperty(propertiesVersion),
};

export type Property = keyof typeof propertyFactories;

export const propertyNames = Object.keys(propertyFactories);

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
