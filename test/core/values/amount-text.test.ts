/** Amounts that can mean two things are refused wherever a person writes one. */
import * as fc from "fast-check";
import type { z } from "zod";
import { fxdeskService } from "../../../core/client/fxdesk-service";
import { initiatePayment } from "../../../core/contract/payments";
import { amountProblem, isAmbiguousAmount } from "../../../core/values/amount-text";
import { AmountText } from "../../../core/values/values";
import { elementOf, kindOf, shapeOf, valueOf } from "../../../core/values/kind";
import { callerFields } from "../../../core/spec/fields";
import { declarationsOf } from "../../../core/spec/service";

/** Texts such as 10.000, 1,000 and -250.125. */
const ambiguous = fc
  .record({
    sign: fc.constantFrom("", "-"),
    whole: fc.integer({ min: 1, max: 999 }),
    mark: fc.constantFrom(".", ","),
    rest: fc.stringMatching(/^\d{3}$/),
  })
  .map(({ sign, whole, mark, rest }) => `${sign}${whole}${mark}${rest}`);

/** Returns the schemas of decimal texts in a field, with their paths. */
function decimalTexts(schema: z.ZodType, path: string): [string, z.ZodType][] {
  const isDecimal = (text: string) => schema.safeParse(text).success;
  const inner = [elementOf(schema), valueOf(schema)].filter((each) => each !== undefined);
  if (kindOf(schema) === "string" && isDecimal("25.5") && !isDecimal("word")) return [[path, schema]];
  return [
    ...inner.flatMap((each) => decimalTexts(each, path)),
    ...Object.entries(shapeOf(schema)).flatMap(([name, each]) => decimalTexts(each, `${path}.${name}`)),
  ];
}

/** Rates and percentages have three decimals rightly, and the currency of a payment or an order decides about its decimals. */
const others = /rate|largest_distance|instructedAmount|trades\.order/;

const amounts = declarationsOf(fxdeskService)
  .flatMap((each) =>
    callerFields(each).flatMap(({ name, schema }) => decimalTexts(schema, `${each.name} ${name}`)),
  )
  .filter(([path]) => !others.test(path));

test("every amount that a caller writes refuses what can mean two amounts, and says what to write", () => {
  const fields = [...amounts, ["limits", AmountText] as [string, z.ZodType]];
  expect(fields.length).toBeGreaterThan(10);
  fc.assert(
    fc.property(ambiguous, (text) => {
      for (const [path, schema] of fields) {
        const { success, error } = schema.safeParse(text);
        expect([path, success, error?.issues.map(({ message }) => message)]).toEqual([
          path,
          false,
          [amountProblem(text)],
        ]);
      }
    }),
    { numRuns: 50 },
  );
});

test("what it says to write means one amount, and is one of the two", () => {
  fc.assert(
    fc.property(ambiguous, (text) => {
      const [, first, second] = /^can mean (\S+) or (\S+): write \1 or \2$/.exec(amountProblem(text)!)!;
      const plain = text.replace(",", ".");
      expect(new Set([Number(first), Number(second)])).toEqual(
        new Set([Number(plain), Number(plain.replace(".", ""))]),
      );
      for (const each of [first!, second!]) expect(isAmbiguousAmount(each)).toBe(false);
    }),
  );
});

test.each([
  ["1250", undefined],
  ["0.125", undefined],
  ["1000.000", undefined],
  ["1.5", undefined],
  ["10.0000", undefined],
  ["1.234,50", "must be written as 1234.5"],
  ["1'234.50", "must be written as 1234.5"],
  ["1,5", "must be written as 1.5"],
  ["10.000", "can mean 10 or 10000: write 10 or 10000"],
  ["1,234", "can mean 1234 or 1.2340: write 1234 or 1.2340"],
  ["ten", undefined],
])("%s: %s", (text, problem) => {
  expect(amountProblem(text)).toBe(problem);
});

test.each([
  ["EUR", false],
  ["JPY", false],
  ["KWD", true],
])("10.000 %s is a payment only where the currency has three decimals", (currency, isAmount) => {
  const { schema } = callerFields(initiatePayment).find(({ name }) => name === "instructedAmount")!;
  const { success, error } = schema.safeParse({ currency, amount: "10.000" });
  const messages = error?.issues.map(({ message }) => message);
  expect([success, messages]).toEqual([isAmount, isAmount ? undefined : [amountProblem("10.000")]]);
});
