/** Kinds and metadata of schemas, as used by forms, tools and command lines. */
import { z } from "zod";
import {
  defaultOf,
  elementOf,
  isRequired,
  type Kind,
  kindOf,
  metaOf,
  openEnum,
  optionsOf,
  unwrap,
} from "../../../core/values";

const kinds: [Kind, z.ZodType][] = [
  ["string", z.string()],
  ["string", z.enum(["a", "b"])],
  ["string", z.literal("a")],
  ["string", openEnum(["a", "b"])],
  ["integer", z.int()],
  ["number", z.number()],
  ["boolean", z.boolean()],
  ["array", z.array(z.string())],
  ["object", z.object({})],
  ["object", z.looseObject({})],
  ["object", z.record(z.string(), z.string())],
  ["unknown", z.unknown()],
];

const wrappings: ((schema: z.ZodType) => z.ZodType)[] = [
  (schema) => schema,
  (schema) => schema.optional(),
  (schema) => schema.nullish(),
  (schema) => schema.readonly(),
  (schema) => schema.meta({ title: "Title" }).optional().meta({ description: "Text." }),
];

test.each(kinds)("finds the kind %s inside any wrapper (case %#)", (kind, schema) => {
  for (const wrap of wrappings) expect(kindOf(wrap(schema))).toBe(kind);
});

test("returns kind and default of a schema with a default", () => {
  const schema = z.int().default(50).meta({ title: "Page size" });
  expect([kindOf(schema), defaultOf(schema), isRequired(schema)]).toEqual(["integer", 50, false]);
  expect(defaultOf(z.boolean().default(false))).toBe(false);
  expect(defaultOf(z.int())).toBeUndefined();
});

test("distinguishes required from optional schemas", () => {
  expect([z.string(), z.string().nullable(), z.literal("a")].map(isRequired)).toEqual([true, true, true]);
  expect([z.string().optional(), z.string().nullish()].map(isRequired)).toEqual([false, false]);
});

test("returns the options of closed enumerations only", () => {
  expect(optionsOf(z.enum(["a", "b"]).optional())).toEqual(["a", "b"]);
  expect(optionsOf(z.literal(["a", "b"]))).toEqual(["a", "b"]);
  expect(optionsOf(z.literal(1))).toBeUndefined();
  expect(optionsOf(openEnum(["a", "b"]))).toBeUndefined();
  expect(optionsOf(z.string())).toBeUndefined();
});

test("returns the item schema of an array", () => {
  const item = z.int();
  expect(elementOf(z.array(item).optional())).toBe(item);
  expect(elementOf(z.string())).toBeUndefined();
  expect(unwrap(z.array(item).default([])).type).toBe("array");
});

test("merges metadata from inner to outer schemas", () => {
  const named = z.string().meta({ title: "Inner", description: "Inner text." });
  expect(metaOf(named.optional())).toMatchObject({ title: "Inner", description: "Inner text." });
  expect(metaOf(named.optional().meta({ title: "Outer" }))).toMatchObject({
    title: "Outer",
    description: "Inner text.",
  });
  expect(metaOf(z.string())).toEqual({});
});
