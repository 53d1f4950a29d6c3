/** Proof of execution by a successful response. */
import { z } from "zod";
import { type Declaration, json, operations, text as textResponse } from "../../../core/operations";
import { provesExecution } from "../../../core/spec/execution-proof";
import { operationNamed } from "../../support/operations";
import { declare } from "../support/declare";

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
  expect(provesExecution(declare({ ...part, effect: "money" }), status, body)).toBe(proven);
});

test("an undeclared status proves nothing", () => {
  for (const declared of operations) expect(provesExecution(declared, 299, {})).toBe(false);
});
