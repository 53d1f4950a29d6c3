/** JSON Schemas of inputs and responses. */
import { z } from "zod";
import {
  callerFields,
  type Declaration,
  errorBody,
  json,
  operation,
  operations,
} from "../../../core/operations";
import { responseJsonSchema, inputJsonSchema } from "../../../core/spec/json-schema";

const declared: readonly Declaration[] = operations;
const everyOperation = declared.map((declaration) => [declaration.name, declaration] as const);

const text = (schema: unknown) => JSON.stringify(schema);

describe.each(everyOperation)("%s", (_, declaration) => {
  const schema = inputJsonSchema(declaration);

  test("describes the input as one closed object of the caller's fields", () => {
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    expect(Object.keys(schema.properties ?? {})).toEqual(callerFields(declaration).map(({ name }) => name));
    expect(schema.required ?? []).toEqual(
      callerFields(declaration).flatMap(({ name, required }) => (required ? [name] : [])),
    );
  });

  test("describes the input without references, top-level combinators or noise", () => {
    for (const key of ["$schema", "$defs", "$ref", "anyOf", "oneOf", "allOf"])
      expect(schema).not.toHaveProperty([key]);
    expect(text(schema)).not.toMatch(/"\$ref"|"\$defs"|9007199254740991|"id":"/);
  });

  test("describes responses as open objects without references", () => {
    for (const response of Object.values(declaration.responses)) {
      if (response.kind !== "json") continue;
      const described = text(responseJsonSchema(response.schema));
      expect(described).not.toMatch(/"additionalProperties":false|"\$ref"|"\$defs"|9007199254740991/);
    }
  });

  test("describes error bodies", () => {
    for (const body of Object.values(declaration.errors).flatMap((failure) => errorBody(failure) ?? []))
      expect(responseJsonSchema(body)).toHaveProperty("properties");
  });
});

const Animal = z.object({ name: z.string() }).meta({ id: "Animal" });

const feed = operation({
  name: "animals.feed",
  tool: "feed_animal",
  title: "Feed animal",
  summary: "Feeds an animal.",
  effect: "change",
  method: "POST",
  path: "/meals",
  server: "service",
  credentials: [],
  body: z.object({ first: Animal, second: Animal.optional(), grams: z.int().min(1) }),
  responses: { 200: json(z.array(Animal), "Those that were fed.") },
  errors: {},
  contract: "0",
});

test("inlines named schemas", () => {
  const animal = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  expect(inputJsonSchema(feed)).toEqual({
    type: "object",
    properties: { first: animal, second: animal, grams: { type: "integer", minimum: 1 } },
    required: ["first", "grams"],
    additionalProperties: false,
  });
  expect(responseJsonSchema(feed.responses[200].schema)).toEqual({ type: "array", items: animal });
});

test("memoizes the schema per operation", () => {
  expect(inputJsonSchema(feed)).toBe(inputJsonSchema(feed));
});
