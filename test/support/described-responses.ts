/** Validates responses against an OpenAPI document with an independent validator. */
import type { ValidateFunction } from "ajv";
import type Ajv from "ajv/dist/core";
import type { PlainResponse } from "../sandbox/support/http";

type Json = Record<string, unknown>;
type Schema = Readonly<Json>;

interface Response {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema: Schema }>>;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface DescribedOperation {
  readonly responses: Readonly<Record<string, Response>>;
}

interface Document {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components: unknown;
}

/** An operation of the document: method and path template. */
interface OperationLocation {
  readonly method: string;
  readonly path: string;
}

const schemaPrefix = "#/components/schemas/";

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Makes a schema strict: no undocumented fields, and only known values of extensible enumerations. */
function toStrictSchema(value: unknown, base: string): unknown {
  if (Array.isArray(value)) return value.map((each) => toStrictSchema(each, base));
  if (!isObject(value)) return value;
  const { $ref, "x-extensible-enum": known, ...rest } = value;
  if (typeof $ref === "string") return { $ref: $ref.replace(schemaPrefix, `${base}#/schemas/`) };
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, each]) => [key, toStrictSchema(each, base)]),
  );
  const isClosed =
    isObject(value.properties) && value.type === "object" && !("additionalProperties" in value);
  return {
    ...inner,
    ...(known !== undefined && { enum: known }),
    ...(isClosed && { additionalProperties: false }),
  };
}

/** Resolves a reference. */
function resolveReference<T>(document: Document, value: T | { readonly $ref: string }): T {
  if (!isObject(value) || typeof value.$ref !== "string") return value as T;
  const found = value.$ref
    .slice("#/".length)
    .split("/")
    .reduce<unknown>((place, key) => (place as Json)[key], document);
  return resolveReference(document, found as T);
}

const mediaType = (contentType: string | null) => contentType?.split(";")[0]!.trim();

/** Converts the text of a header to the type of its schema. */
function parseHeaderValue(text: string, { type }: Schema): unknown {
  return type === "integer" || type === "boolean" ? JSON.parse(text) : text;
}

export class DescribedResponses {
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #base: string;

  /** Name of the document, unique within a validator. */
  constructor(
    private readonly document: Document,
    private readonly ajv: Ajv,
    name: string,
  ) {
    const { schemas } = document.components as { readonly schemas: Json };
    this.#base = `https://document.example/${name}`;
    ajv.addSchema({ schemas: toStrictSchema(schemas, this.#base) }, this.#base);
  }

  /** Returns the deviations in status, content type, headers and body. */
  violations(location: OperationLocation, received: PlainResponse): string[] {
    const raw = this.#operationAt(location).responses[received.status];
    if (!raw) return [`status ${received.status} is not described`];
    const response = resolveReference(this.document, raw);
    const at = `${location.method} ${location.path} ${received.status}`;
    return [
      ...this.#headerViolations(at, response, received),
      ...this.#bodyViolations(at, response, received),
    ];
  }

  #operationAt({ method, path }: OperationLocation): DescribedOperation {
    const found = (this.document.paths[path] as Readonly<Record<string, DescribedOperation>> | undefined)?.[
      method.toLowerCase()
    ];
    if (!found) throw new Error(`The document has no ${method} ${path}.`);
    return found;
  }

  #headerViolations(at: string, { headers = {} }: Response, response: PlainResponse): string[] {
    return Object.entries(headers).flatMap(([name, raw]) => {
      const { required, schema } = resolveReference(this.document, raw);
      const text = response.headers.get(name);
      if (text === null) return required ? [`header ${name} is missing`] : [];
      return this.#schemaViolations(`${at} ${name}`, schema, parseHeaderValue(text, schema)).map(
        (message) => `header ${name}${message}`,
      );
    });
  }

  #bodyViolations(at: string, { content }: Response, { headers, text }: PlainResponse): string[] {
    if (!content) return text === "" ? [] : [`there is a body: ${text.slice(0, 60)}`];
    const type = mediaType(headers.get("content-type"));
    const media = content[String(type)] ?? content["*/*"];
    if (!media) return [`content type ${type} is not described`];
    if (!media.schema || !String(type).endsWith("json")) return [];
    return this.#schemaViolations(`${at} ${type}`, media.schema, JSON.parse(text)).map(
      (message) => `body${message}`,
    );
  }

  #schemaViolations(at: string, schema: Schema, value: unknown): string[] {
    let validate = this.#compiled.get(at);
    if (!validate)
      this.#compiled.set(at, (validate = this.ajv.compile(toStrictSchema(schema, this.#base) as Schema)));
    if (validate(value)) return [];
    return validate.errors!.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}
