/** The declaration files of the operations and of their values: without the types of their schemas, which fill pages. */
import { z } from "zod";
import type { Declaration } from "../core/declaration/operation";
import { fieldsOf } from "../core/declaration/fields";
import type { Procedure } from "../core/declaration/procedure";
import type { Watch } from "../core/declaration/watch";
import type { JsonSchema } from "../core/declaration/json-schema";
import { fromEach, jsonSchemas, type Schemas } from "./type-schemas";
import { typeText, unlisted } from "./type-text";

/** The declaration file of the operations, as text: their names, without the types of their schemas. */
export const operationTypes = (operations: readonly Declaration[]): string =>
  `import type { Declaration } from "../declaration/operation";

interface Named<Name extends string> extends Declaration {
  readonly name: Name;
}

/** Every operation of the contract, in its order. */
export declare const operations: readonly [
${operations.map(({ name }) => `  Named<"${name}">,\n`).join("")}];
`;

/** The declaration file of the procedures, as text. */
export const procedureTypes = (procedures: readonly Procedure[]): string =>
  `import type { Procedure } from "../declaration/procedure";

interface Named<Name extends string> extends Procedure {
  readonly name: Name;
}

/** Every procedure over the contract. */
export declare const procedures: readonly [
${procedures.map(({ name }) => `  Named<"${name}">,\n`).join("")}];
`;

/** The declaration file of the watches, as text. */
export const watchTypes = (watches: readonly Watch[]): string =>
  `import type { Watch } from "../declaration/watch";

interface Named<Name extends string> extends Watch {
  readonly name: Name;
}

/** Every watch over the contract. */
export declare const watches: readonly [
${watches.map(({ name }) => `  Named<"${name}">,\n`).join("")}];
`;

/** The declaration file of the values of operations, as text. */
export function valueTypes(operations: readonly Declaration[]): string {
  const { own, named } = jsonSchemas(
    fromEach(operations, (operation) => [
      [
        operation.name,
        z.object(Object.fromEntries(fieldsOf(operation).map(({ name, schema }) => [name, schema]))),
      ],
    ]),
    "output",
  );
  const names = [unlisted, ...Object.keys(named)].join(", ");
  const members = operations.map((operation) => valuesText(operation, own[operation.name]!));
  return [
    `import type { ${names} } from "../client/fxdesk-client";\n`,
    `/** By the name of an operation, what all its fields hold in a request that has been checked. */\n` +
      `export interface OperationValues {\n${members.join("")}}\n`,
  ].join("\n");
}

const withoutComments = (text: string): string => text.replace(/^ *\/\*\*.*\*\/\n/gm, "");

/** A field of the body that nobody gave is not there; another one is undefined. */
function valuesText(operation: Declaration, { properties = {}, required = [] }: JsonSchema): string {
  const lines = fieldsOf(operation).map(({ name, place }) => {
    const type = withoutComments(typeText((properties as Schemas)[name]!, "    "));
    const key = JSON.stringify(name);
    const isThere = (required as string[]).includes(name);
    if (place === "body") return `    ${key}${isThere ? `: ${type}` : `?: ${type} | undefined`};\n`;
    return `    readonly ${key}: ${type}${isThere ? "" : " | undefined"};\n`;
  });
  return `  readonly "${operation.name}": {\n${lines.join("")}  };\n`;
}
