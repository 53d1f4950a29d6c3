/** An OpenAPI 3.1 document, derived from the declarations. */
import type { ResponseDeclaration } from "../spec/operation";
import {
  type ErrorDoc,
  type FieldDoc,
  type ResponseDoc,
  type EndpointDoc,
  describeOperation,
  type RequestBody,
} from "../spec/describe-operation";
import { type CredentialScheme, type Server, type Service, type Setting } from "../spec/service";
import type { JsonSchema } from "../spec/json-schema";
import { bySection, sectionTitle, splitName } from "../spec/sections";
import { SchemaCollection } from "./schema-collection";

interface OpenApiOptions {
  /** Version of the document. */
  readonly version: string;
  /** Server addresses by server name. Servers without one are templates over their settings. */
  readonly servers?: Readonly<Record<string, string>>;
  /** Default values by parameter name, for example the reader's client ID. */
  readonly defaults?: Readonly<Record<string, string>>;
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

const toSnakeCase = (name: string) => name.replace(/([A-Z])/g, "_$1").toLowerCase();

/** Returns a server whose URL is a template over its settings. */
function serverObject({ description, setting, template }: Server, settings: readonly Setting[]): Json {
  const url = (template ?? `{${setting}}`).replace(/\/$/, "");
  const names = [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const variables = names.map((name) => {
    const { options, default: defaultValue, example } = settings.find((known) => known.name === name)!;
    return [toSnakeCase(name), { ...(options && { enum: options }), default: defaultValue ?? example ?? "" }];
  });
  return {
    url: url.replace(/\w+(?=\})/g, toSnakeCase),
    description,
    variables: Object.fromEntries(variables) as Json,
  };
}

const securitySchemeObject = ({ kind, header, description }: CredentialScheme): Json =>
  kind === "bearer"
    ? { type: "http", scheme: "bearer", description }
    : { type: "apiKey", in: "header", name: header, description };

const contentTypes: Readonly<Record<Exclude<ResponseDeclaration["kind"], "json" | "empty">, string>> = {
  text: "text/plain",
  html: "text/html",
  file: "*/*",
};

/** Returns alternative sets of schemes: all credentials, then only the required ones. */
function security({ credentials }: EndpointDoc["request"]): Json[] {
  const all = credentials.map(({ name }) => name);
  const needed = credentials.filter(({ optional }) => !optional).map(({ name }) => name);
  const alternatives = needed.length === all.length ? [all] : [all, needed];
  return alternatives.map((schemes) => Object.fromEntries(schemes.map((scheme) => [scheme, []])));
}

function parameterObject(
  field: FieldDoc,
  schemas: SchemaCollection,
  { defaults = {} }: OpenApiOptions,
): Json {
  const { name, location, requirement, description, schema, kind, list, filledBy } = field;
  const defaultValue = defaults[name];
  return {
    name,
    in: location,
    required: requirement === "required",
    ...(description && { description }),
    ...(location === "query" && kind === "array" && { style: "form", explode: list === "repeat" }),
    schema: { ...schemas.register(schema), ...(defaultValue !== undefined && { default: defaultValue }) },
    ...(filledBy !== "caller" && { "x-fxdesk-filled-by": filledBy }),
  };
}

const jsonContent = (schema: JsonSchema): Json => ({ "application/json": { schema } });

const textContent = (types: readonly string[] = []): Json =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: "string" } }]));

function content({ kind, body, asText }: ResponseDoc, schemas: SchemaCollection): Json | undefined {
  if (kind === "empty") return undefined;
  if (kind !== "json") return textContent([contentTypes[kind]]);
  return { ...jsonContent(schemas.register(body!.schema)), ...textContent(asText?.mediaTypes) };
}

function responseObject(response: ResponseDoc, schemas: SchemaCollection): Json {
  const headers = response.headers.map(({ name, type, description }) => [
    name,
    { description, schema: { type } },
  ]);
  const body = content(response, schemas);
  return {
    description: response.description,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) as Json }),
    ...(body && { content: body }),
  };
}

const errorObject = ({ description, body }: ErrorDoc, schemas: SchemaCollection): Json => ({
  description,
  ...(body && { content: jsonContent(schemas.register(body.schema)) }),
});

function responseObjects({ responses, errors }: EndpointDoc, schemas: SchemaCollection): Json {
  const successes = responses.map((response) => [response.status, responseObject(response, schemas)]);
  const failures = errors.map((error) => [error.status, errorObject(error, schemas)]);
  return Object.fromEntries([...successes, ...failures]) as Json;
}

const requestContent = (bodies: readonly RequestBody[], schemas: SchemaCollection): Json =>
  Object.fromEntries(
    bodies.map(({ mediaType, schema }) => [mediaType, { schema: schemas.register(schema) }]),
  );

function operationObject(
  doc: EndpointDoc,
  server: Json,
  schemas: SchemaCollection,
  options: OpenApiOptions,
): Json {
  const { name, title, summary, notes, effect, fields, rules, request, contract } = doc;
  const parameters = fields.filter(({ location }) => location !== "body" && location !== "document");
  return {
    operationId: name,
    tags: [splitName(doc)[0]],
    summary: title,
    description: [summary, notes, ...rules.map(({ description }) => description), `Contract: ${contract}.`]
      .filter(Boolean)
      .join("\n\n"),
    servers: [server],
    security: security(request),
    parameters: parameters.map((field) => parameterObject(field, schemas, options)),
    ...(request.bodies.length > 0 && {
      requestBody: { required: true, content: requestContent(request.bodies, schemas) },
    }),
    responses: responseObjects(doc, schemas),
    "x-fxdesk-effect": effect.kind,
    ...(rules.length > 0 && { "x-fxdesk-rules": rules }),
  };
}

/** Derives the document. Deterministic: the same service and options return the same document. */
export function openApiDocument(
  { operations, servers, settings, credentials }: Service,
  options: OpenApiOptions,
): OpenApiDocument {
  const { version, servers: addresses = {} } = options;
  const schemas = new SchemaCollection();
  const serverOf = (server: string): Json => {
    const url = addresses[server];
    return url === undefined ? serverObject(servers[server]!, settings) : { url: url.replace(/\/+$/, "") };
  };
  const securitySchemes = Object.fromEntries(
    Object.entries(credentials).map(([name, scheme]) => [name, securitySchemeObject(scheme)]),
  );
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const atPath = (paths[operation.path] ??= {});
    atPath[operation.method.toLowerCase()] = operationObject(
      describeOperation(operation),
      serverOf(operation.server),
      schemas,
      options,
    );
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Account, trade and payment service",
      summary: "The JSON interface and the two open-banking interfaces, as fxdesk reads the contract.",
      version,
    },
    tags: [...bySection(operations).keys()].map((name) => ({
      name,
      "x-displayName": sectionTitle(name, operations),
    })),
    paths,
    components: { schemas: schemas.components(), securitySchemes },
  };
}
