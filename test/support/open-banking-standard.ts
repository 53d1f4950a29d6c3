/** Reads the published open-banking standard (OpenAPI 3.0) and compares schemas with it. */
import { readFileSync } from "node:fs";
import AjvDraft04 from "ajv-draft-04";
import addFormats from "ajv-formats";
import type { Declaration } from "../../core/operations";
import { DescribedResponses } from "./described-responses";

export type Schema = Readonly<Record<string, unknown>>;

export interface StandardParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface StandardOperation {
  readonly parameters: readonly StandardParameter[];
  /** Alternatives of the JSON body; empty without a body. */
  readonly bodies: readonly Schema[];
  readonly responses: Readonly<
    Record<number, { readonly headers: readonly string[]; readonly bodies: readonly Schema[] }>
  >;
}

type Json = Record<string, unknown>;

/** Resolves all references. */
function resolveReferences(document: Json, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(document, item));
  if (typeof value !== "object" || value === null) return value;
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined)
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, resolveReferences(document, inner)]),
    );
  const target = $ref
    .slice("#/".length)
    .split("/")
    .reduce<unknown>((place, key) => (place as Json)[key], document);
  return resolveReferences(document, target);
}

interface RawMedia {
  readonly schema: Schema & { readonly oneOf?: readonly Schema[] };
}

const jsonBodies = (content: Readonly<Record<string, RawMedia>> = {}): readonly Schema[] => {
  const schema = content["application/json"]?.schema;
  return schema ? (schema.oneOf ?? [schema]) : [];
};

interface RawOperation {
  readonly parameters?: readonly StandardParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, RawMedia>> };
  readonly responses: Readonly<
    Record<string, { readonly headers?: Json; readonly content?: Record<string, RawMedia> }>
  >;
}

export class Standard {
  readonly #document: Json & { paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

  constructor(file: string) {
    this.#document = JSON.parse(readFileSync(file, "utf8"));
  }

  /** Undefined if the standard has no such operation. */
  operation(method: string, path: string): StandardOperation | undefined {
    const item = this.#document.paths[path];
    const raw = item?.[method.toLowerCase()];
    if (!raw) return undefined;
    const {
      parameters = [],
      requestBody,
      responses,
    } = resolveReferences(this.#document, raw) as RawOperation;
    const shared = resolveReferences(this.#document, item.parameters ?? []) as readonly StandardParameter[];
    return {
      parameters: [...shared, ...parameters],
      bodies: jsonBodies(requestBody?.content),
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, { headers = {}, content }]) => [
          status,
          { headers: Object.keys(headers).toSorted(), bodies: jsonBodies(content) },
        ]),
      ),
    };
  }
}

/** Returns the paths of the standard that match a declared path. */
export function standardPaths({ path }: Declaration): string[] {
  const general = path
    .replace("/payments/", "/{payment-service}/")
    .replace("/bulk-payments/", "/{payment-service}/")
    .replace("{consent-id}", "{consentId}")
    .replace("{authorisation-id}", "{authorisationId}");
  if (!general.includes("{payment-authorisation}")) return [general];
  return ["authorisations", "cancellation-authorisations"].map((kind) =>
    general.replace("{payment-authorisation}", kind),
  );
}

/** Returns the response schemas of the standard, in JSON Schema draft 4 (OpenAPI 3.0). */
export function standardResponses(file: string): DescribedResponses {
  const ajv = new AjvDraft04({ strict: false, allErrors: true });
  addFormats(ajv);
  // The standard's own name; its text allows addresses to be relative.
  ajv.addFormat("url", (text: string) => URL.canParse(text, "https://service.example"));
  return new DescribedResponses(JSON.parse(readFileSync(file, "utf8")), ajv, "standard");
}

/** Normalises a pattern. */
const normalizePattern = (pattern: unknown): string =>
  String(pattern)
    .replace(/^\^|\$$/g, "")
    .replaceAll("\\d", "[0-9]")
    .replace(/\{(\d+),\1\}/g, "{$1}")
    .replaceAll("{0,1}", "?");

const limits = ["maxLength", "minimum", "maxItems", "format"] as const;
/** The standard's own way of saying uri. */
const formats: Readonly<Record<string, string>> = { url: "uri", byte: "" };

const limitOf = (schema: Schema, limit: (typeof limits)[number]) => {
  const value = schema[limit];
  return limit === "format" && typeof value === "string" ? (formats[value] ?? value) : value;
};

const alphabetically = (one: string, other: string) => (one < other ? -1 : 1);

const propertiesOf = (schema: Schema) => (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
const requiredOf = (schema: Schema) => (schema.required ?? []) as readonly string[];
const sorted = (values: unknown) => JSON.stringify((values as readonly string[]).toSorted(alphabetically));

/**
 * Compares a request schema with the standard: missing fields, required fields that are optional, and different limits,
 * patterns or enumerations. Returns the differences with their paths.
 */
export function requestDifferences(standard: Schema, ours: Schema, at = ""): string[] {
  const found: string[] = [];
  const say = (what: string) => found.push(`${at}: ${what}`);
  if (standard.enum && (!ours.enum || sorted(standard.enum) !== sorted(ours.enum))) say("enum");
  // An enumeration limits the length by itself.
  if (!standard.enum)
    for (const limit of limits)
      if (limitOf(standard, limit) && limitOf(standard, limit) !== limitOf(ours, limit)) say(limit);
  if (standard.pattern && normalizePattern(standard.pattern) !== normalizePattern(ours.pattern))
    say("pattern");
  if (standard.type && standard.type !== ours.type) say(`type ${String(standard.type)}`);
  if (standard.items)
    found.push(...requestDifferences(standard.items as Schema, ours.items as Schema, `${at}[]`));
  for (const [name, schema] of Object.entries(propertiesOf(standard))) {
    const mine = propertiesOf(ours)[name];
    if (!mine) say(`${name} is missing`);
    else found.push(...requestDifferences(schema, mine, `${at}.${name}`));
  }
  if (sorted(requiredOf(standard)) !== sorted(requiredOf(ours))) say("required");
  return found;
}

/**
 * Compares a response schema with the standard: missing fields, required fields that may be absent, and enumerations that
 * lack a value or reject unlisted ones.
 */
export function responseDifferences(standard: Schema, ours: Schema, at = ""): string[] {
  const found: string[] = [];
  const say = (what: string) => found.push(`${at}: ${what}`);
  if (ours.enum) say("a closed enumeration");
  const known = ours["x-extensible-enum"];
  if (known && sorted(standard.enum) !== sorted(known)) say("enum");
  if (standard.type && standard.type !== ours.type) say(`type ${String(standard.type)}`);
  if (standard.items)
    found.push(...responseDifferences(standard.items as Schema, ours.items as Schema, `${at}[]`));
  for (const name of requiredOf(ours))
    if (!requiredOf(standard).includes(name)) say(`${name} is not always there`);
  // Links are read by name only.
  if (ours.additionalProperties && !ours.properties) return found;
  for (const [name, schema] of Object.entries(propertiesOf(standard))) {
    const mine = propertiesOf(ours)[name];
    if (!mine) say(`${name} is missing`);
    else found.push(...responseDifferences(schema, mine, `${at}.${name}`));
  }
  return found;
}
