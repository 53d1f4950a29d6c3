/** The description and the JSON Schemas of operations, from which all surfaces render their texts, and their OpenAPI. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { openApiDocument } from "../../../core/openapi/document";
import { callerFields, contract, type Declaration, json, operations } from "../../../core/operations";
import { callerFieldDocs, introduction, describeOperation } from "../../../core/spec/describe-operation";
import { responseJsonSchema, inputJsonSchema } from "../../../core/spec/json-schema";
import { errorBody } from "../../../core/spec/operation";
import { operationNamed } from "../../support/operations";
import { tempFolder } from "../../support/resources";
import { declare } from "../support/declare";
import { openEnum } from "../../../core/values/values";

const Problem = z.object({ why: z.string().meta({ description: "What was wrong." }) });

const parcels = declare({
  name: "parcels.list",
  tool: "list_parcels",
  title: "List parcels",
  summary: "Lists parcels.",
  notes: "The newest come first.",
  path: "/parcels/{depot}",
  parameters: { depot: z.enum(["north", "south"]).meta({ title: "Depot", description: "Where they lie." }) },
  query: {
    kinds: z.array(z.enum(["box", "bag"])).optional(),
    since: z
      .string()
      .optional()
      .meta({ format: "date", examples: ["2026-03-01"] }),
    until: z.string().optional(),
    client_id: { schema: z.string(), by: "connection" },
    page: z.int().default(1),
    size: z.int().default(20),
  },
  rules: [
    {
      kind: "needed-by",
      fields: ["since"],
      other: "depot",
      values: ["south"],
      description: "South needs since.",
    },
    { kind: "ordered", fields: ["since", "until"], description: "since must not be after until." },
  ],
  pages: { page: "page", size: "size", defaultSize: 20, total: "X-Total" },
  responses: {
    200: json(
      z.array(
        z.object({
          id: z.string().meta({ description: "Identifies it." }),
          state: openEnum(["sent"]).optional(),
          sizes: z.array(z.object({ width: z.number(), deep: z.object({ deeper: z.string() }) })),
        }),
      ),
      "The parcels.",
      { "X-Total": "How many there are.", "X-Depot": "Where." },
    ),
  },
  errors: { 400: ["It does not fit.", Problem], 404: "No such depot." },
});

const doc = describeOperation(parcels);

test("describes name, summary and effect", () => {
  expect(doc).toMatchObject({ name: "parcels.list", tool: "list_parcels", title: "List parcels" });
  expect(introduction(doc)).toBe("Lists parcels. The newest come first.");
  expect(doc.effect).toEqual({
    kind: "read",
    description: "Changes nothing.",
    repetition: expect.stringContaining("Retried") as string,
  });
  expect(doc.paging).toBe(
    "The list is paged: page is the page number, size the entries per page (default 20).",
  );
});

test("describes each field: meaning, allowed values, requirement, source and location", () => {
  expect(doc.fields[0]).toMatchObject({
    title: "Depot",
    description: "Where they lie.",
    kind: "string",
    filledBy: "caller",
    location: "path",
    list: "repeat",
  });
  expect(
    doc.fields.map(({ name, type, requirement, options }) => [name, type, requirement, options]),
  ).toEqual([
    ["depot", "string", "required", ["north", "south"]],
    ["kinds", "array of string", "optional", ["box", "bag"]],
    ["since", "string", "by rule", undefined],
    ["until", "string", "optional", undefined],
    ["client_id", "string", "required", undefined],
    ["page", "integer", "optional", undefined],
    ["size", "integer", "optional", undefined],
  ]);
  expect(doc.fields[2]).toMatchObject({ format: "date", example: "2026-03-01" });
  expect(doc.fields[6]).toMatchObject({ default: 20 });
  expect(callerFieldDocs(doc).map(({ name }) => name)).not.toContain("client_id");
});

test("describes responses with the fields of their bodies", () => {
  expect(doc.responses).toMatchObject([
    {
      status: 200,
      description: "The parcels.",
      kind: "json",
      body: {
        type: "array of object",
        fields: [
          { path: "id", type: "string", description: "Identifies it." },
          { path: "state", type: "string", description: "" },
          { path: "sizes", type: "array of object" },
          { path: "sizes[].width", type: "number" },
          { path: "sizes[].deep", type: "object" },
        ],
      },
      headers: [
        { name: "X-Total", type: "integer", description: "How many there are." },
        { name: "X-Depot", type: "string", description: "Where." },
      ],
    },
  ]);
});

test("describes errors with their documented bodies", () => {
  const [invalid, missing] = doc.errors;
  expect(invalid).toMatchObject({ status: 400, description: "It does not fit.", body: { type: "object" } });
  expect(invalid!.body!.fields).toEqual([{ path: "why", type: "string", description: "What was wrong." }]);
  expect(missing).toEqual({ status: 404, description: "No such depot." });
});

const describeNamed = (name: string) => describeOperation(operationNamed(name));

test("names the lookup for a money call whose response is lost", () => {
  const repetition = (name: string) => describeNamed(name).effect.repetition;
  expect(repetition("trades.book")).toContain("check with trades.list whether it was carried out.");
  expect(repetition("trades.book")).toContain("Each quote_id can be used once.");
  expect(repetition("payments.initiate")).toContain("check at the service whether it was carried out.");
  expect(repetition("statements.emailTrades")).toBe("Sent once, never retried.");
});

test("lists the fields of each body encoding", () => {
  const bodies = describeNamed("payments.initiate").request.bodies.map(({ fields }) => fields);
  expect(bodies[0]).toContain("instructedAmount");
  expect(bodies[1]).toEqual(["pain001"]);
  expect(bodies[3]).toEqual(expect.arrayContaining(["pain001", "startDate"]));
});

const everyOperation = contract.operations.map((each) => [each.name, each as Declaration] as const);

test.each(everyOperation)(
  "%s has JSON Schemas without references or noise: a closed input, and open responses",
  (_, each) => {
    const schema = inputJsonSchema(each);
    const fields = callerFields(each);
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    expect(Object.keys(schema.properties ?? {})).toEqual(fields.map(({ name }) => name));
    expect(schema.required ?? []).toEqual(fields.flatMap(({ name, required }) => (required ? [name] : [])));
    for (const key of ["$schema", "anyOf", "oneOf", "allOf"]) expect(schema).not.toHaveProperty([key]);
    const responses = Object.values(each.responses).flatMap((response) =>
      response.kind === "json" ? [responseJsonSchema(response.schema)] : [],
    );
    expect(JSON.stringify([schema, ...responses])).not.toMatch(/"\$ref"|"\$defs"|9007199254740991|"id":"/);
    expect(JSON.stringify(responses)).not.toContain('"additionalProperties":false');
  },
);

/** Returns the fields in a JSON Schema with their descriptions. */
function fieldDescriptions(schema: unknown): [name: string, text: unknown][] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as { properties?: Record<string, { description?: string }> };
  const own = Object.entries(properties).map(([name, field]): [string, unknown] => [name, field.description]);
  return [...own, ...Object.values(schema).flatMap(fieldDescriptions)];
}

test("every field of every response and error body is described in one or two sentences", () => {
  const bodies = everyOperation.flatMap(([, { responses, errors }]) => [
    ...Object.values(responses).flatMap((each) => (each.kind === "json" ? [each.schema] : [])),
    ...Object.values(errors).flatMap((each) => errorBody(each) ?? []),
  ]);
  const fields = bodies.flatMap((body) => fieldDescriptions(responseJsonSchema(body)));
  expect(fields.length).toBeGreaterThan(250);
  const isSentence = (text: unknown) =>
    typeof text === "string" && /^[^.].*\.$/.test(text) && text.split(/\.(?= |$)/).length <= 3;
  expect(fields.filter(([, text]) => !isSentence(text))).toEqual([]);
});

// ---- OpenAPI

const run = promisify(execFile);
/** Runs the command, because jest cannot load the ES module. */
const validator = join(__dirname, "../../../node_modules/.bin/validate-api");

const document = openApiDocument(contract, { version: "1.2.3" });

interface Described {
  operationId: string;
  description: string;
  servers: { url: string }[];
  security: object[];
  parameters: { name: string; in: string; required: boolean; [key: string]: unknown }[];
  requestBody?: { content: Record<string, { schema: { $ref?: string } }> };
  responses: Record<string, { description: string; content?: object; headers?: object }>;
  [extension: `x-${string}`]: unknown;
}

const describedParts = (from = document): Described[] =>
  Object.values(from.paths).flatMap((atPath) => Object.values(atPath) as Described[]);

const find = (name: string) => describedParts().find(({ operationId }) => operationId === name)!;

test("is valid OpenAPI 3.1", async () => {
  const path = join(await tempFolder(), "openapi.json");
  await writeFile(path, JSON.stringify(document));
  const { stdout } = await run(process.execPath, [validator, path]);
  expect(JSON.parse(stdout)).toEqual({ valid: true });
});

test("describes each declared operation once, under its own name, path and method", () => {
  expect(new Set(describedParts().map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const { name, path, method } of operations)
    expect(document.paths[path]).toHaveProperty(
      method.toLowerCase(),
      expect.objectContaining({ operationId: name }),
    );
});

test("contains every documented status with its description", () => {
  for (const declared of operations) {
    const { responses } = find(declared.name);
    const statuses = [...Object.keys(declared.responses), ...Object.keys(declared.errors)];
    expect(Object.keys(responses).toSorted()).toEqual(statuses.toSorted());
  }
  expect(find("trades.book").responses[409]).toEqual({
    description: "There is a conflict that you can correct; see the error details.",
    content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorMessage" } } },
  });
});

test("resolves every reference to a schema", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(0);
  for (const [, name] of references) expect(document.components.schemas).toHaveProperty([name!]);
  expect(JSON.stringify(document)).not.toContain("$defs");
});

test("lists every encoding of a body, and requires the document in a form", () => {
  const { content } = find("payments.initiate").requestBody!;
  expect(Object.keys(content)).toHaveLength(4);
  const required = ["xml_sct", "json_standingorderType"];
  expect(content["multipart/form-data"]!.schema).toMatchObject({ required });
});

test("declares the encoding of query arrays, and parameters that the caller does not fill", () => {
  const { parameters } = find("trades.list");
  const named = (wanted: string) => parameters.find(({ name }) => name === wanted);
  expect(named("trade_type")).toMatchObject({ in: "query", style: "form", explode: false });
  expect(named("client_id")).toMatchObject({ required: true, "x-fxdesk-filled-by": "connection" });
});

test("lists required and optional credentials", () => {
  expect(find("trades.list").security).toEqual([
    { accessToken: [], apiKey: [], contactId: [] },
    { accessToken: [], apiKey: [] },
  ]);
});

test("uses server templates unless addresses are given", () => {
  expect(find("trades.list").servers[0]!.url).toBe("https://{environment}.{domain}");
  const local = openApiDocument(contract, { version: "1", servers: { service: "http://127.0.0.1:8080/" } });
  const trades = describedParts(local).find(({ operationId }) => operationId === "trades.list");
  expect(trades!.servers).toEqual([{ url: "http://127.0.0.1:8080" }]);
});
