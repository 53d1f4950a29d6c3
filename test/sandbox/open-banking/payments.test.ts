/** Tests the life cycle of payments over HTTP, from initiation to booking, and repeated initiations. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { newRequestId } from "../../support/request-id";
import {
  type Bank,
  day,
  decide,
  euroAccount,
  minute,
  openBank,
  person,
  product,
  refusal,
  second,
  single,
  transfer,
  validConsent,
} from "./bank";
import { pain001 } from "./documents";

let bank: Bank;
let debtor: { readonly resourceId: string; readonly iban: string };
beforeEach(async () => {
  bank = await openBank(person);
  debtor = await euroAccount(bank);
});

type NewPayment = Parameters<FxdeskClient["payments"]["initiate"]>[0];

const periodic = { "payment-service": "periodic-payments", ...product } as const;
const bulk = { "payment-service": "bulk-payments", ...product } as const;

const termsOf = (more: Partial<NewPayment>) => ({
  ...single,
  debtorAccount: { iban: debtor.iban },
  ...transfer("125.50"),
  ...more,
});

const initiate = (more: Partial<NewPayment> = {}) => bank.client.payments.initiate(termsOf(more));

async function authorised(more: Partial<NewPayment> = {}): Promise<string> {
  const { paymentId, _links } = await initiate(more);
  await decide(_links.scaRedirect, "approve");
  return paymentId;
}

const statusOf = async (paymentId: string, at: typeof single | typeof periodic | typeof bulk = single) =>
  (await bank.client.payments.getStatus({ ...at, paymentId })).transactionStatus;

async function available(): Promise<number> {
  const [balance] = await bank.client.accounts.listBalances({ account_id: debtor.resourceId });
  return Number(balance!.amount.amount);
}

async function report(
  bookingStatus: "booked" | "pending" | "information",
  dateFrom = "2026-03-02",
  dateTo?: string,
) {
  const response = await bank.client.openBanking.listTransactions({
    "account-id": debtor.resourceId,
    "Consent-ID": await validConsent(bank),
    bookingStatus,
    dateFrom,
    dateTo,
  });
  return response.transactions![bookingStatus]!;
}

/** Lists the days on which the supplier was paid, latest first. */
const paidOn = async () =>
  (await report("booked"))
    .filter((each) => each.remittanceInformationUnstructured === "Invoice 4711")
    .map(({ bookingDate }) => bookingDate);

test("is received, authorised, settling and settled, then booked", async () => {
  const before = await available();
  const { paymentId, transactionStatus, _links } = await initiate();
  expect(transactionStatus).toBe("RCVD");
  bank.sandbox.advance(minute);
  expect(await statusOf(paymentId)).toBe("RCVD");
  await decide(_links.scaRedirect, "approve");
  expect(await bank.client.payments.getStatus({ ...single, paymentId })).toEqual({
    transactionStatus: "ACTC",
    fundsAvailable: true,
  });
  expect(await available()).toBe(before);
  expect(await report("pending")).toMatchObject([{ transactionAmount: { amount: "-125.50" } }]);
  bank.sandbox.advance(2 * second);
  expect(await statusOf(paymentId)).toBe("ACSP");
  bank.sandbox.advance(2 * second);
  expect(await statusOf(paymentId)).toBe("ACSC");
  expect(await available()).toBeCloseTo(before - 125.5, 2);
  expect(await report("pending")).toEqual([]);
  expect((await report("booked"))[0]).toMatchObject({
    transactionAmount: { currency: "EUR", amount: "-125.50" },
    creditorName: "Brouwer Logistiek BV",
    creditorAccount: { iban: "NL13TEST0123456789" },
    remittanceInformationUnstructured: "Invoice 4711",
  });
});

test("is listed as pending with the day of its authorisation, and reduces the expected balance only", async () => {
  const { _links } = await initiate({ requestedExecutionDate: "2026-03-20" });
  bank.sandbox.advance(day);
  await decide(_links.scaRedirect, "approve");
  bank.sandbox.advance(day);
  expect(await report("pending", "2026-03-01")).toMatchObject([{ transactionAmount: { amount: "-125.50" } }]);
  expect(await report("pending", "2026-03-03", "2026-03-03")).toHaveLength(1);
  expect(await report("pending", "2026-03-01", "2026-03-02")).toEqual([]);
  expect(await report("pending", "2026-03-04")).toEqual([]);
  const { balances } = await bank.client.openBanking.listBalances({
    "account-id": debtor.resourceId,
    "Consent-ID": await validConsent(bank),
  });
  const of = (type: string) =>
    Number(balances.find(({ balanceType }) => balanceType === type)!.balanceAmount.amount);
  expect(of("expected") - of("interimAvailable")).toBeCloseTo(-125.5, 2);
});

test("reads back as initiated", async () => {
  const { paymentId } = await initiate();
  expect(await bank.client.payments.get({ ...product, paymentId })).toEqual({
    debtorAccount: { iban: debtor.iban },
    ...transfer("125.50"),
    transactionStatus: "RCVD",
  });
});

test("is rejected after a refusal, without entries", async () => {
  const before = await available();
  const { paymentId, _links } = await initiate();
  await decide(_links.scaRedirect, "refuse");
  expect(await statusOf(paymentId)).toBe("RJCT");
  bank.sandbox.advance(minute);
  expect(await available()).toBe(before);
});

test("credits an account in the sandbox", async () => {
  const { client } = bank;
  const pounds = (await client.accounts.list({ currencies: "GBP" }))[0]!;
  const account_id = pounds.account_id;
  const before = Number((await client.accounts.listBalances({ account_id }))[0]!.amount.amount);
  const number = (await client.accounts.getFunding({ currency: "GBP" })).iban!;
  const { paymentId, _links } = await client.payments.initiate({
    "payment-service": "payments",
    "payment-product": "cross-border-credit-transfers",
    debtorAccount: { iban: number },
    ...transfer("10"),
    instructedAmount: { currency: "GBP", amount: "10" },
    creditorAccount: { iban: number },
  });
  await decide(_links.scaRedirect, "approve");
  bank.sandbox.advance(4 * second);
  const at = { "payment-service": "payments", "payment-product": "cross-border-credit-transfers" } as const;
  expect(await client.payments.getStatus({ ...at, paymentId })).toEqual({ transactionStatus: "ACSC" });
  expect(Number((await client.accounts.listBalances({ account_id }))[0]!.amount.amount)).toBe(before);
  const [arrived, left] = await client.transactions.list({ account_id, page_size: 2 });
  expect([arrived!.credit_debit_indicator, left!.credit_debit_indicator]).toEqual(["Credit", "Debit"]);
});

describe("without funds", () => {
  const tooMuch = { instructedAmount: { currency: "EUR", amount: "99000000" } };

  test("rejects a payment after three days", async () => {
    const paymentId = await authorised(tooMuch);
    expect(await bank.client.payments.getStatus({ ...single, paymentId })).toEqual({
      transactionStatus: "ACTC",
      fundsAvailable: false,
    });
    bank.sandbox.advance(2 * day);
    expect(await statusOf(paymentId)).toBe("ACTC");
    bank.sandbox.advance(day + minute);
    expect(await statusOf(paymentId)).toBe("RJCT");
  });

  test("rejects a payment at once if the client prefers it", async () => {
    const paymentId = await authorised({ ...tooMuch, "TPP-Rejection-NoFunds-Preferred": true });
    expect(await statusOf(paymentId)).toBe("RJCT");
  });
});

/** Initiates an authorised bulk payment, executed unless it has a future day. */
const initiateBulk = async (payments: readonly ReturnType<typeof transfer>[], more: object = {}) => {
  const { paymentId, _links } = await bank.client.payments.initiateBulk({
    ...product,
    debtorAccount: { iban: debtor.iban },
    payments: [...payments],
    ...more,
  });
  await decide(_links.scaRedirect, "approve");
  bank.sandbox.advance(4 * second);
  return paymentId;
};

describe("a bulk", () => {
  test("is booked individually", async () => {
    const paymentId = await initiateBulk([transfer("10"), transfer("20")]);
    expect(await statusOf(paymentId, bulk)).toBe("ACSC");
    const amounts = (await report("booked")).map(({ transactionAmount }) => transactionAmount.amount);
    expect(amounts.slice(0, 2)).toEqual(["-20.00", "-10.00"]);
    const read = await bank.client.payments.getBulk({ ...product, paymentId });
    expect(read).toMatchObject({ payments: [transfer("10"), transfer("20")], transactionStatus: "ACSC" });
  });

  test("is booked as one entry on request", async () => {
    await initiateBulk([transfer("10"), transfer("20")], { batchBookingPreferred: true });
    expect((await report("booked"))[0]).toMatchObject({ transactionAmount: { amount: "-30.00" } });
  });

  test("is partly settled, or rejected if no payment is possible", async () => {
    const part = await initiateBulk([transfer("99999999"), transfer("20")]);
    bank.sandbox.control.advanceClock({ days: 7 });
    expect(await statusOf(part, bulk)).toBe("PART");
    const amounts = (await report("booked")).map(({ transactionAmount }) => transactionAmount.amount);
    expect(amounts.filter((amount) => /^-(20|99999999)\.00$/.test(amount))).toEqual(["-20.00"]);
    const none = await initiateBulk([transfer("99999999")]);
    bank.sandbox.control.advanceClock({ days: 7 });
    expect(await statusOf(none, bulk)).toBe("RJCT");
  });

  test("is refused with the total if a statement cannot carry it", async () => {
    const most = (number: number) => Array.from({ length: number }, () => transfer("99999999999.99"));
    const terms = { ...product, debtorAccount: { iban: debtor.iban } };
    const initiateAll = (payments: object[]) =>
      bank.client.payments.initiateBulk({ ...terms, payments } as never);
    expect((await initiateAll(most(10))).transactionStatus).toBe("RCVD");
    await expect(initiateAll(most(11))).rejects.toMatchObject({
      ...refusal(400, "FORMAT_ERROR"),
      message: expect.stringContaining("1099999999999.89") as string,
    });
  });

  test("waits for its execution day", async () => {
    const paymentId = await initiateBulk([transfer("10")], { requestedExecutionDate: "2026-03-05" });
    bank.sandbox.advance(2 * day);
    expect(await statusOf(paymentId, bulk)).toBe("ACTC");
    bank.sandbox.advance(day);
    expect(await statusOf(paymentId, bulk)).toBe("ACSC");
  });
});

describe("a standing order", () => {
  const monthly = {
    ...periodic,
    startDate: "2026-03-07",
    endDate: "2026-05-31",
    frequency: "Monthly",
  } as const;

  test("pays on the business days of its months and then settles", async () => {
    const paymentId = await authorised(monthly);
    expect(await report("information")).toMatchObject([
      {
        transactionAmount: { amount: "-125.50" },
        additionalInformationStructured: {
          standingOrderDetails: { startDate: "2026-03-07", frequency: "Monthly" },
        },
      },
    ]);
    bank.sandbox.advance(100 * day);
    expect(await statusOf(paymentId, periodic)).toBe("ACSC");
    expect(await paidOn()).toEqual(["2026-05-07", "2026-04-07", "2026-03-09"]);
    expect(await report("information")).toEqual([]);
  });

  test("stops when it is cancelled", async () => {
    const paymentId = await authorised(monthly);
    bank.sandbox.advance(10 * day);
    await bank.client.payments.cancel({ ...periodic, paymentId });
    const { _links } = await bank.client.payments.startAuthorisation({
      ...periodic,
      paymentId,
      "payment-authorisation": "cancellation-authorisations",
    });
    await decide(_links.scaRedirect, "approve");
    bank.sandbox.advance(100 * day);
    expect(await statusOf(paymentId, periodic)).toBe("CANC");
    expect(await paidOn()).toEqual(["2026-03-09"]);
  });
});

test.each<[string, Partial<NewPayment>, number, string]>([
  [
    "an account that is not the client's",
    { debtorAccount: { iban: "NL13TEST0123456789" } },
    400,
    "RESOURCE_UNKNOWN",
  ],
  [
    "more than a statement can carry",
    { instructedAmount: { currency: "EUR", amount: "1000000000000" } },
    400,
    "FORMAT_ERROR",
  ],
  ["no IBAN for a euro product", { creditorAccount: { bban: "12345" } }, 403, "PRODUCT_INVALID"],
  [
    "a standing order on a day",
    { ...periodic, startDate: "2026-03-05", frequency: "Weekly", requestedExecutionDate: "2026-03-20" },
    400,
    "FORMAT_ERROR",
  ],
  [
    "a day in the past",
    { ...periodic, startDate: "2026-03-01", frequency: "Weekly" },
    400,
    "EXECUTION_DATE_INVALID",
  ],
  [
    "a standing order without a day",
    {
      ...periodic,
      startDate: "2026-03-20",
      endDate: "2026-03-25",
      dayOfExecution: "1",
      frequency: "Monthly",
    },
    400,
    "EXECUTION_DATE_INVALID",
  ],
  [
    "a day beyond a year",
    { ...periodic, startDate: "9999-12-31", frequency: "Daily" },
    400,
    "EXECUTION_DATE_INVALID",
  ],
])("refuses %s", async (_what, more, status, code) => {
  await expect(initiate(more)).rejects.toMatchObject(refusal(status, code));
});

describe.each(["sepa-credit-transfers", "cross-border-credit-transfers"] as const)("by %s", (name) => {
  test.each([
    [{}, "FORMAT_ERROR"],
    [{ currency: "EUR" }, "FORMAT_ERROR"],
    [{ other: { identification: "X" } }, "PARAMETER_NOT_SUPPORTED"],
    [{ pan: "4711" }, "PARAMETER_NOT_SUPPORTED"],
    [{ msisdn: "+49 170" }, "PARAMETER_NOT_SUPPORTED"],
  ])("refuses the creditor account %j and names the field", async (creditorAccount, code) => {
    const at = { "payment-product": name };
    await expect(initiate({ ...at, creditorAccount })).rejects.toMatchObject({
      ...refusal(400, code),
      message: expect.stringMatching(/creditorAccount .*an iban or a bban/) as string,
    });
    const payments = [transfer("1"), { ...transfer("1"), creditorAccount }];
    const whole = { ...at, debtorAccount: { iban: debtor.iban }, payments };
    await expect(bank.client.payments.initiateBulk(whole as never)).rejects.toMatchObject({
      ...refusal(400, code),
      message: expect.stringContaining("payments.1.creditorAccount ") as string,
    });
  });
});

test("responds to unknown payments and wrong products with 403", async () => {
  const { paymentId } = await initiate();
  const elsewhere = { "payment-product": "target-2-payments" } as const;
  for (const input of [
    { ...product, paymentId: "nothing" },
    { ...elsewhere, paymentId },
  ])
    await expect(bank.client.payments.get(input)).rejects.toMatchObject(refusal(403, "RESOURCE_UNKNOWN"));
});

describe("an initiation that repeats the X-Request-ID of another", () => {
  let requestId: string;
  beforeEach(() => {
    requestId = newRequestId();
  });

  const initiateAs = (id: string, more: Partial<NewPayment> = {}) =>
    bank.client.payments.initiate.response(termsOf(more), { requestId: id });

  /** Counts the payments waiting for authorisation. */
  const countPendingPayments = () => bank.sandbox.control.listAuthorisations().length;

  test("gets the first response and starts nothing", async () => {
    const { body, headers } = await initiateAs(requestId);
    await decide(body._links.scaRedirect, "approve");
    bank.sandbox.advance(minute);
    const again = await initiateAs(requestId);
    expect(again).toMatchObject({ status: 201, body, requestId });
    expect(again.headers.location).toBe(headers.location);
    expect(countPendingPayments()).toBe(0);
  });

  test.each<[string, () => Promise<unknown>]>([
    [
      "a bulk",
      () =>
        bank.client.payments.initiateBulk(
          { ...product, debtorAccount: { iban: debtor.iban }, payments: [transfer("10"), transfer("20")] },
          { requestId },
        ),
    ],
    [
      "a document",
      () =>
        bank.client.payments.initiate(
          {
            "payment-service": "payments",
            "payment-product": "pain.001-sepa-credit-transfers",
            pain001: pain001({ debtor: debtor.iban }),
          },
          { requestId },
        ),
    ],
  ])("gets the same response to %s", async (_what, send) => {
    const first = await send();
    expect(await send()).toEqual(first);
    expect(countPendingPayments()).toBe(1);
  });

  test("creates a payment once after a lost response", async () => {
    bank.sandbox.control.addFault({ operation: "payments.initiate", kind: "reset-after" });
    await expect(initiateAs(requestId)).rejects.toMatchObject({ code: "outcome_unknown" });
    expect((await initiateAs(requestId)).body.transactionStatus).toBe("RCVD");
    expect(countPendingPayments()).toBe(1);
  });

  test.each<[string, Partial<NewPayment>]>([
    ["amount", { instructedAmount: { currency: "EUR", amount: "125.51" } }],
    ["product", { "payment-product": "instant-sepa-credit-transfers" }],
  ])("is refused for another %s and starts nothing", async (_what, more) => {
    await initiateAs(requestId);
    await expect(initiateAs(requestId, more)).rejects.toMatchObject(refusal(400, "FORMAT_ERROR"));
    expect(countPendingPayments()).toBe(1);
  });

  test("starts another payment a day later, as does another ID at once", async () => {
    const first = await initiateAs(requestId);
    const other = await initiateAs(newRequestId());
    bank.sandbox.advance(day);
    const later = await initiateAs(requestId);
    expect(new Set([first, other, later].map(({ body }) => body.paymentId)).size).toBe(3);
  });

  test("corrects a refused one", async () => {
    const wrong = { creditorAccount: { bban: "12345" } };
    await expect(initiateAs(requestId, wrong)).rejects.toMatchObject(refusal(403, "PRODUCT_INVALID"));
    expect((await initiateAs(requestId)).status).toBe(201);
  });
});
