/** Random values that fit an operation, made from the JSON Schemas of its fields. */
import * as fc from "fast-check";
import {
  checkRequest,
  type Declaration,
  type Field,
  fieldsOf,
  type FieldLocation,
  type Values,
} from "../../core/operations";
import { responseJsonSchema, type JsonSchema } from "../../core/declaration/json-schema";

type Arbitrary = fc.Arbitrary<unknown>;

const time = fc.date({ min: new Date("1990-01-01"), max: new Date("2029-12-31"), noInvalidDate: true });
const isoTime = time.map((date) => date.toISOString());

/** What an address, a header or a list could take for its own. One code unit each, as lengths are counted. */
const character = fc.constantFrom(...Array.from("aZ09 -_.~%&=+?#,;:@/\\\"'[]{}é€中"));

const part = fc.string({ unit: character, maxLength: 12 });
const parts = fc.array(part, { maxLength: 3 });

/** The library's own addresses take seconds to prepare. */
const address = ([domain, path, query]: [string, string[], string | null]): string =>
  `https://${[domain, ...path.map(encodeURIComponent)].join("/")}${query === null ? "" : `?${encodeURIComponent(query)}`}`;

/** Texts in which a pattern alone would seldom hit what exists. */
const texts: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: isoTime.map((iso) => iso.slice(0, 10)),
  "date-time": isoTime,
  ipv4: fc.ipV4(),
  uri: fc.tuple(fc.domain(), parts, fc.option(part)).map(address),
};

const calendar = fc.oneof(...[7, 10, 16].map((length) => isoTime.map((iso) => iso.slice(0, length))));

const matching = new Map<string, Arbitrary>();

/** Text of a pattern, which takes long to prepare; many fields have the same. */
function textOf(pattern: string): Arbitrary {
  const known = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
  matching.set(pattern, known);
  return known;
}

function text({ format, pattern, examples, minLength = 0, maxLength = 50 }: JsonSchema): Arbitrary {
  const known = texts[String(format)];
  if (known) return known;
  if (typeof pattern === "string") return pattern.includes("\\d{4}-\\d{2}") ? calendar : textOf(pattern);
  const any = fc.string({
    unit: character,
    minLength: Number(minLength),
    maxLength: Math.min(Number(maxLength), 50),
  });
  // What is checked beyond its form is seldom hit by chance.
  return Array.isArray(examples) ? fc.oneof(any, fc.constantFrom(...(examples as string[]))) : any;
}

function object({ properties = {}, required = [], additionalProperties }: JsonSchema): Arbitrary {
  const known = Object.entries(properties as Record<string, JsonSchema>);
  const model = Object.fromEntries(known.map(([name, schema]) => [name, valueOf(schema)]));
  const declared = fc.record(model, { requiredKeys: required as string[], noNullPrototype: true });
  const isMap = known.length === 0 && typeof additionalProperties === "object" && additionalProperties;
  return isMap ? fc.dictionary(fc.string(), valueOf(additionalProperties as JsonSchema)) : declared;
}

function valueOf(schema: JsonSchema): Arbitrary {
  const { type, enum: values, const: only, anyOf, items = {}, minItems, minimum, maximum } = schema;
  if (only !== undefined) return fc.constant(only);
  if (values) return fc.constantFrom(...(values as unknown[]));
  if (anyOf) return fc.oneof(...(anyOf as JsonSchema[]).map(valueOf));
  if (Array.isArray(type)) return fc.oneof(...type.map((one: string) => valueOf({ ...schema, type: one })));
  const bounds = {
    ...(minimum !== undefined && { min: Number(minimum) }),
    ...(maximum !== undefined && { max: Number(maximum) }),
  };
  switch (type) {
    case "string":
      return text(schema);
    case "integer":
      return fc.integer(bounds);
    case "number":
      return fc.float({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valueOf(items as JsonSchema), { minLength: Number(minItems ?? 0), maxLength: 4 });
    case "object":
      return object(schema);
    case undefined:
      return fc.jsonValue({ maxDepth: 2 });
    default:
      throw new Error(`There is no arbitrary for ${JSON.stringify(schema)}.`);
  }
}

/** What a place cannot hold: a header nothing but ASCII, a path no slash. */
const forbiddenCharacters: Readonly<Partial<Record<FieldLocation, RegExp>>> = {
  header: /[^!-~]/g,
  path: /[/\\]/g,
};

const withoutForbidden = (place: FieldLocation, value: unknown) =>
  typeof value === "string" && forbiddenCharacters[place]
    ? value.replace(forbiddenCharacters[place], "")
    : value;

const fieldArbitrary = ({ schema, location }: Field): Arbitrary =>
  valueOf(responseJsonSchema(schema))
    .map((value) => withoutForbidden(location, value))
    .filter((value) => schema.safeParse(value).success);

/** The fields that make sense together: a document is the whole body but for what goes along in its form. */
function fieldSets(operation: Declaration): (readonly Field[])[] {
  const { document } = operation;
  const fields = fieldsOf(operation);
  if (!document) return [fields];
  const beside = (name: string) => document.form?.fields.includes(name);
  return [
    fields.filter(({ location }) => location !== "document"),
    fields
      .filter(({ location, name }) => location !== "body" || beside(name))
      .map((field) => (field.location === "document" ? { ...field, required: true } : field)),
  ];
}

/** Values of all fields of an operation, those that the connection and fxdesk fill included. */
export function requestValues(operation: Declaration, now: Date): fc.Arbitrary<Values> {
  const record = (fields: readonly Field[]) => {
    const requiredKeys = fields.flatMap(({ name, required }) => (required ? [name] : []));
    const model = Object.fromEntries(fields.map((field) => [field.name, fieldArbitrary(field)]));
    return fc.record(model, { requiredKeys, noNullPrototype: true });
  };
  const optional = new Set(fieldsOf(operation).flatMap(({ name, required }) => (required ? [] : [name])));
  /** Most fields of chance do not go together: optional ones that are in the way are left out. */
  const withoutMisfits = (values: Values): Values => {
    const found = checkRequest(operation, values, now);
    const named = new Set(found.flatMap(({ field }) => field.split(", ")));
    return Object.fromEntries(
      Object.entries(values).filter(([name]) => !(optional.has(name) && named.has(name))),
    );
  };
  return fc
    .oneof(...fieldSets(operation).map(record))
    .map(withoutMisfits)
    .filter((values) => checkRequest(operation, values, now).length === 0);
}
