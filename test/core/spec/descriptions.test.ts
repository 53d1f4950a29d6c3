/** The description and the JSON Schemas of operations, from which all surfaces render their texts. */
import { z } from "zod";
import { callerFields, contract, type Declaration, json } from "../../../core/operations";
import { callerFieldDocs, introduction, describeOperation } from "../../../core/spec/describe-operation";
import { responseJsonSchema, inputJsonSchema } from "../../../core/spec/json-schema";
import { errorBody } from "../../../core/spec/operation";
import { operationNamed } from "../../support/operations";
import { declare } from "../support/declare";
import { openEnum } from "../../../core/values/values";

const Problem = z.object({ why: z.string().meta({ description: "What was wrong." }) });

const declared = declare({
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

const doc = describeOperation(declared);

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
  const bodies = describeNamed("payments.initiate").request.bodies.map(({ mediaType, fields }) => [
    mediaType,
    fields,
  ]);
  expect(bodies.map(([mediaType]) => mediaType)).toEqual([
    "application/json",
    "application/xml",
    "text/xml",
    "multipart/form-data",
  ]);
  expect(bodies[0]![1]).toContain("instructedAmount");
  expect(bodies[1]![1]).toEqual(["pain001"]);
  expect(bodies[3]![1]).toEqual(expect.arrayContaining(["pain001", "startDate"]));
});

test("lists the paths of linked pages", () => {
  const [response] = describeNamed("openBanking.listTransactions").responses;
  const { paths, fields } = response!.body!.entries!;
  expect(paths).toContain("transactions.booked");
  expect(fields.map(({ path }) => path)).toContain("transactionAmount.amount");
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
