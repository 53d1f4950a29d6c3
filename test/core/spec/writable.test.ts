/** Values that cannot be encoded are violations, even if the schema accepts them. */
import { runInNewContext } from "node:vm";
import { z } from "zod";
import {
  byConnection,
  checkInput,
  checkRequest,
  empty,
  operation,
  type Values,
} from "../../../core/operations";
import { checkFilledFields } from "../../../core/spec/check";
import { normalizeInput } from "../../../core/call/normalize-input";

const now = new Date("2026-01-31T12:00:00Z");

const order = operation({
  name: "test.order",
  tool: "order",
  title: "Order",
  summary: "Takes an order.",
  effect: "change",
  method: "POST",
  path: "/orders/{id}",
  server: "service",
  credentials: [],
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
  responses: { 204: empty("Taken.") },
  errors: {},
  contract: "1",
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
  ["loose", "must be a finite number, not NaN", { loose: NaN }],
  ["count", "must be a finite number, not NaN", { count: NaN }],
  ["loose", "must not be a function", { loose: () => 1 }],
  ["loose.a", "must not be a symbol", { loose: { a: Symbol("a") } }],
  ["loose.0", "must have a value", { loose: [undefined] }],
  ["loose.0", "must have a value", { loose: Array.from({ length: 1 }) }],
  ["loose.inner.circle", "must not contain itself", { loose: circularValue }],
  ["loose.a.a.a.a.a.a.a", "must have at most 64 levels", { loose: nested(64) }],
  ["loose", notData, { loose: new Map([[1, 2]]) }],
  ["loose.money", notData, { loose: { money: new Money() } }],
  ["loose", notData, { loose: Object.assign([1], { toJSON: () => "2" }) }],
  [
    "loose",
    notData,
    {
      loose: Object.defineProperty({}, "toJSON", {
        value: () => {
          throw new Error("not to be seen");
        },
      }),
    },
  ],
  ["loose", "cannot be read", { loose: throwingProxy({}) }],
  ["lines", "cannot be read", { lines: [throwingProxy({})] }],
  ["filter", "must be text, a number, true or false, or a list of these", { filter: { a: 1 } }],
  ["filter", "must be text, a number, true or false, or a list of these", { filter: [[1]] }],
  ["filter", "must be text, a number, true or false, or a list of these", { filter: null }],
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
      elsewhere: runInNewContext("({ a: [1, { b: 2 }] })"),
      deep: nested(62),
    },
    lines: [{ item: "a", more: [] }],
  };
  expect(violations(values)).toEqual([]);
});

test("reports other violations as well", () => {
  expect(violations({ loose: 1n, count: 1.5, other: 1 }).map(({ field }) => field)).toEqual([
    "loose",
    "count",
    "other",
  ]);
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
  [Symbol("a"), "must not be a symbol"],
  [() => 1, "must not be a function"],
  [[1n], "must not be a BigInt"],
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
  const broken = operation({
    ...order,
    body: z.object({
      loose: z.unknown().refine(() => {
        throw new Error("a mistake of ours");
      }),
    }),
  });
  expect(() => checkInput(broken, { id: "1", loose: 1 }, now)).toThrow("a mistake of ours");
});
