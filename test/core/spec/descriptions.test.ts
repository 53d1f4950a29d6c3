/** Every field of every response and error body has a description. */
import { z } from "zod";
import { contract, type Declaration, errorBody, json, operation } from "../../../core/operations";
import type { JsonSchema } from "../../../core/spec/json-schema";
import { SchemaCollection } from "../../../core/openapi/schema-collection";

/** A field or a named resource that needs a description. */
interface Subject {
  readonly path: string;
  readonly name: string;
  readonly description: string;
}

type Named = Readonly<Record<string, JsonSchema>>;

/** Returns the schemas of all documented bodies of an operation, by status. */
const bodiesOf = ({ name, responses, errors }: Declaration): [string, z.ZodType][] => [
  ...Object.entries(responses).flatMap(([status, response]): [string, z.ZodType][] =>
    response.kind === "json" ? [[`${name} ${status}`, response.schema]] : [],
  ),
  ...Object.entries(errors).flatMap(([status, failure]): [string, z.ZodType][] => {
    const body = errorBody(failure);
    return body ? [[`${name} ${status}`, body]] : [];
  }),
];

/** A field with a named schema may use the description of the schema. */
function subject(path: string, name: string, schema: JsonSchema, named: Named): Subject {
  const { $ref } = schema;
  const target = typeof $ref === "string" ? named[$ref.replace("#/components/schemas/", "")] : {};
  const { description = "" } = { ...target, ...schema } as Partial<Subject>;
  return { path, name, description };
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null;

/** Returns the unnamed inner schemas: items, alternatives, values of a record. */
const innerOf = ({
  items,
  additionalProperties,
  anyOf,
  oneOf,
  allOf,
  prefixItems,
}: JsonSchema): JsonSchema[] =>
  [items, additionalProperties, anyOf, oneOf, allOf, prefixItems].flat().filter(isSchema);

function fieldsIn(schema: JsonSchema, path: string, named: Named): Subject[] {
  const fields = Object.entries((schema.properties ?? {}) as Named);
  return [
    ...fields.flatMap(([name, field]) => [
      subject(`${path}.${name}`, name, field, named),
      ...fieldsIn(field, `${path}.${name}`, named),
    ]),
    ...innerOf(schema).flatMap((inner) => fieldsIn(inner, path, named)),
  ];
}

/** Returns everything in the documented bodies that needs a description. */
function subjectsOf(operations: readonly Declaration[]): Subject[] {
  const schemas = new SchemaCollection();
  const bodies = operations
    .flatMap(bodiesOf)
    .map(([path, schema]) => [path, schemas.register(schema)] as const);
  const named = schemas.components();
  return [
    ...Object.entries(named).map(([name, schema]) => subject(name, name, schema, named)),
    ...[...bodies, ...Object.entries(named)].flatMap(([path, schema]) => fieldsIn(schema, path, named)),
  ];
}

const findUndescribed = (subjects: readonly Subject[]): string[] =>
  subjects.flatMap(({ path, description }) => (description === "" ? [path] : []));

/** True for one or two sentences, each with a full stop. */
const isSentence = (text: string): boolean => /^[^.].*\.$/.test(text) && text.split(/\.(?= |$)/).length <= 3;

const findMisworded = (subjects: readonly Subject[]): string[] =>
  subjects
    .filter((each) => each.description && !isSentence(each.description))
    .map(({ path, description }) => `${path}: ${description}`);

describe.each(Object.keys(contract.servers))("the responses of %s", (server) => {
  const subjects = subjectsOf(contract.operations.filter((each) => each.server === server));

  test("contain fields", () => {
    expect(subjects.length).toBeGreaterThan(100);
  });

  test("describe every field and every named resource", () => {
    expect(findUndescribed(subjects)).toEqual([]);
  });

  test("use one or two sentences per description", () => {
    expect(findMisworded(subjects)).toEqual([]);
  });
});

const operationReturning = (schema: z.ZodType, body: z.ZodType) =>
  operation({
    name: "pets.get",
    tool: "get_pet",
    title: "Get pet",
    summary: "Returns a pet.",
    effect: "read",
    method: "GET",
    path: "/pets",
    server: "service",
    credentials: [],
    responses: { 200: json(schema, "The pet.") },
    errors: { 400: ["No.", body], 404: "No pet." },
    contract: "0",
  });

const bare = (name: string) => z.object({ [name]: z.string() });
const described = { description: "Something that is described." };

test("finds missing descriptions at every depth", () => {
  const Owner = bare("name").meta({ id: "DescribedOwner" });
  const Vet = bare("name").meta({ ...described, id: "DescribedVet" });
  const pet = z.object({
    scalar: z.string(),
    fine: z.string().optional().meta(described),
    within: z.string().meta(described).optional(),
    optional: bare("a").optional().meta(described),
    nullable: bare("b").nullable().meta(described),
    usual: z.object({ c: z.string() }).default({ c: "" }).meta(described),
    list: z.array(z.array(bare("d"))).meta(described),
    either: z.union([bare("e"), z.string()]).meta(described),
    record: z.record(z.string(), bare("f")).meta(described),
    lazy: z.lazy(() => bare("g")).meta(described),
    owner: Owner.nullish(),
    vet: Vet.optional(),
  });
  expect(findUndescribed(subjectsOf([operationReturning(z.array(pet), bare("reason"))])).toSorted()).toEqual([
    "DescribedOwner",
    "DescribedOwner.name",
    "DescribedVet.name",
    "pets.get 200.either.e",
    "pets.get 200.lazy.g",
    "pets.get 200.list.d",
    "pets.get 200.nullable.b",
    "pets.get 200.optional.a",
    "pets.get 200.owner",
    "pets.get 200.record.f",
    "pets.get 200.scalar",
    "pets.get 200.usual.c",
    "pets.get 400.reason",
  ]);
});

test.each([
  ["shoe_size", "Size of the shoes", 1],
  ["shoe_size", "One sentence. A second. A third.", 1],
  ["shoe_size", "Size of the shoes, such as 41.5 in Europe. Absent where there are none.", 0],
])("%s: %s", (name, description, flaws) => {
  const subjects = [{ path: name, name, description }];
  expect(findMisworded(subjects)).toHaveLength(flaws);
});
