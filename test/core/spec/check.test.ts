/** Violations of inputs: invalid values, values that cannot be encoded, and rules over several fields. */
import { z } from "zod";
import { byConnection, checkInput, checkRequest, type Values } from "../../../core/operations";
import { checkFilledFields } from "../../../core/spec/check";
import { normalizeInput } from "../../../core/call/normalize-input";
import { inputViolations } from "../../support/operations";
import { declare } from "../support/declare";

const now = new Date("2026-01-31T12:00:00Z");

const order = declare({
  effect: "change",
  method: "POST",
  path: "/orders/{id}",
  parameters: { id: z.string() },
  query: {
    filter: z.unknown().optional(),
    text: z.string().optional(),
    desk: byConnection(z.string().optional()),
    side: z
      .enum(["buy", "sell"])
      .optional()
      .meta({ alsoSpelled: new Map([["BUY", "buy"]]) }),
  },
  headers: { "X-Note": z.string().optional() },
  body: z.object({
    loose: z.unknown().optional(),
    lines: z.array(z.looseObject({ item: z.string() })).optional(),
    count: z.int().optional(),
  }),
});

const violations = (values: Values) => checkInput(order, { id: "1", ...values }, now);

const circularValue: Record<string, unknown> = { inner: {} };
circularValue.inner = { circle: circularValue };

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

const throwingProxy = (trap: object) =>
  new Proxy(
    {},
    new Proxy(trap, {
      get: () => () => {
        throw new URIError("not to be seen");
      },
    }),
  );

class Money {
  readonly #amount = "1.00";
  get amount() {
    return this.#amount;
  }
}

const surrogate = "must not contain a lone surrogate";
const notData = "must be plain JSON data";

test.each<[field: string, message: string, values: Values]>([
  ["id", surrogate, { id: "a\ud800" }],
  ["text", surrogate, { text: "\udc00" }],
  ["X-Note", surrogate, { "X-Note": "\ud83d" }],
  ["filter.1", surrogate, { filter: ["a", "\ud83d"] }],
  ["loose.a.1", surrogate, { loose: { a: ["", "\ud800"] } }],
  ["loose", "must not contain a field name with a lone surrogate", { loose: { "\ud800": 1 } }],
  ["lines.1.more", "must not be a BigInt", { lines: [{ item: "a" }, { item: "b", more: 1n }] }],
  ["loose", "must not be a BigInt", { loose: 1n }],
  ["count", "must be a finite number, not NaN", { count: NaN }],
  ["loose", "must not be a function", { loose: () => 1 }],
  ["loose.a", "must not be a symbol", { loose: { a: Symbol("a") } }],
  ["loose.0", "must have a value", { loose: [undefined] }],
  ["loose.inner.circle", "must not contain itself", { loose: circularValue }],
  ["loose.a.a.a.a.a.a.a", "must have at most 64 levels", { loose: nested(64) }],
  ["loose", notData, { loose: new Map([[1, 2]]) }],
  ["loose.money", notData, { loose: { money: new Money() } }],
  ["loose", "cannot be read", { loose: throwingProxy({}) }],
  ["lines", "cannot be read", { lines: [throwingProxy({})] }],
  ["filter", "must be text, a number, true or false, or a list of these", { filter: { a: 1 } }],
])("%s %s (%#)", (field, message, values) => {
  expect(violations(values)).toEqual([{ field, message }]);
});

test("accepts values that can be encoded", () => {
  const shared = { a: 1 };
  const values = {
    text: "€ 中 😀 \u0000",
    filter: ["a", 1, true],
    loose: {
      shared: [shared, shared],
      none: null,
      left: undefined,
      bare: Object.assign(Object.create(null), { a: -0 }),
      deep: nested(62),
    },
    lines: [{ item: "a", more: [] }],
  };
  expect(violations(values)).toEqual([]);
});

const throwing = (name: string) =>
  Object.defineProperty({ id: "1", side: "BUY" }, name, {
    enumerable: true,
    get: () => {
      throw new TypeError("not to be seen");
    },
  }) as Values;

test.each(["id", "text", "side", "loose", "lines"])("names the field %s if reading it throws", (name) => {
  const values = normalizeInput(order, throwing(name));
  expect(checkInput(order, values, now)).toEqual([{ field: name, message: "cannot be read" }]);
});

test.each<[input: unknown, message: string]>([
  [1n, "must not be a BigInt"],
  ["\ud800", surrogate],
  [throwingProxy({}), "cannot be read"],
])("refuses an input that is not an object (%#)", (input, message) => {
  expect(checkInput(order, input, now)[0]).toMatchObject({ message });
});

test("checks received requests and the connection's values as well", () => {
  expect(checkRequest(order, { id: "1", loose: { a: "\ud800" } }, now)).toEqual([
    { field: "loose.a", message: surrogate },
  ]);
  expect(checkFilledFields(order, { desk: "\ud800" })).toEqual([{ field: "desk", message: surrogate }]);
});

test("rethrows an error of the schema itself", () => {
  const broken = declare({
    path: "/orders/{id}",
    parameters: { id: z.string() },
    effect: "change",
    method: "POST",
    body: z.object({
      loose: z.unknown().refine(() => {
        throw new Error("a mistake of ours");
      }),
    }),
  });
  expect(() => checkInput(broken, { id: "1", loose: 1 }, now)).toThrow("a mistake of ours");
});

const numberOrText = z.union([z.number().positive(), z.string().regex(/^\d+$/, "must be digits")]);

test.each<[schema: z.ZodType, value: unknown, message: string]>([
  [z.number().positive(), 0, "must be more than 0, not 0"],
  [z.number().nonnegative(), -1, "must be at least 0, not -1"],
  [z.number().lt(5), 5, "must be less than 5, not 5"],
  [z.number().max(5), 6, "must be at most 5, not 6"],
  [z.string().min(2), "a", 'must have at least 2 characters, not "a"'],
  [z.string().length(3), "a", 'must have exactly 3 characters, not "a"'],
  [z.array(z.int()).max(1), [1, 2], "must have at most 1 entries, not [1,2]"],
  [numberOrText, undefined, "is required"],
  [numberOrText, 0, "must be more than 0, not 0"],
  [numberOrText, "x", 'must be digits, not "x"'],
  [numberOrText, true, "must be a number or must be a string, not true"],
  [z.enum(["a", "b"]), undefined, "is required: one of a, b"],
])("case %#", (schema, value, message) => {
  const taking = declare({ effect: "change", method: "POST", body: z.object({ value: schema }) });
  expect(checkInput(taking, value === undefined ? {} : { value }, now)).toEqual([
    { field: "value", message },
  ]);
});

// ---- Rules over several fields, on 31 January 2026

const account = "8f3b1c52-6d0e-4a57-9c11-2b7e90d4a6f1";

interface Case {
  readonly operation: string;
  readonly fields: string;
  readonly valid: readonly object[];
  readonly broken: readonly object[];
}

const ordered = (operation: string, from: string, to: string, rest: object = {}): Case => {
  const time = from.endsWith("time") ? "T00:00" : "";
  const range = (first: string, last: string) => ({ ...rest, [from]: first + time, [to]: last + time });
  return {
    operation,
    fields: `${from}, ${to}`,
    valid: [range("2025-12-31", "2026-01-01"), range("2026-01-31", "2026-01-31")],
    broken: [range("2026-01-02", "2026-01-01"), range("2026-01-01", "2025-12-31")],
  };
};

const dates = (...texts: readonly string[]) => texts.map((date_from) => ({ date_from }));

const cases: readonly Case[] = [
  {
    operation: "accountDetails.list",
    fields: "alias",
    valid: [{ alias: "Payroll" }, { alias: "Payroll", account_details_type: "dedicated" }],
    broken: [{ alias: "Payroll", account_details_type: "pooled" }],
  },
  {
    operation: "accounts.getFunding",
    fields: "currency, account_id",
    valid: [{ currency: "EUR" }, { account_id: account }],
    broken: [{}, { currency: "EUR", account_id: account }],
  },
  ordered("statements.createFile", "from_value_datetime", "to_value_datetime", { account_id: account }),
  ordered("statements.emailAccounts", "date_from", "date_to"),
  ordered("statements.emailMt940", "date_from", "date_to"),
  ordered("statements.emailIncomingFunds", "date_from", "date_to"),
  ordered("transactions.list", "from_value_datetime", "to_value_datetime", { account_id: account }),
  {
    operation: "statements.emailTrades",
    fields: "date_from",
    valid: dates("2026-01", "2026-01-31", "2025-12", "2025-12-31"),
    broken: dates("2026-02", "2026-02-01", "2027-01", "2027-01-01"),
  },
];

test.each(cases)("$operation: the rule for $fields", ({ operation, fields, valid, broken }) => {
  for (const input of valid) expect(inputViolations(operation, { ...input })).toEqual([]);
  for (const input of broken)
    expect(inputViolations(operation, { ...input })).toMatchObject([{ field: fields, rule: true }]);
});

test("accepts a range with one open end", () => {
  const from = { account_id: account, from_value_datetime: "2026-01-31T00:00" };
  expect(inputViolations("transactions.list", from)).toEqual([]);
  expect(inputViolations("statements.createFile", from)).toEqual([]);
});

test("skips rules with invalid fields", () => {
  const backwards = { date_from: "2026-02-01", date_to: "2026-01-01" };
  const violated = (input: object) =>
    inputViolations("statements.emailAccounts", { ...backwards, ...input }).map(({ field }) => field);
  expect(violated({ format: "doc" })).toEqual(["format", "date_from, date_to"]);
  expect(violated({ date_to: "01.01.2026" })).toEqual(["date_to"]);
  expect(violated({ date_to: { toString: 1 } })).toEqual(["date_to"]);
});
