/** Renders JSON Schemas as TypeScript types, with descriptions as comments. */
import type { JsonSchema } from "../core/spec/json-schema";

/** Renders a doc comment. Escapes the comment terminator. */
export function comment(lines: readonly string[], indent = ""): string {
  const safe = lines.map((line) => line.replaceAll("*/", "* /"));
  if (safe.length <= 1) return safe.map((line) => `${indent}/** ${line} */\n`).join("");
  const rows = safe.map((line) => `${indent} * ${line}`.trimEnd());
  return [`${indent}/**`, ...rows, `${indent} */`, ""].join("\n");
}

/** Descriptions of string formats. */
const formats: Readonly<Record<string, string>> = {
  date: "YYYY-MM-DD.",
  "date-time": "ISO 8601 date and time.",
  uuid: "UUID.",
  uri: "URI.",
  ipv4: "IPv4 address.",
};

/** Returns the alternative to null, or the schema itself if it is not nullable. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const others = ((schema.anyOf ?? []) as JsonSchema[]).filter(({ type }) => type !== "null");
  return others.length === 1 ? { ...others[0], ...schema } : schema;
}

function docLines(schema: JsonSchema): string[] {
  const { description, format, default: fallback, examples = [] } = withoutNull(schema);
  const words = [
    description,
    formats[String(format)],
    fallback !== undefined && `Default: ${JSON.stringify(fallback)}.`,
    ...(examples as unknown[]).slice(0, 1).map((example) => `Example: ${JSON.stringify(example)}.`),
  ];
  const line = words.filter(Boolean).join(" ");
  return line ? [line] : [];
}

const propertyKey = (name: string): string => (/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name));

const union = (types: readonly string[]): string => [...new Set(types)].join(" | ");

const literals = (values: readonly unknown[]): string => union(values.map((value) => JSON.stringify(value)));

const simpleTypes: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/** Type name for unlisted values of an extensible enumeration. */
export const unlistedTypeName = "Unlisted";

/** Renders a schema as a type; a reference becomes the type name. */
export function typeText(schema: JsonSchema, indent = ""): string {
  const { $ref, type, items, anyOf, enum: options, const: only } = schema;
  const known = schema["x-extensible-enum"] as readonly string[] | undefined;
  if (typeof $ref === "string") return $ref.slice($ref.lastIndexOf("/") + 1);
  if (known) return `${literals(known)} | ${unlistedTypeName}`;
  if (options) return literals(options as unknown[]);
  if (only !== undefined) return literals([only]);
  if (anyOf) return union((anyOf as JsonSchema[]).map((each) => typeText(each, indent)));
  if (Array.isArray(type)) return union(type.map((each) => typeText({ ...schema, type: each }, indent)));
  if (type === "array") return arrayText((items ?? {}) as JsonSchema, indent);
  if (type === "object") return membersText(schema, indent);
  return simpleTypes[String(type)] ?? "unknown";
}

const isUnion = ({ anyOf, enum: options, type, ...rest }: JsonSchema): boolean =>
  anyOf !== undefined || options !== undefined || Array.isArray(type) || "x-extensible-enum" in rest;

function arrayText(items: JsonSchema, indent: string): string {
  const element = typeText(items, indent);
  return isUnion(items) ? `(${element})[]` : `${element}[]`;
}

/** Renders a member of an object without its comment. */
export function memberText({ properties, required = [] }: JsonSchema, name: string, indent = ""): string {
  const type = typeText((properties as Readonly<Record<string, JsonSchema>>)[name]!, indent);
  return propertyKey(name) + ((required as string[]).includes(name) ? `: ${type}` : `?: ${type} | undefined`);
}

/** Renders the members of an object in braces. */
export function membersText(schema: JsonSchema, indent = ""): string {
  const { properties = {}, additionalProperties: rest } = schema;
  const inner = `${indent}  `;
  const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, property]) =>
      `${comment(docLines(property), inner)}${inner}${memberText(schema, name, inner)};\n`,
  );
  if (typeof rest === "object" && rest !== null)
    members.push(`${inner}[name: string]: ${typeText(rest as JsonSchema, inner)};\n`);
  return `{\n${members.join("")}${indent}}`;
}
