/** A declaration is plain data that does not contradict itself. */
import { z } from "zod";
import { declarationsOf } from "../../../core/declaration/service";
import { fxdeskService } from "../../../core/service";
import { byConnection, type Declaration, empty, json, operation, operations } from "../../../core/operations";

const sound = {
  name: "pets.list",
  tool: "list_pets",
  title: "List pets",
  summary: "Lists pets.",
  effect: "read",
  method: "GET",
  path: "/owners/{owner_id}/pets",
  server: "service",
  credentials: [],
  parameters: { owner_id: z.string() },
  query: { page: z.int(), page_size: z.int(), after: z.string().optional(), before: z.string().optional() },
  headers: { "X-Kind": byConnection(z.string()) },
  responses: { 200: json(z.array(z.string()), "Pets.") },
  errors: { 404: "No such owner." },
  contract: "0",
} satisfies Declaration;

test("a sound declaration is kept as it is, frozen", () => {
  expect(operation(sound)).toBe(sound);
  expect(Object.isFrozen(sound)).toBe(true);
});

/** An operation whose outcome can be found. */
const recovered = {
  effect: "money",
  method: "POST",
  responses: { 201: json(z.object({ id: z.string() }), "Bought.") },
  identifiedBy: "id",
  lookup: "pets.list",
  recovery: {
    kind: "listed",
    reference: "after",
    entry: { reference: "tag", day: "bought_on", identity: "id" },
  },
} as const satisfies Partial<Declaration>;

test("an outcome that can be found is looked for by a field of the caller's", () => {
  expect(operation({ ...sound, ...recovered }).recovery).toBe(recovered.recovery);
});

const contradictions: [string, Partial<Declaration>][] = [
  ["a name reads section.method", { name: "pets" }],
  ["path parameter owner_id has no schema", { parameters: {} }],
  ["kind is not in the path", { parameters: { owner_id: z.string(), kind: z.string() } }],
  ["two fields are called after", { body: z.object({ after: z.string() }) }],
  ["two fields are called owner_id", { query: { owner_id: z.string() } }],
  [
    "there is no field until",
    { rules: [{ kind: "ordered", fields: ["after", "until"], description: "In order." }] },
  ],
  ["there is no field colour", { labelFields: ["colour"] }],
  ["no JSON response has a field id", { identifiedBy: "id" }],
  ["no JSON response has a field toString", { identifiedBy: "toString" }],
  ["the caller gives no field quote_id", { singleUseField: "quote_id" }],
  ["the caller gives no field X-Kind", { singleUseField: "X-Kind" }],
  ["the caller gives no field tag", { generates: { tag: "reference" } }],
  [
    "owner_ref is made where it is left out, and it must not be",
    {
      query: { ...sound.query, owner_ref: z.string() },
      generates: { owner_ref: "reference" },
    },
  ],
  ["the caller gives no field tag", { ...recovered, recovery: { ...recovered.recovery, reference: "tag" } }],
  ["there is no lookup to find it in", { ...recovered, lookup: undefined! }],
  ["nothing identifies what is found", { ...recovered, identifiedBy: undefined! }],
  ["only what commits money is recovered", { ...recovered, effect: "change" }],
  ["there is no field limit", { pages: { page: "page", size: "limit", defaultSize: 50 } }],
  [
    "only an operation whose effect is read has pages; the effect is change",
    { effect: "change", method: "POST", pages: { page: "page", size: "page_size", defaultSize: 50 } },
  ],
  [
    "only an operation whose effect is read has pages; the effect is money",
    { effect: "money", linkedPages: { entries: ["transactions"], next: "_links.next" } },
  ],
];

test.each(contradictions)("refuses a contradiction: %s", (violation, part) => {
  expect(() => operation({ ...sound, ...part })).toThrow(
    new TypeError(`${part.name ?? sound.name}: ${violation}`),
  );
});

test("what identifies a call is a field of any JSON response, what it spends a field of the input", () => {
  const responses = { 200: empty("Taken."), 202: json(z.object({ id: z.string() }), "Begun.") };
  const declared = {
    ...sound,
    responses,
    identifiedBy: "id",
    lookup: "pets.list",
    singleUseField: "owner_id",
  };
  expect(operation(declared)).toBe(declared);
});

test.each([
  "",
  "pets",
  "//example.com/pets",
  "https://example.com/pets",
  "/a//b",
  "/https://example.com",
  "/a/../b",
  "/..",
  "/a/%2E%2e/b",
  "/a%2fb",
  "/a\\b",
  "/pets?kind=cat",
  "/pets#first",
  "/my pets",
  "/pets\n",
  "/pets\r\nHost: example.com",
  "/pets\u0000",
  "/pets\u2028",
  "/p\ud800ts",
])("refuses the path %j", (path) => {
  expect(() => operation({ ...sound, path, parameters: {} })).toThrow(
    new TypeError(
      "pets.list: a path begins with one slash and holds no way out of it, no query and no white space",
    ),
  );
});

test.each(["/", "/pets", "/pets/", "/v1/pets:find/a.b_c~d", "/pets/%20"])("takes the path %s", (path) => {
  expect(operation({ ...sound, path, parameters: {} }).path).toBe(path);
});

/** Everything in a value that is neither plain data nor a schema, by path. */
function findNonPlainValues(value: unknown, path: string): string[] {
  if (value instanceof z.ZodType || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => findNonPlainValues(item, `${path}.${index}`));
  if (typeof value !== "object") return typeof value === "function" ? [path] : [];
  if (Object.getPrototypeOf(value) !== Object.prototype) return [path];
  return Object.entries(value).flatMap(([key, inner]) => findNonPlainValues(inner, `${path}.${key}`));
}

test("the declarations are plain data and schemas, to the last leaf", () => {
  expect(operations.flatMap((declared) => findNonPlainValues(declared, declared.name))).toEqual([]);
});

test("titles and descriptions are short: a sentence, a second about a neighbour, and a note", () => {
  for (const { name, title, summary, notes = "" } of declarationsOf(fxdeskService)) {
    expect(`${name}: ${title}`).toMatch(/: [A-Z][^.]{3,50}$/);
    expect(`${name}: ${summary}`).toMatch(/: [A-Z].*\.$/);
    const [first, ...more] = summary.split(/(?<=\.) (?=[A-Z])/);
    expect([name, first!.split(" ").length <= 25, more.length <= 1]).toEqual([name, true, true]);
    expect([name, notes.split(/(?<=\.) (?=[A-Z])/)]).toEqual([name, [notes]]);
  }
});
