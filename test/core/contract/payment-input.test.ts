/** Payment amounts must be more than zero and fit the decimals of their currency. */
import { inputJsonSchema } from "../../../core/spec/json-schema";
import { inputViolations, operationNamed } from "../../support/operations";

const iban = "DE52000000000012345678";
const transfer = (amount: string, currency: string) => ({
  instructedAmount: { currency, amount },
  creditorAccount: { iban },
  creditorName: "Ferme Duval SARL",
});
const product = { "payment-product": "sepa-credit-transfers", debtorAccount: { iban } };
const periodic = { "payment-service": "periodic-payments", startDate: "2026-03-01", frequency: "Monthly" };

/** The locations of amounts: operation, path and input. */
const inputForms: [name: string, field: string, input: (amount: string, currency: string) => object][] = [
  [
    "payments.initiate",
    "instructedAmount.amount",
    (...given) => ({ "payment-service": "payments", ...product, ...transfer(...given) }),
  ],
  [
    "payments.initiate",
    "instructedAmount.amount",
    (...given) => ({ ...periodic, ...product, ...transfer(...given) }),
  ],
  [
    "payments.initiate",
    "payments.1.instructedAmount.amount",
    (...given) => ({
      "payment-service": "bulk-payments",
      ...product,
      payments: [transfer("1", "EUR"), transfer(...given)],
    }),
  ],
  [
    "payments.initiateBulk",
    "payments.0.instructedAmount.amount",
    (...given) => ({ ...product, payments: [transfer(...given)] }),
  ],
];

const validAmounts: [amount: string, currency: string][] = [
  ["0.01", "EUR"],
  ["99999999999999.99", "EUR"],
  ["007.5", "EUR"],
  ["1", "JPY"],
  ["0.001", "KWD"],
  ["0.001", "CLF"],
];

const invalidAmounts: [amount: string, currency: string, message: string][] = [
  ["-5", "EUR", "must be more than zero"],
  ["-0.01", "EUR", "must be more than zero"],
  ["0", "EUR", "must be more than zero"],
  ["0.00", "EUR", "must be more than zero"],
  ["-0", "EUR", "must be more than zero"],
  ["0.001", "EUR", "must have at most 2 decimals in EUR"],
  ["1.500", "EUR", "must have at most 2 decimals in EUR"],
  ["1.0", "JPY", "must have no decimals in JPY"],
  ["1,5", "EUR", "must be a decimal amount with a dot, such as 1234.50"],
  ["1.", "EUR", "must be a decimal amount with a dot, such as 1234.50"],
  ["1e3", "EUR", "must be a decimal amount with a dot, such as 1234.50"],
  ["", "EUR", "must be a decimal amount with a dot, such as 1234.50"],
];

describe.each(inputForms)("%s, %s (%#)", (name, field, input) => {
  test.each(validAmounts)("%s %s can be paid", (amount, currency) => {
    expect(inputViolations(name, { ...input(amount, currency) })).toEqual([]);
  });

  test.each(invalidAmounts)("%s %s %s", (amount, currency, message) => {
    expect(inputViolations(name, { ...input(amount, currency) })).toEqual([
      { field, message: `${message}, not "${amount}"` },
    ]);
  });
});

test("the JSON Schema of an amount contains only its pattern", () => {
  const { properties } = inputJsonSchema(operationNamed("payments.initiate")) as {
    properties: Record<string, object>;
  };
  expect(properties.instructedAmount).toEqual({
    type: "object",
    description: "Amount to pay.",
    properties: {
      currency: { type: "string", pattern: "^[A-Z]{3}$" },
      amount: { type: "string", pattern: "^-?\\d{1,14}(\\.\\d{1,3})?$" },
    },
    required: ["currency", "amount"],
    additionalProperties: false,
  });
});
