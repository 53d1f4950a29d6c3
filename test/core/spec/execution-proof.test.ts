/** Proof of execution by a successful response. */
import { z } from "zod";
import { type Declaration, json, operation, operations, text } from "../../../core/operations";
import { provesExecution } from "../../../core/spec/execution-proof";
import { operationNamed } from "../../support/operations";

const errorMessage = { code: "trade-7", message: "Not booked.", details: "The quote is gone." };

test.each<[name: string, status: number, body: unknown, proven: boolean]>([
  ["trades.book", 201, { trade_id: "T-1" }, true],
  ["trades.book", 201, { trade_id: 17 }, true],
  ["trades.book", 201, { trade_id: "T-1", code: "late" }, true],
  ["trades.book", 201, { trade_id: "" }, false],
  ["trades.book", 201, { trade_id: " " }, false],
  ["trades.book", 201, { trade_id: null }, false],
  ["trades.book", 201, { trade_id: {} }, false],
  ["trades.book", 201, { trade_id: false }, false],
  ["trades.book", 201, { id: "T-1" }, false],
  ["trades.book", 201, Object.create({ trade_id: "T-1" }), false],
  ["trades.book", 201, [{ trade_id: "T-1" }], false],
  ["trades.book", 201, null, false],
  ["trades.book", 201, "T-1", false],
  ["trades.book", 201, 17, false],
  ["trades.book", 201, undefined, false],
  ["trades.book", 201, errorMessage, false],
  ["trades.book", 200, { trade_id: "T-1" }, false],
  ["payments.initiate", 201, { paymentId: "P-1" }, true],
  ["payments.initiate", 201, { tppMessages: [{ category: "ERROR" }] }, false],
  ["payments.cancel", 204, undefined, true],
  ["payments.cancel", 202, { transactionStatus: "ACTC" }, true],
  ["payments.cancel", 202, {}, false],
  ["approvalsWorkflow.replaceConfig", 200, { groups: [], rules: [] }, true],
  ["approvalsWorkflow.replaceConfig", 200, { rules: null }, false],
  ["approvalsWorkflow.updateSettings", 200, { enabled: false }, true],
  ["approvalsWorkflow.updateSettings", 200, { enabled: null }, false],
  ["approvalsWorkflow.updateSettings", 200, errorMessage, false],
  ["trades.list", 200, [], true],
  ["trades.list", 200, {}, false],
  ["trades.get", 200, {}, true],
  ["trades.get", 200, [], false],
  ["trades.get", 200, null, false],
  ["trades.get", 200, "T-1", false],
  ["trades.get", 200, errorMessage, false],
  ["payments.get", 200, "<Document/>", true],
  ["payments.get", 200, " ", false],
  ["payments.get", 200, {}, true],
  ["login.getPage", 200, "", true],
])("%s, status %d with %j: proven %s", (name, status, body, proven) => {
  expect(provesExecution(operationNamed(name), status, body)).toBe(proven);
});

test("accepts the documented text form of a JSON response, and identifiedBy in each JSON response", () => {
  const id = z.object({ id: z.string() });
  const asked = operation({
    name: "test.ask",
    tool: "ask",
    title: "Ask",
    summary: "Asks.",
    effect: "money",
    method: "POST",
    path: "/ask",
    server: "service",
    credentials: [],
    responses: { 200: json(z.string(), "A word."), 201: text("A word."), 202: json(z.any(), "Either.") },
    errors: {},
    contract: "1",
  });
  const proofs: [Declaration, number, unknown, boolean][] = [
    [asked, 200, "word", true],
    [asked, 200, {}, false],
    [asked, 201, "", true],
    [asked, 202, [], true],
    [asked, 202, "word", false],
  ];
  const identified = operation({
    ...asked,
    responses: { 200: json(id, "Done."), 202: json(z.object({}), "Begun.") },
    identifiedBy: "id",
  });
  proofs.push(
    [identified, 200, { id: "1" }, true],
    [identified, 202, {}, false],
    [identified, 202, { id: "1" }, true],
  );
  for (const [declared, status, body, proven] of proofs)
    expect([status, body, provesExecution(declared, status, body)]).toEqual([status, body, proven]);
});

test("an undeclared status proves nothing", () => {
  for (const declared of operations) expect(provesExecution(declared, 299, {})).toBe(false);
});
