/** Declarations are plain data and are checked for contradictions. */
import { z } from "zod";
import { declarationsOf } from "../../../core/spec/service";
import { fxdeskService } from "../../../core/client/fxdesk-service";
import { byConnection, type Declaration, json, operations } from "../../../core/operations";
import { declare } from "../support/declare";

const sound = {
  name: "pets.list",
  path: "/owners/{owner_id}/pets",
  parameters: { owner_id: z.string() },
  query: { page: z.int(), page_size: z.int(), after: z.string().optional(), before: z.string().optional() },
  headers: { "X-Kind": byConnection(z.string()) },
} satisfies Partial<Declaration>;

test("freezes a declaration", () => {
  expect(Object.isFrozen(declare(sound))).toBe(true);
});

/** An operation whose outcome can be recovered from a list. */
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

test("accepts a recovery by a field of the caller", () => {
  expect(declare({ ...sound, ...recovered }).recovery).toBe(recovered.recovery);
});

const contradictions: [string, Partial<Declaration>][] = [
  ["the name must have the form section.method", { name: "pets" }],
  ["path parameter owner_id has no schema", { parameters: {} }],
  ["parameter kind is not in the path", { parameters: { owner_id: z.string(), kind: z.string() } }],
  ["two fields have the name after", { body: z.object({ after: z.string() }) }],
  ["two fields have the name owner_id", { query: { owner_id: z.string() } }],
  [
    "there is no field until",
    { rules: [{ kind: "ordered", fields: ["after", "until"], description: "In order." }] },
  ],
  ["there is no field colour", { labelFields: ["colour"] }],
  ["identifiedBy: no JSON response has a field id", { identifiedBy: "id" }],
  ["there is no input field quote_id", { singleUseField: "quote_id" }],
  ["there is no input field tag", { generates: { tag: "reference" } }],
  [
    "owner_ref is generated if omitted, so it must be optional",
    {
      query: { ...sound.query, owner_ref: z.string() },
      generates: { owner_ref: "reference" },
    },
  ],
  ["there is no input field tag", { ...recovered, recovery: { ...recovered.recovery, reference: "tag" } }],
  ["recovery by list requires a lookup", { ...recovered, lookup: undefined! }],
  ["recovery requires the effect money", { ...recovered, effect: "change" }],
  ["there is no field limit", { pages: { page: "page", size: "limit", defaultSize: 50 } }],
  [
    "paging requires the effect read, but the effect is change",
    { effect: "change", method: "POST", pages: { page: "page", size: "page_size", defaultSize: 50 } },
  ],
];

test.each(contradictions)("refuses a contradiction: %s", (violation, part) => {
  expect(() => declare({ ...sound, ...part })).toThrow(
    new TypeError(`${part.name ?? sound.name}: ${violation}`),
  );
});

test("refuses paths that could leave the base address", () => {
  const invalid = [
    "",
    "pets",
    "//example.com/pets",
    "https://example.com/pets",
    "/a//b",
    "/a/../b",
    "/..",
    "/a/%2E%2e/b",
    "/a%2fb",
    "/a\\b",
    "/pets?kind=cat",
    "/pets#first",
    "/my pets",
    "/pets\r\nHost: example.com",
    "/pets\u0000",
    "/p\ud800ts",
  ];
  const isRefused = (path: string) => {
    try {
      declare({ ...sound, path, parameters: {} });
      return false;
    } catch {
      return true;
    }
  };
  expect(invalid.filter((path) => !isRefused(path))).toEqual([]);
  expect(["/", "/pets", "/pets/", "/v1/pets:find/a.b_c~d", "/pets/%20"].filter(isRefused)).toEqual([]);
});

/** Returns the paths of all values that are neither plain data nor a schema. */
function findNonPlainValues(value: unknown, path: string): string[] {
  if (value instanceof z.ZodType || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => findNonPlainValues(item, `${path}.${index}`));
  if (typeof value !== "object") return typeof value === "function" ? [path] : [];
  if (Object.getPrototypeOf(value) !== Object.prototype) return [path];
  return Object.entries(value).flatMap(([key, inner]) => findNonPlainValues(inner, `${path}.${key}`));
}

test("the declarations of the contract consist of plain data and schemas only", () => {
  expect(operations.flatMap((declared) => findNonPlainValues(declared, declared.name))).toEqual([]);
});

test("titles are short, summaries have at most two sentences, and notes one", () => {
  for (const { name, title, summary, notes = "" } of declarationsOf(fxdeskService)) {
    expect(`${name}: ${title}`).toMatch(/: [A-Z][^.]{3,50}$/);
    expect(`${name}: ${summary}`).toMatch(/: [A-Z].*\.$/);
    const [first, ...more] = summary.split(/(?<=\.) (?=[A-Z])/);
    expect([name, first!.split(" ").length <= 25, more.length <= 1]).toEqual([name, true, true]);
    expect([name, notes.split(/(?<=\.) (?=[A-Z])/)]).toEqual([name, [notes]]);
  }
});
