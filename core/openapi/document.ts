/** The contract as an OpenAPI 3.1 document, derived from the declarations. */
import { z } from "zod";
import type {
  ResponseDeclaration,
  Declaration,
  DocumentForm,
  ErrorDeclaration,
  TextDocument,
} from "../declaration/operation";
import {
  type CredentialScheme,
  type Server,
  type Service,
  type Setting,
  splitCredential,
} from "../declaration/service";
import { type Field, fieldsOf } from "../declaration/fields";
import type { JsonSchema } from "../declaration/json-schema";
import { bySection, sectionTitle, splitName } from "../declaration/sections";
import { SchemaCollection } from "./schemas";

export interface OpenApiOptions {
  /** Version of the document. */
  readonly version: string;
  /** Addresses instead of the templates, by the interface they serve. */
  readonly servers?: Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI 3.1 document, as plain data. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: Json;
  readonly tags: readonly Json[];
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, Json>>;
  };
}

const snake = (name: string) => name.replace(/([A-Z])/g, "_$1").toLowerCase();

/** A server's address: a template of the settings it is made of, or of the one that holds it whole. */
function serverObject({ description, setting, template }: Server, settings: readonly Setting[]): Json {
  const url = (template ?? `{${setting}}`).replace(/\/$/, "");
  const names = [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const variables = names.map((name) => {
    const { options, default: usual, example } = settings.find((known) => known.name === name)!;
    return [snake(name), { ...(options && { enum: options }), default: usual ?? example ?? "" }];
  });
  return {
    url: url.replace(/\w+(?=\})/g, snake),
    description,
    variables: Object.fromEntries(variables) as Json,
  };
}

const schemeObject = ({ kind, header, description }: CredentialScheme): Json =>
  kind === "bearer"
    ? { type: "http", scheme: "bearer", description }
    : { type: "apiKey", in: "header", name: header, description };

const contentTypes: Readonly<Record<Exclude<ResponseDeclaration["kind"], "json" | "empty">, string>> = {
  text: "text/plain",
  html: "text/html",
  file: "*/*",
};

/** Each alternative a set of schemes: everything the call can carry, then only what the service asks for. */
function security(credentials: readonly string[]): Json[] {
  const carried = credentials.map(splitCredential);
  const all = carried.map(({ name }) => name);
  const needed = carried.filter(({ optional }) => !optional).map(({ name }) => name);
  const alternatives = needed.length === all.length ? [all] : [all, needed];
  return alternatives.map((schemes) => Object.fromEntries(schemes.map((scheme) => [scheme, []])));
}

function parameter(field: Field, schemas: SchemaCollection): Json {
  const { name, place, required, description, schema, kind, list, by } = field;
  return {
    name,
    in: place,
    required,
    ...(description && { description }),
    ...(place === "query" && kind === "array" && { style: "form", explode: list === "repeat" }),
    schema: schemas.use(schema),
    ...(by !== "caller" && { "x-fxdesk-filled-by": by }),
  };
}

const jsonContent = (schema: JsonSchema): Json => ({ "application/json": { schema } });

const textContent = (types: readonly string[] = []): Json =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: "string" } }]));

function content(response: ResponseDeclaration, schemas: SchemaCollection): Json | undefined {
  if (response.kind === "empty") return undefined;
  if (response.kind !== "json") return textContent([contentTypes[response.kind]]);
  return { ...jsonContent(schemas.use(response.schema)), ...textContent(response.asText?.mediaTypes) };
}

function responseObject(
  response: ResponseDeclaration,
  countedBy: string | undefined,
  schemas: SchemaCollection,
): Json {
  const headers = Object.entries(response.headers ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: name === countedBy ? "integer" : "string" } },
  ]);
  const body = content(response, schemas);
  return {
    description: response.description,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) as Json }),
    ...(body && { content: body }),
  };
}

function errorObject(failure: ErrorDeclaration, schemas: SchemaCollection): Json {
  if (typeof failure === "string") return { description: failure };
  const [description, body] = failure;
  return { description, content: jsonContent(schemas.use(body)) };
}

function responseObjects({ responses, errors, pages }: Declaration, schemas: SchemaCollection): Json {
  const good = Object.entries(responses).map(([status, response]) => [
    status,
    responseObject(response, pages?.total, schemas),
  ]);
  const bad = Object.entries(errors).map(([status, failure]) => [status, errorObject(failure, schemas)]);
  return Object.fromEntries([...good, ...bad]) as Json;
}

/** The media types of a body: JSON, a document in its place, and a form of the document and some fields. */
function requested(body: z.ZodObject, document: TextDocument | undefined, schemas: SchemaCollection): Json {
  const asJson = jsonContent(schemas.use(body));
  if (!document) return asJson;
  const { schema, mediaTypes, form } = document;
  const text = schemas.use(schema);
  const asDocument = Object.fromEntries(mediaTypes.map((type) => [type, { schema: text }]));
  return { ...asJson, ...asDocument, ...(form && formContent(body, text, form, schemas)) };
}

function formContent(
  { shape }: z.ZodObject,
  text: JsonSchema,
  { documentPart, fieldsPart, fields }: DocumentForm,
  schemas: SchemaCollection,
): Json {
  const inForm = z.object(Object.fromEntries(fields.map((name) => [name, shape[name]!])));
  const properties = { [documentPart]: text, [fieldsPart]: schemas.use(inForm) };
  const required = [documentPart, fieldsPart];
  return { "multipart/form-data": { schema: { type: "object", properties, required } } };
}

const inBody = new Set<Field["place"]>(["body", "document"]);

function operationObject(operation: Declaration, server: Json, schemas: SchemaCollection): Json {
  const {
    name,
    title,
    summary,
    notes,
    effect,
    credentials,
    body,
    document,
    rules = [],
    contract,
  } = operation;
  const parameters = fieldsOf(operation).filter(({ place }) => !inBody.has(place));
  return {
    operationId: name,
    tags: [splitName(operation)[0]],
    summary: title,
    description: [summary, notes, ...rules.map(({ description }) => description), `Contract: ${contract}.`]
      .filter(Boolean)
      .join("\n\n"),
    servers: [server],
    security: security(credentials),
    parameters: parameters.map((field) => parameter(field, schemas)),
    ...(body && { requestBody: { required: true, content: requested(body, document, schemas) } }),
    responses: responseObjects(operation, schemas),
    "x-fxdesk-effect": effect,
    ...(rules.length > 0 && { "x-fxdesk-rules": rules }),
  };
}

/** Derives the document. The same service and options give the same document. */
export function openApiDocument(
  { operations, servers, settings, credentials }: Service,
  { version, servers: addresses = {} }: OpenApiOptions,
): OpenApiDocument {
  const schemas = new SchemaCollection();
  const serverOf = (server: string): Json => {
    const url = addresses[server];
    return url === undefined ? serverObject(servers[server]!, settings) : { url: url.replace(/\/+$/, "") };
  };
  const securitySchemes = Object.fromEntries(
    Object.entries(credentials).map(([name, scheme]) => [name, schemeObject(scheme)]),
  );
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const atPath = (paths[operation.path] ??= {});
    atPath[operation.method.toLowerCase()] = operationObject(operation, serverOf(operation.server), schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Account, trade and payment service",
      summary: "The JSON interface and the two open-banking interfaces, as fxdesk reads the contract.",
      version,
    },
    tags: [...bySection(operations).keys()].map((name) => ({ name, "x-displayName": sectionTitle(name) })),
    paths,
    components: { schemas: schemas.components(), securitySchemes },
  };
}
