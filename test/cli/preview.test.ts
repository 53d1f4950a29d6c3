/** Tests the preview of money calls. */
import { createClient, type Values } from "@fxdesk/toolkit";
import { operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { preview } from "../../cli/call/run";
import { getTrade } from "../../core/contract/trades";
import { operationNamed } from "../support/operations";

const client = createClient({
  baseUrl: "https://api.example.com/v2",
  xs2aUrl: "https://banking.example.com",
  clientId: "client-1",
  contactId: "contact-1",
  psu: { "PSU-IP-Address": "192.0.2.7" },
  credentials: { accessToken: "a-secret-token", apiKey: "a-secret-key" },
});

const previewOf = (name: string, input: Values) => preview(client.prepare(operationNamed(name), input));

const payment = {
  "payment-service": "payments",
  "payment-product": "sepa-credit-transfers",
  debtorAccount: { iban: "BE71096123456769" },
  instructedAmount: { currency: "EUR", amount: "125.50" },
  creditorAccount: { iban: "FR6400000000000000012345697" },
  creditorName: "Ferme Duval SARL",
};

test("shows address and body, without routine headers", () => {
  const input = { quote_id: "q 1", reason: "other", reference: "INV-2041" };
  expect(previewOf("trades.book", input)).toBe(
    `POST https://api.example.com/v2/trades?quote_id=q%201&client_id=client-1

{
  "reason": "other",
  "reference": "INV-2041"
}`,
  );
});

test("shows other headers, except generated ones", () => {
  const input = { ...payment, "TPP-Redirect-URI": "https://app.example/done" };
  const lines = previewOf("payments.initiate", input).split("\n");
  expect(lines.slice(0, lines.indexOf(""))).toEqual([
    "POST https://banking.example.com/v1/payments/sepa-credit-transfers",
    "PSU-IP-Address: 192.0.2.7",
    "TPP-Redirect-URI: https://app.example/done",
  ]);
});

test("names generated values and does not show them", () => {
  const input = { quote_id: "q 1", reason: "other" };
  const told = `POST https://api.example.com/v2/trades?quote_id=q%201&client_id=client-1

{
  "reason": "other"
}

reference is generated when the request is sent. Set your own with --reference.`;
  expect(previewOf("trades.book", input)).toBe(told);
  expect(previewOf("trades.book", { ...input, reference: " " })).toBe(told);
});

test("finds generated values in query and headers by the declaration", () => {
  const declared = operation({
    ...getTrade,
    name: "trades.remind",
    effect: "money",
    method: "POST",
    query: { ...getTrade.query, mark_once: z.string().optional() },
    headers: { "Mark-Twice": z.string().optional() },
    generates: { mark_once: "uuid", "Mark-Twice": "reference" },
  });
  const shown = (input: Values) => preview(client.prepare(declared, { trade_id: "t", ...input }));
  const request = "POST https://api.example.com/v2/trades/t?client_id=client-1";
  expect(shown({})).toBe(
    `${request}

mark_once is generated when the request is sent. Set your own with --mark-once.
Mark-Twice is generated when the request is sent. Set your own with --mark-twice.`,
  );
  expect(shown({ mark_once: "a", "Mark-Twice": "b" })).toBe(`${request}&mark_once=a\nMark-Twice: b`);
});
