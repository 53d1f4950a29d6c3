/** Entries of input lists accept the column names of CSV, and refuse unknown fields. */
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import type { FxdeskClient } from "../../../core";
import { sandboxClient } from "../../support/samples";
import { withAssistant } from "../../support/surfaces";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = sandboxClient(sandbox);
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
});

const callProcedure = (name: string, input: Record<string, unknown>) =>
  client.call(
    client.service.procedures!.find((each) => each.name === name)!,
    input,
  );

const reconcile = async (input: Record<string, unknown>) => {
  const { body } = await callProcedure("transactions.reconcile", { accounts: undefined, ...input });
  const { matched, open_items: open } = body as { matched: { items: object[] }[]; open_items: object[] };
  return {
    matched: matched.map(({ items }) => items.map((item) => ({ ...item, item: 0 }))),
    open: open.length,
  };
};

test("accepts column names in expected items", async () => {
  sandbox.control.payIn({ currency: "EUR", amount: "77.10", reference: "INV-9001" });
  sandbox.control.payIn({ currency: "EUR", amount: "78.20", reference: "INV-9002" });
  const csv = "amount,currency,invoice,customer\n77.10,EUR,INV-9001,Severn\n78.20,EUR,INV-9002,Severn";
  const asColumns = await reconcile({ items_csv: csv });
  expect(asColumns).toMatchObject({
    matched: [[{ reference: "INV-9001" }], [{ reference: "INV-9002" }]],
    open: 0,
  });
  const items = [
    { amount: "77.10", currency: "EUR", invoice: "INV-9001", customer: "Severn" },
    { amount: "78.20", currency: "EUR", "Invoice No": "INV-9002", due_date: null },
  ];
  expect(await reconcile({ items })).toEqual(asColumns);
});

test("accepts column names in tool arguments", () =>
  withAssistant({ client }, async (assistant) => {
    const call = (more: object) =>
      assistant.callTool({
        name: "reconcile_transactions",
        arguments: { items: [{ amount: "77.10", currency: "EUR", ...more }] },
      });
    const { structuredContent } = await call({ invoice: "INV-9001", customer: "Severn" });
    expect(structuredContent).toMatchObject({
      matched: [{ items: [{ reference: "INV-9001" }] }],
      open_items: [],
    });
    const { isError, content } = await call({ colour: "red" });
    expect([isError, JSON.stringify(content)]).toEqual([
      true,
      expect.stringContaining("items.0.colour is not a known field"),
    ]);
  }));

test.each([
  [
    { colour: "red" },
    "items.0.colour is not a known field; the fields are amount, currency, reference, party, date",
  ],
  [{ referense: "A" }, "items.0.referense is not a known field; did you mean reference?"],
  [{ custmer: "A" }, "items.0.custmer is not a known field; did you mean customer?"],
  [{ reference: "A", invoice: "B" }, "items.0.invoice is another name of reference, which is also given"],
  [{ invoice: 7 }, "items.0.invoice must be text, not 7"],
  [{ due: "2026-02-30" }, "items.0.due must be an existing day as YYYY-MM-DD"],
])("refuses an expected item with %j", async (more, message) => {
  const before = sandbox.requests.length;
  const items = [{ amount: "10", currency: "EUR", ...more }];
  await expect(callProcedure("transactions.reconcile", { items })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(message),
  });
  expect(sandbox.requests.length).toBe(before);
});

test("refuses an expected flow with two names of one field", async () => {
  const flow = { date: "2026-12-01", currency: "USD", amount: "10" };
  await expect(callProcedure("exposure.get", { flows: [flow, { ...flow, curency: "EUR" }] })).rejects.toThrow(
    "flows.1.curency is not a known field; did you mean currency?",
  );
  await expect(
    callProcedure("exposure.get", { flows: [{ ...flow, "value date": "2026-12-02" }] }),
  ).rejects.toThrow("flows.0.value date is another name of date, which is also given");
});

test.each([
  [
    "transactions.find",
    { min_amount: "500", max_amount: "100" },
    "max_amount must be at least min_amount (500)",
  ],
  [
    "transactions.summarize",
    { by: ["month"], min_amount: "9.5", max_amount: "9.40" },
    "max_amount must be at least min_amount",
  ],
  ["transactions.find", { period: "last -5 days" }, "period must be a period"],
])("%s refuses %j", async (name, input, message) => {
  await expect(callProcedure(name, input)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(message),
  });
});

test("accepts bounds in the right order", async () => {
  const input = { min_amount: "9", max_amount: "10", period: "last 5 days" };
  expect(await client.transactions.find(input)).toMatchObject({ complete: true });
});

test("refuses thresholds that a balance could cross at once", async () => {
  const watched = { currencies: "EUR", below: "1000", above: "10" };
  await expect(client.accounts.watchBalances.since(watched)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("above must be at least below (1000), not 10"),
  });
  await client.accounts.watchBalances.since({ ...watched, above: "1000" });
});
