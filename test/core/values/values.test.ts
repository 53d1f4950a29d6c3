/** Values and their schemas: decimals of currencies, times, and kinds and metadata as forms, tools and commands use them. */
import { z } from "zod";
import { hasValidCheckDigits, ibanLengthOf } from "../../../core/values/account-number";
import {
  DateTime,
  defaultOf,
  elementOf,
  isRequired,
  type Kind,
  kindOf,
  metaOf,
  minorUnits,
  openEnum,
  optionsOf,
} from "../../../core/values";

test("check digits find every changed digit and every swap of neighbours", () => {
  const iban = "DE89 3704 0044 0532 0130 00";
  const plain = iban.replaceAll(" ", "");
  const signs = Array.from(plain);
  const changed = signs.flatMap((sign, at) =>
    at < 2
      ? []
      : Array.from("0123456789")
          .filter((digit) => digit !== sign)
          .map((digit) => signs.with(at, digit)),
  );
  const swapped = signs.flatMap((sign, at) =>
    at < 4 || signs[at + 1] === undefined || signs[at + 1] === sign
      ? []
      : [signs.with(at, signs[at + 1]!).with(at + 1, sign)],
  );
  expect(hasValidCheckDigits(iban)).toBe(true);
  expect([...changed, ...swapped].filter((each) => hasValidCheckDigits(each.join("")))).toEqual([]);
  expect(["NO9386011117947", "MT84MALT011000012345MTLCAST001S"].every(hasValidCheckDigits)).toBe(true);
  expect([plain, "NO9386011117947", "US12345678901234567"].map(ibanLengthOf)).toEqual([22, 15, undefined]);
});

test("currencies have the decimals of ISO 4217, unknown ones two", () => {
  expect(["JPY", "UYI", "KWD", "CLF", "UYW"].map(minorUnits)).toEqual([0, 0, 3, 4, 4]);
  expect(["EUR", "HUF", "MGA", "ABC", "toString"].map(minorUnits)).toEqual([2, 2, 2, 2, 2]);
});

test.each<[boolean, string[]]>([
  [
    true,
    [
      "2026-01-31T09:30",
      "2026-01-31T09:30:00",
      "2026-01-31T09:30:00.123456Z",
      "2026-01-31T09:30:00+01:00",
      "2026-01-31T09:30:00-0500",
    ],
  ],
  [
    false,
    [
      "2026-01-31",
      "2026-01-31T9:30",
      "2026-01-31T25:00:00Z",
      "2026-02-30T09:30:00Z",
      "2026-01-31T09:30:00Z or so",
      "2026-01-31T09:30:00+99:00",
      "21 Nov 2026 10:00:00 GMT",
    ],
  ],
])("a date and time of ISO 8601: %s", (isValid, texts) => {
  for (const text of texts) expect([text, DateTime.safeParse(text).success]).toEqual([text, isValid]);
});

const kinds: [Kind, z.ZodType][] = [
  ["string", z.string()],
  ["string", z.enum(["a", "b"])],
  ["string", z.literal("a")],
  ["string", openEnum(["a", "b"])],
  ["integer", z.int()],
  ["number", z.number()],
  ["boolean", z.boolean()],
  ["array", z.array(z.string())],
  ["object", z.looseObject({})],
  ["object", z.record(z.string(), z.string())],
  ["unknown", z.unknown()],
];

test.each(kinds)("finds the kind %s inside any wrapper (case %#)", (kind, schema) => {
  const wrapped = schema.meta({ title: "Title" }).optional().meta({ description: "Text." });
  for (const each of [schema, schema.optional(), schema.nullish(), schema.readonly(), wrapped])
    expect(kindOf(each)).toBe(kind);
  expect(metaOf(wrapped)).toMatchObject({ title: "Title", description: "Text." });
  expect(metaOf(wrapped.meta({ title: "Outer" }))).toMatchObject({ title: "Outer", description: "Text." });
});

test("reads defaults, requirement, options and items", () => {
  const size = z.int().default(50).meta({ title: "Page size" });
  expect([kindOf(size), defaultOf(size), isRequired(size)]).toEqual(["integer", 50, false]);
  expect([z.string().nullable(), z.string().optional(), z.string().nullish()].map(isRequired)).toEqual([
    true,
    false,
    false,
  ]);
  expect([z.enum(["a", "b"]).optional(), z.literal(["a", "b"])].map(optionsOf)).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
  expect([z.literal(1), openEnum(["a", "b"]), z.string()].flatMap((each) => optionsOf(each) ?? [])).toEqual(
    [],
  );
  expect(elementOf(z.array(size).optional())).toBe(size);
});
