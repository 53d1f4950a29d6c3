/** Generates the declaration file of the client: named types for resources, inputs and responses, and documented methods. */
import type { ResponseDeclaration, Callable } from "../core/spec/operation";
import { isWatch, type Watch } from "../core/spec/watch";
import {
  type ErrorDoc,
  type ResponseDoc,
  introduction,
  type OperationDoc,
  describeOperation,
} from "../core/spec/describe-operation";
import { callerFields } from "../core/spec/fields";
import type { JsonSchema } from "../core/spec/json-schema";
import { bySection, sectionTitle, splitName } from "../core/spec/sections";
import { type AllSchemas, type Schemas, bodyOf, jsonResponses, schemasOf } from "./type-schemas";
import { nameEntries, pascalCase } from "./entry-names";
import { comment, membersText, typeText, unlistedTypeName } from "./type-text";

export const inputName = ({ tool }: Callable): string => `${pascalCase(tool)}Input`;
const responseName = ({ tool }: Callable): string => `${pascalCase(tool)}Response`;
const sectionName = (section: string): string => `${pascalCase(section)}Section`;

const refOf = ({ $ref, items }: JsonSchema): unknown => $ref ?? (items as JsonSchema | undefined)?.$ref;

/** Returns the contract sections as a sentence; empty for procedures, which are not in the contract. */
function sectionsText(operations: readonly Callable[]): string {
  const sections = operations.flatMap(({ contract }) => contract || []);
  return sections.length === 0 ? "" : ` Contract: ${sections.join(", ")}.`;
}

function useText(verb: string, users: readonly Callable[]): string[] {
  const names = users.map(({ name }) => `\`${name}\``).join(", ");
  return users.length === 0 ? [] : [`${verb} ${names}.${sectionsText(users)}`];
}

/** Lists the operations that take or return a resource. */
function usesOf(name: string, operations: readonly Callable[], { bodies, responses }: AllSchemas): string[] {
  const ref = `#/$defs/${name}`;
  const takes = operations.filter((operation) => bodies.own[operation.name]?.$ref === ref);
  const returns = operations.filter((operation) =>
    jsonResponses(operation).some(([status]) => refOf(responses.own[`${operation.name} ${status}`]!) === ref),
  );
  return [...useText("Body of", takes), ...useText("Returned by", returns)];
}

/** Removes `| undefined`: an absent field of parsed JSON is missing, never undefined. */
const withoutUndefined = (text: string): string => text.replaceAll(" | undefined;", ";");

function resourceText(name: string, schema: JsonSchema, uses: readonly string[]): string {
  const { description } = schema;
  const docs = comment([...(typeof description === "string" ? [description] : []), ...uses]);
  return schema.type === "object" && schema.properties
    ? `${docs}export interface ${name} ${membersText(schema)}\n`
    : `${docs}export type ${name} = ${typeText(schema)};\n`;
}

const entryTexts = (owner: string, entries: Schemas): string =>
  Object.entries(entries)
    .map(([name, schema]) => `\n${resourceText(name, schema, [`Entry of a list in \`${owner}\`.`])}`)
    .join("");

/** Returns the types of all named schemas. Throws if a name has two types. */
function resourceTexts(operations: readonly Callable[], schemas: AllSchemas): string[] {
  const texts = new Map<string, string>();
  for (const { named } of [schemas.bodies, schemas.inputs, schemas.responses])
    for (const [name, anonymous] of Object.entries(named)) {
      const { schema, entries } = nameEntries(name, anonymous);
      const text = resourceText(name, schema, usesOf(name, operations, schemas)) + entryTexts(name, entries);
      if ((texts.get(name) ?? text) !== text) throw new TypeError(`The type name ${name} is used twice.`);
      texts.set(name, text);
    }
  const given = new Set(Object.keys({ ...schemas.bodies.named, ...schemas.inputs.named }));
  return [...texts].map(([name, text]) => (given.has(name) ? text : withoutUndefined(text)));
}

/** Returns the input type. It extends a named body, otherwise it repeats the fields of the body. */
function inputText(operation: Callable, { inputs, bodies }: AllSchemas): string {
  const name = inputName(operation);
  const docs = comment([`Input of \`${operation.name}\`.${sectionsText([operation])}`]);
  if (callerFields(operation).length === 0) return `${docs}export type ${name} = Record<string, never>;\n`;
  const body = bodyOf(operation);
  const base = bodies.own[operation.name];
  const isNamed = body !== undefined && base?.$ref !== undefined;
  const heritage = isNamed ? ` extends ${typeText(base)}` : "";
  const { properties = {}, ...rest } = inputs.own[operation.name]!;
  const ownFields = Object.entries(properties as Schemas).filter(
    ([field]) => !isNamed || !Object.hasOwn(body.shape, field),
  );
  const { schema, entries } = nameEntries(name, { ...rest, properties: Object.fromEntries(ownFields) });
  return `${docs}export interface ${name}${heritage} ${membersText(schema)}\n${entryTexts(name, entries)}`;
}

function bodyText(
  { name }: Callable,
  status: string,
  response: ResponseDeclaration,
  { responses }: AllSchemas,
): string {
  if (response.kind === "file") return "ReceivedFile";
  if (response.kind === "empty") return "undefined";
  if (response.kind !== "json") return "string";
  return (
    withoutUndefined(typeText(responses.own[`${name} ${status}`]!)) + (response.asText ? " | string" : "")
  );
}

interface Response {
  /** Return type of the method. */
  readonly type: string;
  /** Return type if JSON is requested. */
  readonly jsonType: string;
  /** Declaration of the type, if it needs one. */
  readonly text: string;
  /** Return type of `response`. */
  readonly response: string;
}

/** Returns the body type, or a union of status and body if several responses are documented. */
function responseOf(operation: Callable, schemas: AllSchemas): Response {
  const bodies = Object.entries(operation.responses).map(
    ([status, response]) => [status, bodyText(operation, status, response, schemas)] as const,
  );
  const bodyType =
    bodies.length === 1
      ? bodies[0]![1]
      : bodies.map(([status, body]) => `{ status: ${status}; body: ${body} }`).join(" | ");
  const isNamed = bodyType.includes("{");
  const name = responseName(operation);
  const type = isNamed ? name : bodyType;
  const docs = comment([`Result of \`${operation.name}\`.${sectionsText([operation])}`]);
  const bodyIn = (body: string) => (isNamed && bodies.length === 1 ? name : body);
  return {
    type,
    jsonType:
      isNamed && bodyType.endsWith(" | string")
        ? `Exclude<${name}, string>`
        : bodyType.replace(/ \| string$/, ""),
    text: isNamed ? `${docs}export type ${name} = ${bodyType};\n` : "",
    response: bodies.map(([status, body]) => `ServiceResponse<${status}, ${bodyIn(body)}>`).join(" | "),
  };
}

/** Returns a list with a heading; empty if there are no items. */
const list = (heading: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : ["", `${heading}:`, ...items.map((item) => `- ${item}`)];

const statusText = ({ status, description }: ResponseDoc | ErrorDoc): string => `${status}: ${description}`;

/** An error text of at least this many operations is not repeated at each of them. */
const commonErrorMinimum = 10;

function commonErrors(callables: readonly Callable[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const error of callables.flatMap((each) => describeOperation(each).errors.map(statusText)))
    counts.set(error, (counts.get(error) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count >= commonErrorMinimum).map(([error]) => error));
}

/** Returns the statuses, and the texts that are not common. */
function errorsText(errors: readonly ErrorDoc[], common: ReadonlySet<string>): string[] {
  if (errors.length === 0) return [];
  const special = errors.map(statusText).filter((error) => !common.has(error));
  const statuses = errors.map(({ status }) => status).join(", ");
  return ["", `Errors: ${statuses}.`, ...special.map((error) => `- ${error}`)];
}

function documentation(page: OperationDoc, common: ReadonlySet<string>): string[] {
  const { effect, rules, responses, errors, request, contract } = page;
  const [only, ...others] = responses.map(statusText);
  const response = others.length === 0 ? ` Response ${only}` : "";
  return [
    introduction(page),
    "",
    (effect.kind === "read" ? effect.description : `${effect.description} ${effect.repetition}`) + response,
    ...list(
      "Rules",
      rules.map(({ description }) => description),
    ),
    ...(response ? [] : list("Responses", responses.map(statusText))),
    ...errorsText(errors, common),
    ...(request ? ["", `Contract: ${contract}, ${request.method} ${request.path}`] : []),
  ];
}

/** Returns the input type that requests JSON, if the operation can also return text. */
function jsonInput(operation: Callable): string | undefined {
  const [asText] = jsonResponses(operation).flatMap(([, response]) => response.asText ?? []);
  if (!asText) return undefined;
  const name = inputName(operation);
  const field = JSON.stringify(asText.field);
  const values = asText.values.map((value) => JSON.stringify(value)).join(" | ");
  const optional = callerFields(operation).find(({ name: each }) => each === asText.field)?.required
    ? ""
    : "?";
  return `${name} & { ${field}${optional}: Exclude<${name}[${field}], ${values}> }`;
}

/** Returns the argument type: required if any field of the input is. */
const argumentKind = (callable: Callable): "RequiredArguments" | "OptionalArguments" =>
  callerFields(callable).some(({ required }) => required) ? "RequiredArguments" : "OptionalArguments";

function callMethodType(operation: Callable, { type, jsonType, response }: Response): string {
  const args = `${argumentKind(operation)}<${inputName(operation)}>`;
  if (operation.pages) return `ListMethod<${args}, ${itemOf(type)}, ${response}>`;
  const json = jsonInput(operation);
  const jsonArgs = json ? `RequiredArguments<${json}>` : args;
  return [
    ...(json ? [`((...args: ${jsonArgs}) => Promise<${jsonType}>)`] : []),
    `CallMethod<${args}, ${type}, ${response}>`,
    ...(operation.linkedPages ? [`LinkedPagesMethod<${jsonArgs}, ${jsonType}>`] : []),
  ].join(" & ");
}

const itemOf = (type: string): string => (type.endsWith("[]") ? type.slice(0, -2) : `${type}[number]`);

/** Returns the type of a watch method. */
const watchMethodType = (watch: Watch, { type }: Response): string =>
  `WatchMethod<[input${argumentKind(watch) === "RequiredArguments" ? "" : "?"}: ${inputName(watch)}], ${type}>`;

function methodText(callable: Callable, response: Response, common: ReadonlySet<string>): string {
  const [, method] = splitName(callable);
  const type = isWatch(callable) ? watchMethodType(callable, response) : callMethodType(callable, response);
  return `${comment(documentation(describeOperation(callable), common), "  ")}  readonly ${method}: ${type};\n`;
}

/** Imported types, by module. */
const imports: Readonly<Record<string, readonly string[]>> = {
  "../api/client-types": [
    "CallMethod",
    "ClientCore",
    "LinkedPagesMethod",
    "ListMethod",
    "RequiredArguments",
    "OptionalArguments",
    "WatchMethod",
  ],
  "../call/received-file": ["ReceivedFile"],
  "../call/response": ["ServiceResponse"],
};

function assertUnique(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TypeError(`The type name ${twice} is used twice.`);
}

const declaredNames = (text: string): string[] =>
  [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name!);

const enumerationPattern = /^ *"?([\w-]+)"?\??: \(?("[^"\n]+"(?: \| "[^"\n]+")+)/gm;

const longestName = (names: readonly string[]): string =>
  names.reduce((best, name) => (name.length > best.length ? name : best));

/** Finds long enumerations used at least three times, with the longest name among their fields. */
function sharedEnumerations(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string[]>();
  for (const [, field, values] of text.matchAll(enumerationPattern))
    fields.set(values!, [...(fields.get(values!) ?? []), field!]);
  const frequent = [...fields].filter(([values, { length }]) => length > 2 && values.length > 60);
  return new Map(frequent.map(([values, names]) => [values, longestName(names)]));
}

/** Replaces shared enumerations by named types, declared at the end. */
function withEnumerations(text: string): string {
  const shared = sharedEnumerations(text);
  const short = text.replaceAll(/"[^"\n]+"(?: \| "[^"\n]+")+/g, (values) => {
    const field = shared.get(values);
    return field === undefined ? values : pascalCase(field);
  });
  const types = [...shared].map(
    ([values, field]) => `\n/** Values of ${field}. */\nexport type ${pascalCase(field)} = ${values};\n`,
  );
  return short + types.join("");
}

/** The declaration file of the client, as text. Throws where two types would have one name. */
export function clientTypes(operations: readonly Callable[]): string {
  const common = commonErrors(operations);
  const schemas = schemasOf(operations);
  const sections = [...bySection(operations)];
  const parts = sections.map(([section, members]) => {
    const responses = members.map((operation) => [operation, responseOf(operation, schemas)] as const);
    const methods = responses.map(([operation, response]) => methodText(operation, response, common));
    return [
      ...responses.flatMap(([operation, response]) => [inputText(operation, schemas), response.text]),
      `/** ${sectionTitle(section, operations)}. */\nexport interface ${sectionName(section)} {\n${methods.join("")}}\n`,
    ];
  });
  const properties = sections.map(([section]) => `  readonly ${section}: ${sectionName(section)};\n`);
  const completeText = [
    Object.entries(imports)
      .map(([path, names]) => `import type { ${names.join(", ")} } from "${path}";\n`)
      .join(""),
    `/** Any other text: the service may add values to an enumeration. */\n` +
      `export type ${unlistedTypeName} = string & {};\n`,
    ...resourceTexts(operations, schemas),
    ...parts.flat(),
    `/** The client with all operations, procedures and watches of fxdesk. Reads are retried if the service is busy. */\n` +
      `export interface FxdeskClient extends ClientCore {\n${properties.join("")}}\n`,
  ]
    .filter(Boolean)
    .join("\n");
  const text = withEnumerations(completeText);
  assertUnique([...Object.values(imports).flat(), ...declaredNames(text)]);
  return text;
}
