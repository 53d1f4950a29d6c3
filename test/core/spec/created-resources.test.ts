/** Created resources and their labels, derived from the declarations. */
import { z } from "zod";
import {
  createdIdName,
  operationsCreating,
  deletedIdField,
  resourceIdentity,
  toSnakeCase,
  labelParts,
} from "../../../core/spec/created-resources";
import { createConsent } from "../../../core/contract/consents";
import { initiateBulkPayment, initiatePayment } from "../../../core/contract/payments";
import type { Declaration } from "../../../core/spec/operation";
import { json } from "../../../core/operations";
import { declare } from "../support/declare";
import { fxdeskService } from "../../../core/client/fxdesk-service";

test("finds that consents and payments are created, and that consents are deleted", () => {
  const names = (operations: readonly Declaration[]) => operations.map(({ name }) => name);
  expect(names(operationsCreating(fxdeskService, "consent_id", "xs2a"))).toEqual(["consents.create"]);
  expect(names(operationsCreating(fxdeskService, "payment_id", "xs2a"))).toEqual([
    "payments.initiateBulk",
    "payments.initiate",
  ]);
  expect(operationsCreating(fxdeskService, "consent_id", "service")).toEqual([]);
  const creating = fxdeskService.operations.filter((each) => each.effect === "change" && createdIdName(each));
  expect(names(creating)).toEqual(["consents.create"]);
  const ended = fxdeskService.operations.flatMap((each) => {
    const field = deletedIdField(each);
    return field !== undefined &&
      operationsCreating(fxdeskService, toSnakeCase(field), each.server).length > 0
      ? [[each.name, field]]
      : [];
  });
  expect(ended).toEqual([["consents.delete", "consent-id"]]);
});

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
