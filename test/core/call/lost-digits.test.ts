/** Numbers that lose digits as JavaScript numbers are reported with their path, and no others. */
import * as fc from "fast-check";
import { findLostDigits } from "../../../core/call/lost-digits";
import { respond } from "../../support/fault-server";
import { startClientAndServer, changeRequest } from "../support/client-fixtures";

const exactNumbers = [
  "0",
  "-0",
  "0.1",
  "100.00",
  "1E+2",
  "1.50",
  "9007199254740991",
  "1000000000000000000000",
  "0.30000000000000004",
  "12345678901234.5",
];
const inexactNumbers = ["9007199254740993", "1e400", "1e-400", "0.1000000000000000055", "123456789012345678"];
const shapes: [name: string, make: (digits: string) => string, field: string][] = [
  ["a field", (digits) => `{"a":${digits}}`, "a"],
  ["a nested field", (digits) => `{"a":[1,{"b":"x","c":{"d": ${digits} }}]}`, "a.1.c.d"],
  ["an entry", (digits) => `[0,[],{},\n${digits}]`, "3"],
  [
    "a field after texts that look like others",
    (digits) => `{"x":"]}1e400,\\"{[","y\\"":[${digits}]}`,
    'y".0',
  ],
  ["the whole body", (digits) => digits, ""],
];

describe.each(shapes)("%s", (_, make, field) => {
  test.each(inexactNumbers)("reports %s", (digits) => {
    const violations = findLostDigits(make(digits));
    expect(violations).toEqual([
      { field, message: `is ${digits}, which JavaScript can only represent as ${Number(digits)}` },
    ]);
  });
  test.each(exactNumbers)("accepts %s", (digits) => expect(findLostDigits(make(digits))).toEqual([]));
});

/** Exact value as a fraction of integers. */
function exact(digits: string): [bigint, bigint] {
  const [, sign, whole = "", part = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(
    digits,
  )!;
  const power = Number(exponent) - part.length;
  const all = BigInt(`${sign}${whole}${part}`);
  return power >= 0 ? [all * 10n ** BigInt(power), 1n] : [all, 10n ** BigInt(-power)];
}

const digitsOf = fc
  .record({
    sign: fc.constantFrom("", "-"),
    whole: fc.bigInt({ min: 0n, max: 10n ** 20n }),
    part: fc.stringMatching(/^\d{0,12}$/),
    exponent: fc.option(fc.integer({ min: -30, max: 30 }), { nil: undefined, freq: 3 }),
  })
  .map(
    ({ sign, whole, part, exponent }) =>
      `${sign}${whole}${part && `.${part}`}${exponent === undefined ? "" : `e${exponent}`}`,
  );

test("reports a number if and only if its shortest representation differs", () => {
  fc.assert(
    fc.property(digitsOf, (digits) => {
      const [a, b] = exact(digits);
      const [c, d] = exact(String(Number(digits)));
      expect(findLostDigits(`[{"n":${digits}}]`)).toHaveLength(a * d === c * b ? 0 : 1);
    }),
    { seed: 20_261_121, numRuns: 2_000 },
  );
});

test("passes the body on and lists lost digits as violations", async () => {
  const { client } = await startClientAndServer(respond(201, '{"trade_id":"t-1","fee":99999999999999.99}'));
  const { body, violations } = await client.request(changeRequest);
  expect(body).toEqual({ trade_id: "t-1", fee: 99999999999999.98 });
  expect(violations).toEqual([
    { field: "fee", message: expect.stringContaining("99999999999999.99") as string },
  ]);
});
