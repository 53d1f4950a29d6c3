/** Tests initiations that repeat the X-Request-ID of an earlier one. */
import { type Bank, day, decide, euroAccount, minute, openBank, refusal } from "./bank";
import { pain001 } from "./documents";
import { newRequestId } from "../../support/request-id";

let bank: Bank;
let iban: string;
let requestId: string;
beforeEach(async () => {
  bank = await openBank({ "PSU-IP-Address": "192.0.2.7" });
  ({ iban } = await euroAccount(bank));
  requestId = newRequestId();
});
afterEach(() => bank.close());

const product = { "payment-product": "sepa-credit-transfers" } as const;
const single = { "payment-service": "payments", ...product } as const;

const transfer = (amount: string) => ({
  instructedAmount: { currency: "EUR", amount },
  creditorAccount: { iban: "NL13TEST0123456789" },
  creditorName: "Brouwer Logistiek BV",
});

const initiate = (more: object = {}, id = requestId) =>
  bank.client.payments.initiate.response(
    { ...single, debtorAccount: { iban }, ...transfer("125.50"), ...more },
    { requestId: id },
  );

const initiateBulk = (amounts: readonly string[]) =>
  bank.client.payments.initiateBulk.response(
    { ...product, debtorAccount: { iban }, payments: amounts.map(transfer) },
    { requestId },
  );

/** Counts the payments waiting for authorisation. */
const countPendingPayments = () => bank.sandbox.control.listAuthorisations().length;

test("repeats the first response and starts nothing", async () => {
  const { body, headers } = await initiate();
  await decide(body._links.scaRedirect, "approve");
  bank.sandbox.advance(minute);
  const again = await initiate();
  expect(again.status).toBe(201);
  expect(again.body).toEqual(body);
  expect(again.headers.location).toBe(headers.location);
  expect(again.requestId).toBe(requestId);
  expect(countPendingPayments()).toBe(0);
});

test("repeats the response to a bulk and to a document", async () => {
  const bulk = await initiateBulk(["10", "20"]);
  expect((await initiateBulk(["10", "20"])).body).toEqual(bulk.body);
  const document = {
    "payment-product": "pain.001-sepa-credit-transfers",
    pain001: pain001({ debtor: iban }),
  } as const;
  const options = { requestId: newRequestId() };
  const first = await bank.client.payments.initiate({ "payment-service": "payments", ...document }, options);
  const second = await bank.client.payments.initiate({ "payment-service": "payments", ...document }, options);
  expect(second).toEqual(first);
  expect(countPendingPayments()).toBe(2);
});

test("creates a payment once after a lost response", async () => {
  bank.sandbox.control.addFault({ operation: "payments.initiate", kind: "reset-after" });
  await expect(initiate()).rejects.toMatchObject({ code: "outcome_unknown" });
  const { body } = await initiate();
  expect(body.transactionStatus).toBe("RCVD");
  expect(countPendingPayments()).toBe(1);
});

test.each([
  ["amount", { instructedAmount: { currency: "EUR", amount: "125.51" } }],
  ["product", { "payment-product": "instant-sepa-credit-transfers" }],
])("refuses another %s and starts nothing", async (_what, more) => {
  await initiate();
  await expect(initiate(more)).rejects.toMatchObject(refusal(400, "FORMAT_ERROR"));
  expect(countPendingPayments()).toBe(1);
});

test("starts another payment for another ID, or the same a day later", async () => {
  const first = await initiate();
  const other = await initiate({}, newRequestId());
  bank.sandbox.advance(day);
  const later = await initiate();
  expect(new Set([first, other, later].map(({ body }) => body.paymentId)).size).toBe(3);
});

test("accepts a corrected call with the ID of a refused one", async () => {
  const wrong = { instructedAmount: { currency: "USD", amount: "1" } };
  await expect(initiate(wrong)).rejects.toMatchObject(refusal(400, "PARAMETER_NOT_CONSISTENT"));
  expect((await initiate()).status).toBe(201);
});
