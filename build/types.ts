/** Writes the declaration files of the contract. They replace those of the compiler, which spell out the long types of all schemas. */
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { inputSchema } from "../core/spec/check";
import type { Declaration } from "../core/spec/operation";
import { callerFields, fieldsOf } from "../core/spec/fields";
import type { JsonSchema } from "../core/spec/json-schema";
import { callablesOf, type Service } from "../core/spec/service";
import { fxdeskService } from "../core/client/fxdesk-service";
import { clientTypes, inputName } from "./client-types";
import { fromEach, jsonSchemas } from "./type-schemas";
import { memberText, unlistedTypeName } from "./type-text";

/** Returns the declaration files, by the path of the compiler output that they replace. */
export const typeFiles = (
  service: Pick<Service, "operations" | "procedures" | "watches">,
): Readonly<Record<string, string>> => ({
  "core/client/fxdesk-client.d.ts": clientTypes([...callablesOf(service), ...(service.watches ?? [])]),
  "core/contract/all.d.ts": listTypes(operationList, service.operations),
  "core/contract/operation-values.d.ts": valueTypes(service.operations),
  "core/procedures/all.d.ts": listTypes(procedureList, service.procedures ?? []),
  "core/watches/all.d.ts": listTypes(watchList, service.watches ?? []),
});

export async function writeTypes(dist: string): Promise<void> {
  for (const [path, text] of Object.entries(typeFiles(fxdeskService))) {
    const file = join(dist, path);
    await access(file);
    await writeFile(file, text);
  }
}

/** A list of declarations that a module of the package exports. */
interface DeclarationList {
  readonly name: string;
  readonly description: string;
  /** Type of its members, and the module of that type. */
  readonly type: string;
  readonly module: string;
}

const operationList: DeclarationList = {
  name: "operations",
  description: "Every operation of the contract, in its order.",
  type: "Declaration",
  module: "../spec/operation",
};
const procedureList: DeclarationList = {
  name: "procedures",
  description: "Every procedure over the contract.",
  type: "Procedure",
  module: "../spec/procedure",
};
const watchList: DeclarationList = {
  name: "watches",
  description: "Every watch over the contract.",
  type: "Watch",
  module: "../spec/watch",
};

/** Returns the declaration file of a list: the names of its members only. */
const listTypes = (
  { name: list, description, type, module }: DeclarationList,
  members: readonly { readonly name: string }[],
): string =>
  `import type { ${type} } from "${module}";

interface Named<Name extends string> extends ${type} {
  readonly name: Name;
}

/** ${description} */
export declare const ${list}: readonly [
${members.map(({ name }) => `  Named<"${name}">,\n`).join("")}];
`;

/** Returns the declaration file of checked values: inputs with defaults, parsed and generated fields. */
function valueTypes(operations: readonly Declaration[]): string {
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
  const members = operations.map((operation) => {
    const given = callerFields(operation).length > 0 ? inputName(operation) : "unknown";
    const own = ownMembersText(inputs.own[operation.name]!, values.own[operation.name]!);
    return `  readonly "${operation.name}": Checked<${given}, ${own}>;\n`;
  });
  const text = members.join("");
  const names = [unlistedTypeName, ...Object.keys(values.named), ...operations.map(inputName)];
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).join(", ");
  return `import type { ${used} } from "../client/fxdesk-client";

/** Input of a caller, with generated, parsed and default values. */
type Checked<Input, Own> = Readonly<Omit<Input, keyof Own> & Own>;

/** Values of all fields of a checked request, by operation name. */
export interface OperationValues {
${text}}
`;
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
