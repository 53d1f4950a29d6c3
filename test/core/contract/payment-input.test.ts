/** Payment amounts must be more than zero and fit the decimals of their currency. */
import { inputViolations } from "../../support/operations";

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

const invalidAmounts: [amount: string, currency: string][] = [
  ...["-5", "-0.01", "0", "0.00", "-0", "0.001", "1.500", "1,5", "1.", "1e3", ""].map(
    (amount): [string, string] => [amount, "EUR"],
  ),
  ["1.0", "JPY"],
];

describe.each(inputForms)("%s, %s (%#)", (name, field, input) => {
  test.each(validAmounts)("%s %s can be paid", (amount, currency) => {
    expect(inputViolations(name, { ...input(amount, currency) })).toEqual([]);
  });

  test.each(invalidAmounts)("%s %s cannot be paid", (amount, currency) => {
    expect(inputViolations(name, { ...input(amount, currency) })).toMatchObject([{ field }]);
  });
});
