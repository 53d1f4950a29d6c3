/** Generates declaration files of operations and their values, without the long inferred types of their schemas. */
import { z } from "zod";
import { inputSchema } from "../core/spec/check";
import type { Declaration } from "../core/spec/operation";
import { callerFields, fieldsOf } from "../core/spec/fields";
import type { Procedure } from "../core/spec/procedure";
import type { Watch } from "../core/spec/watch";
import type { JsonSchema } from "../core/spec/json-schema";
import { inputName } from "./client-types";
import { fromEach, jsonSchemas } from "./type-schemas";
import { memberText, unlistedTypeName } from "./type-text";

/** Returns the declaration file of the operations: their names only. */
export const operationTypes = (operations: readonly Declaration[]): string =>
  `import type { Declaration } from "../spec/operation";

interface Named<Name extends string> extends Declaration {
  readonly name: Name;
}

/** Every operation of the contract, in its order. */
export declare const operations: readonly [
${operations.map(({ name }) => `  Named<"${name}">,\n`).join("")}];
`;

/** Returns the declaration file of the procedures. */
export const procedureTypes = (procedures: readonly Procedure[]): string =>
  `import type { Procedure } from "../spec/procedure";

interface Named<Name extends string> extends Procedure {
  readonly name: Name;
}

/** Every procedure over the contract. */
export declare const procedures: readonly [
${procedures.map(({ name }) => `  Named<"${name}">,\n`).join("")}];
`;

/** Returns the declaration file of the watches. */
export const watchTypes = (watches: readonly Watch[]): string =>
  `import type { Watch } from "../spec/watch";

interface Named<Name extends string> extends Watch {
  readonly name: Name;
}

/** Every watch over the contract. */
export declare const watches: readonly [
${watches.map(({ name }) => `  Named<"${name}">,\n`).join("")}];
`;

/** Returns the declaration file of checked values: inputs with defaults, parsed and generated fields. */
export function valueTypes(operations: readonly Declaration[]): string {
  const inputs = jsonSchemas(
    fromEach(operations, (operation) => [[operation.name, inputSchema(operation)]]),
    "input",
  );
  const values = jsonSchemas(
    fromEach(operations, (operation) => [
      [
        operation.name,
        z.object(Object.fromEntries(fieldsOf(operation).map(({ name, schema }) => [name, schema]))),
      ],
    ]),
    "output",
  );
  const own = new Map(
    operations.map((operation) => [
      operation,
      ownMembersText(inputs.own[operation.name]!, values.own[operation.name]!),
    ]),
  );
  const shared = sharedTexts(own);
  const members = operations.map((operation) => {
    const given = callerFields(operation).length > 0 ? inputName(operation) : "unknown";
    const text = own.get(operation)!;
    return `  readonly "${operation.name}": Checked<${given}, ${shared.get(text) ?? text}>;\n`;
  });
  const text = [...members, ...shared.keys()].join("");
  const names = [unlistedTypeName, ...Object.keys(values.named), ...operations.map(inputName)];
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).join(", ");
  const types = [...shared].map(([type, name]) => `type ${name} = ${type};\n\n`).join("");
  return `import type { ${used} } from "../client/fxdesk-client";

/** Input of a caller, with generated, parsed and default values. */
type Checked<Input, Own> = Readonly<Omit<Input, keyof Own> & Own>;

${types}/** Values of all fields of a checked request, by operation name. */
export interface OperationValues {
${members.join("")}}
`;
}

/** Returns long types shared by several operations, named after the first. */
function sharedTexts(own: ReadonlyMap<Declaration, string>): ReadonlyMap<string, string> {
  const texts = [...own.values()];
  const repeatedTexts = [...own].filter(
    ([, text], index) => text.length > 60 && texts.indexOf(text) === index && texts.lastIndexOf(text) > index,
  );
  return new Map(repeatedTexts.map(([operation, text]) => [text, `${inputName(operation)}Filled`]));
}

const withoutComments = (text: string): string => text.replace(/^ *\/\*\*.*\*\/\n/gm, "");

/** Returns the members of an object type, by name. */
function membersOf(schema: JsonSchema): ReadonlyMap<string, string> {
  const names = Object.keys(schema.properties ?? {});
  return new Map(names.map((name) => [name, withoutComments(memberText(schema, name))]));
}

/** Returns the members whose checked type differs from the input. */
function ownMembersText(input: JsonSchema, values: JsonSchema): string {
  const given = membersOf(input);
  const own = [...membersOf(values)].filter(([name, text]) => given.get(name) !== text);
  return `{ ${own.map(([, text]) => text).join("; ")} }`;
}
