/**
 * The declaration files that show the contract: a name for every resource, input and response, the client's methods in
 * these names, and the operations without their schemas. They take the place of what the compiler infers.
 */
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { contract } from "../core/operations/contract";
import { inputSchema } from "../core/operations/check";
import type { Answer, Declaration } from "../core/operations/declaration";
import type { Service } from "../core/operations/definition";
import { callerFields, fieldsOf } from "../core/operations/fields";
import { type JsonSchema, withoutNoise } from "../core/operations/json-schema";
import { bySection, sectionTitle, splitName } from "../core/operations/sections";
import { comment, membersText, typeText, unlisted } from "./type-text";
import { effects, failureWords } from "./words";

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Schemas by a name of their own, and the named ones among and inside them. */
function jsonSchemas(schemas: Readonly<Record<string, z.ZodType>>, io: "input" | "output") {
  const { properties, $defs } = z.toJSONSchema(z.object(schemas), { io, override: withoutNoise });
  return { own: (properties ?? {}) as Schemas, named: ($defs ?? {}) as Schemas };
}

const fromEach = <T>(
  operations: readonly Declaration[],
  entries: (operation: Declaration) => [string, T][],
) => Object.fromEntries(operations.flatMap(entries));

type JsonAnswer = Extract<Answer, { kind: "json" }>;

const jsonAnswers = ({ answers }: Declaration): [status: string, answer: JsonAnswer][] =>
  Object.entries(answers).flatMap(([status, answer]) =>
    answer.kind === "json" ? [[status, answer] as [string, JsonAnswer]] : [],
  );

/** All schemas of a service that its types are made of. */
function schemasOf(operations: readonly Declaration[]) {
  const inputs = jsonSchemas(
    fromEach(operations, (operation) => [[operation.name, inputSchema(operation)]]),
    "input",
  );
  const bodies = jsonSchemas(
    fromEach(operations, ({ name, body }) => (body ? [[name, body]] : [])),
    "input",
  );
  const responses = jsonSchemas(
    fromEach(operations, (operation) =>
      jsonAnswers(operation).map(([status, { schema }]) => [`${operation.name} ${status}`, schema]),
    ),
    "output",
  );
  return { inputs, bodies, responses };
}

type AllSchemas = ReturnType<typeof schemasOf>;

/** `list_trades` is `ListTrades`. */
const pascal = (words: string): string =>
  words.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

export const inputName = ({ tool }: Declaration): string => `${pascal(tool)}Input`;
const responseName = ({ tool }: Declaration): string => `${pascal(tool)}Response`;
const sectionName = (section: string): string => `${pascal(section)}Section`;

const referred = ({ $ref, items }: JsonSchema): unknown => $ref ?? (items as JsonSchema | undefined)?.$ref;

/** Where a resource stands in the contract: what operations take and return it. */
function usesOf(
  name: string,
  operations: readonly Declaration[],
  { bodies, responses }: AllSchemas,
): string[] {
  const ref = `#/$defs/${name}`;
  const takes = operations.filter((operation) => bodies.own[operation.name]?.$ref === ref);
  const returns = operations.filter((operation) =>
    jsonAnswers(operation).some(
      ([status]) => referred(responses.own[`${operation.name} ${status}`]!) === ref,
    ),
  );
  const line = (verb: string, users: readonly Declaration[]) =>
    users.length === 0
      ? []
      : [`${verb} ${users.map((user) => `\`${user.name}\` (${user.contract})`).join(", ")}.`];
  return [...line("Body of", takes), ...line("Returned by", returns)];
}

function resourceText(name: string, schema: JsonSchema, uses: readonly string[]): string {
  const { description } = schema;
  const docs = comment([...(typeof description === "string" ? [description] : []), ...uses]);
  return schema.type === "object" && schema.properties
    ? `${docs}export interface ${name} ${membersText(schema)}\n`
    : `${docs}export type ${name} = ${typeText(schema)};\n`;
}

/** The named schemas of all that is taken and returned. Throws where one name stands for two types. */
function resourceTexts(operations: readonly Declaration[], schemas: AllSchemas): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { named } of [schemas.responses, schemas.bodies, schemas.inputs])
    for (const [name, schema] of Object.entries(named)) {
      const text = resourceText(name, schema, usesOf(name, operations, schemas));
      if ((texts.get(name) ?? text) !== text) throw new TypeError(`There are two types ${name}.`);
      texts.set(name, text);
    }
  return texts;
}

/** An input has the fields of its body beside its own; a body with a name is extended. */
function inputText(operation: Declaration, { inputs, bodies }: AllSchemas): string {
  const name = inputName(operation);
  const docs = comment([`What \`${operation.name}\` takes.`]);
  if (callerFields(operation).length === 0) return `${docs}export type ${name} = Record<string, never>;\n`;
  const { body } = operation;
  const base = bodies.own[operation.name];
  const isNamed = body !== undefined && base?.$ref !== undefined;
  const heritage = isNamed ? ` extends ${typeText(base)}` : "";
  const own = (field: string) => !isNamed || !Object.hasOwn(body.shape, field);
  return `${docs}export interface ${name}${heritage} ${membersText(inputs.own[operation.name]!, "", own)}\n`;
}

function bodyText({ name }: Declaration, status: string, answer: Answer, { responses }: AllSchemas): string {
  if (answer.kind === "file") return "ReceivedFile";
  if (answer.kind === "empty") return "undefined";
  if (answer.kind !== "json") return "string";
  return typeText(responses.own[`${name} ${status}`]!) + (answer.asText ? " | string" : "");
}

interface Response {
  /** The type of what the method returns. */
  readonly type: string;
  /** The same where JSON is asked for. */
  readonly jsonType: string;
  /** Its declaration, where it has no other name. */
  readonly text: string;
  /** The type of what `reply` returns. */
  readonly reply: string;
}

/** A body, or the status and its body where several responses are documented. What has no name gets one. */
function responseOf(operation: Declaration, schemas: AllSchemas): Response {
  const bodies = Object.entries(operation.answers).map(
    ([status, answer]) => [status, bodyText(operation, status, answer, schemas)] as const,
  );
  const whole =
    bodies.length === 1
      ? bodies[0]![1]
      : bodies.map(([status, body]) => `{ status: ${status}; body: ${body} }`).join(" | ");
  const isNamed = whole.includes("{");
  const name = responseName(operation);
  const type = isNamed ? name : whole;
  const bodyIn = (body: string) => (isNamed && bodies.length === 1 ? name : body);
  return {
    type,
    jsonType: isNamed ? `Exclude<${name}, string>` : whole.replace(/ \| string$/, ""),
    text: isNamed
      ? `${comment([`What \`${operation.name}\` returns.`])}export type ${name} = ${whole};\n`
      : "",
    reply: bodies.map(([status, body]) => `Reply<${status}, ${bodyIn(body)}>`).join(" | "),
  };
}

/** A list under a heading; nothing when it is empty. */
const list = (heading: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : ["", `${heading}:`, ...items.map((item) => `- ${item}`)];

function documentation(operation: Declaration): string[] {
  const { summary, notes, effect, rules = [], answers, errors, method, path, contract: section } = operation;
  return [
    [summary, notes].filter(Boolean).join(" "),
    "",
    effects[effect],
    ...list(
      "Rules",
      rules.map(({ says }) => says),
    ),
    ...list(
      "Answers",
      Object.entries(answers).map(([status, { says }]) => `${status}: ${says}`),
    ),
    ...list(
      "Errors",
      Object.entries(errors).map(([status, failure]) => `${status}: ${failureWords(failure)}`),
    ),
    "",
    `Contract: ${section}, ${method} ${path}`,
  ];
}

/** The input that does not ask for text. */
function jsonInput(operation: Declaration): string | undefined {
  const [asText] = jsonAnswers(operation).flatMap(([, answer]) => answer.asText ?? []);
  if (!asText) return undefined;
  const name = inputName(operation);
  const field = JSON.stringify(asText.field);
  const values = asText.values.map((value) => JSON.stringify(value)).join(" | ");
  const optional = callerFields(operation).find(({ name: each }) => each === asText.field)?.required
    ? ""
    : "?";
  return `${name} & { ${field}${optional}: Exclude<${name}[${field}], ${values}> }`;
}

function signaturesOf(operation: Declaration, { type, jsonType, reply }: Response): string[] {
  const optional = callerFields(operation).some(({ required }) => required) ? "" : "?";
  const args = `(input${optional}: ${inputName(operation)}, options?: CallOptions)`;
  const json = jsonInput(operation);
  const item = /^(.*)\[\]$/.exec(type)?.[1] ?? "never";
  return [
    ...(json ? [`(input: ${json}, options?: CallOptions): Promise<${jsonType}>;`] : []),
    `${args}: Promise<${type}>;`,
    "/** The response with status, headers, total and what differed from the contract. */",
    `reply${args}: Promise<${reply}>;`,
    ...(operation.pages
      ? [
          "/** Every entry of every page, fetched as they are consumed. */",
          `all${args}: AsyncGenerator<${item}, void, void>;`,
          "/** Every page, fetched as it is consumed. */",
          `pages${args}: AsyncGenerator<${item}[], void, void>;`,
        ]
      : []),
  ];
}

function methodText(operation: Declaration, response: Response): string {
  const [, method] = splitName(operation);
  const signatures = signaturesOf(operation, response).map((line) => `    ${line}\n`);
  return `${comment(documentation(operation), "  ")}  readonly ${method}: {\n${signatures.join("")}  };\n`;
}

function assertUnique(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TypeError(`There are two types ${twice}.`);
}

const declaredNames = (text: string): string[] =>
  [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name!);

/** The declaration file of the client, as text. Throws where two types would have one name. */
export function clientTypes(operations: readonly Declaration[]): string {
  const schemas = schemasOf(operations);
  const sections = [...bySection(operations)];
  const parts = sections.map(([section, members]) => {
    const responses = members.map((operation) => [operation, responseOf(operation, schemas)] as const);
    const methods = responses.map(([operation, response]) => methodText(operation, response));
    return [
      ...responses.flatMap(([operation, response]) => [inputText(operation, schemas), response.text]),
      `/** ${sectionTitle(section)}. */\nexport interface ${sectionName(section)} {\n${methods.join("")}}\n`,
    ];
  });
  const properties = sections.map(([section]) => `  readonly ${section}: ${sectionName(section)};\n`);
  const text = [
    `import type { ClientCore } from "./client";\n` +
      `import type { ReceivedFile } from "./file";\n` +
      `import type { CallOptions } from "./options";\n` +
      `import type { Reply } from "./reply";\n`,
    `/** A text beside those that an enumeration lists: the service may add some. */\n` +
      `export type ${unlisted} = string & {};\n`,
    ...resourceTexts(operations, schemas).values(),
    ...parts.flat(),
    `/** The client of the whole contract. */\n` +
      `export interface FxdeskClient extends ClientCore {\n${properties.join("")}}\n`,
  ]
    .filter(Boolean)
    .join("\n");
  assertUnique(declaredNames(text));
  return text;
}

/** The declaration file of the operations, as text: their names, without the types of their schemas. */
export const operationTypes = (operations: readonly Declaration[]): string =>
  `import type { Declaration } from "./declaration";

interface Named<Name extends string> extends Declaration {
  readonly name: Name;
}

/** Every operation of the contract, in its order. */
export declare const operations: readonly [
${operations.map(({ name }) => `  Named<"${name}">,\n`).join("")}];
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

/** The written declaration files, by the path of what the compiler made in their place. */
export const typeFiles = ({ operations }: Pick<Service, "operations">): Readonly<Record<string, string>> => ({
  "core/client/fxdesk-client.d.ts": clientTypes(operations),
  "core/operations/all.d.ts": operationTypes(operations),
  "core/operations/operation-values.d.ts": valueTypes(operations),
});

export async function writeTypes(dist: string): Promise<void> {
  for (const [path, text] of Object.entries(typeFiles(contract))) {
    const file = join(dist, path);
    await access(file);
    await writeFile(file, text);
  }
}
