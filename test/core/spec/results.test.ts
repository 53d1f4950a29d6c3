/** Results of operations: resources that they create, their labels, and proof of execution. */
import { z } from "zod";
import { createdIdName, resourceIdentity, labelParts } from "../../../core/spec/created-resources";
import { createConsent } from "../../../core/contract/consents";
import { initiateBulkPayment, initiatePayment } from "../../../core/contract/payments";
import { type Declaration, json, operations, text as textResponse } from "../../../core/operations";
import { provesExecution } from "../../../core/spec/execution-proof";
import { operationNamed } from "../../support/operations";
import { declare } from "../support/declare";

const widget = declare({
  effect: "change",
  method: "POST",
  path: "/widgets",
  responses: { 201: json(z.object({ widgetId: z.string(), state: z.string() }), "A widget.") },
  identifiedBy: "widgetId",
});

test.each([
  ["a read", { effect: "read" }],
  ["an operation without identifiedBy", { identifiedBy: undefined! }],
  ["an operation identified by a state", { identifiedBy: "state" }],
  ["an operation on a nested resource", { path: "/shops/{shopId}", parameters: { shopId: z.string() } }],
] as [string, Partial<Declaration>][])("%s creates no resource", (_, part) => {
  expect(createdIdName(widget)).toBe("widget_id");
  expect(createdIdName({ ...widget, ...part })).toBeUndefined();
});

test.each([[undefined], ["text"], [{ widgetId: null }], [{ widgetId: {} }]])(
  "finds no ID in the response %j",
  (body) => {
    expect(resourceIdentity(widget, { widgetId: "w-1" })).toBe("w-1");
    expect(resourceIdentity(widget, body)).toBeUndefined();
  },
);

test("labels a resource with the sum per currency and the label fields", () => {
  const amount = (text: string, currency: string) => ({ instructedAmount: { amount: text, currency } });
  const single = { ...amount("125.50", "EUR"), creditorName: "Ferme Duval", endToEndIdentification: "E1" };
  const payments = [amount("0.10", "EUR"), amount("0.2", "EUR"), amount("70", "USD")];

  expect(labelParts(initiatePayment, single)).toEqual(["125.50 EUR", "Ferme Duval"]);
  expect(labelParts(initiateBulkPayment, { payments, requestedExecutionDate: "2026-11-30" })).toEqual([
    "0.30 EUR",
    "70 USD",
    "Requested execution date 2026-11-30",
  ]);
  expect(labelParts(createConsent, { validUntil: "2027-01-31", frequencyPerDay: 4 })).toEqual([
    "Valid until 2027-01-31",
  ]);
  expect(labelParts(initiatePayment, {})).toEqual([]);
});

// ---- Proof of execution by a successful response

const errorMessage = { code: "trade-7", message: "Not booked.", details: "The quote is gone." };

test.each<[name: string, status: number, body: unknown, proven: boolean]>([
  ["trades.book", 201, { trade_id: "T-1" }, true],
  ["trades.book", 201, { trade_id: 17 }, true],
  ["trades.book", 201, { trade_id: "T-1", code: "late" }, true],
  ["trades.book", 201, { trade_id: "" }, false],
  ["trades.book", 201, { trade_id: {} }, false],
  ["trades.book", 201, { id: "T-1" }, false],
  ["trades.book", 201, Object.create({ trade_id: "T-1" }), false],
  ["trades.book", 201, [{ trade_id: "T-1" }], false],
  ["trades.book", 201, null, false],
  ["trades.book", 201, errorMessage, false],
  ["trades.book", 200, { trade_id: "T-1" }, false],
  ["payments.initiate", 201, { paymentId: "P-1" }, true],
  ["payments.initiate", 201, { tppMessages: [{ category: "ERROR" }] }, false],
  ["payments.cancel", 204, undefined, true],
  ["payments.cancel", 202, { transactionStatus: "ACTC" }, true],
  ["approvalsWorkflow.replaceConfig", 200, { groups: [], rules: [] }, true],
  ["approvalsWorkflow.updateSettings", 200, { enabled: null }, false],
  ["trades.list", 200, [], true],
  ["trades.list", 200, {}, false],
  ["trades.get", 200, {}, true],
  ["trades.get", 200, [], false],
  ["trades.get", 200, errorMessage, false],
  ["payments.get", 200, "<Document/>", true],
  ["payments.get", 200, " ", false],
  ["payments.get", 200, {}, true],
  ["login.getPage", 200, "", true],
])("%s, status %d with %j: proven %s", (name, status, body, proven) => {
  expect(provesExecution(operationNamed(name), status, body)).toBe(proven);
});

const word = json(z.string(), "A word.");
const done = json(z.object({ id: z.string() }), "Done.");
const text = { 200: word, 201: textResponse("A word."), 202: json(z.any(), "Either.") };
const identified = { 200: done, 202: json(z.object({}), "Begun.") };

test.each<[Partial<Declaration>, number, unknown, boolean]>([
  [{ responses: text }, 200, "word", true],
  [{ responses: text }, 200, {}, false],
  [{ responses: text }, 201, "", true],
  [{ responses: text }, 202, [], true],
  [{ responses: text }, 202, "word", false],
  [{ responses: identified, identifiedBy: "id" }, 200, { id: "1" }, true],
  [{ responses: identified, identifiedBy: "id" }, 202, {}, false],
  [{ responses: identified, identifiedBy: "id" }, 202, { id: "1" }, true],
])("%#: documented texts and identifiers prove execution", (part, status, body, proven) => {
  expect(provesExecution({ ...declare({ effect: "money" }), ...part }, status, body)).toBe(proven);
});

test("an undeclared status proves nothing", () => {
  for (const declared of operations) expect(provesExecution(declared, 299, {})).toBe(false);
});
