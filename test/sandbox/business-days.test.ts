/** Tests business days, cut-offs and the days of standing orders. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { paymentSystemOf } from "@fxdesk/toolkit/calendars";
import type { Sandbox } from "@fxdesk/sandbox";
import { nextExecutionDay, type StandingOrder } from "../../sandbox/src/world/model/payment";
import { makeQuote } from "../support/samples";
import { decide, openBank } from "./open-banking/bank";

const sepa = paymentSystemOf("EUR", "sepa-credit-transfers");

let sandbox: Sandbox;
let client: FxdeskClient;
const start = async (now: string) =>
  ({ sandbox, client } = await openBank({}, { now: new Date(now), daysBehind: 5 }));

const until = (now: string) => sandbox.control.setClock({ now });

const accountIn = async (currency: string) =>
  (await client.accounts.list({ currencies: currency }))[0]!.account_id;

const transfer = (product: string, creditor = "FR6400000000000000012345697", more = {}) => ({
  "payment-service": "payments" as const,
  "payment-product": product as "sepa-credit-transfers",
  instructedAmount: { currency: "EUR", amount: "12.00" },
  creditorAccount: { iban: creditor },
  creditorName: "Ferme Duval SARL",
  ...more,
});

async function paid(body: ReturnType<typeof transfer>): Promise<(at?: string) => Promise<string>> {
  const account_id = await accountIn("EUR");
  const { iban } = await client.accounts.getFunding({ account_id });
  const { paymentId, _links } = await client.payments.initiate({ ...body, debtorAccount: { iban: iban! } });
  await decide(_links.scaRedirect, "approve");
  return async (at) => {
    if (at !== undefined) until(at);
    const named = {
      "payment-service": body["payment-service"],
      "payment-product": body["payment-product"],
      paymentId,
    };
    return ((await client.payments.getStatus(named)) as { transactionStatus: string }).transactionStatus;
  };
}

test.each([
  [
    "on Good Friday",
    "2026-04-03T09:00:00Z",
    "sepa-credit-transfers",
    "2026-04-06T23:59:00Z",
    "2026-04-07T08:00:10Z",
  ],
  [
    "on a Sunday",
    "2026-03-15T09:00:00Z",
    "cross-border-credit-transfers",
    "2026-03-16T07:59:00Z",
    "2026-03-16T08:00:10Z",
  ],
])(
  "makes a payment authorised %s (%s, %s) on the next morning",
  async (_when, now, product, before, after) => {
    await start(now);
    const statusAt = await paid(transfer(product));
    expect([await statusAt(), await statusAt(before), await statusAt(after)]).toEqual([
      "ACTC",
      "ACTC",
      "ACSC",
    ]);
  },
);

test("makes an instant payment on any day", async () => {
  await start("2026-04-03T23:00:00Z");
  const statusAt = await paid(transfer("instant-sepa-credit-transfers"));
  expect(await statusAt("2026-04-03T23:00:10Z")).toBe("ACSC");
});

test.each([
  ["sepa-credit-transfers", "AE070331234567890123456", "The product does not reach AE."],
  ["instant-sepa-credit-transfers", "TR330006100519786457841326", "The product does not reach TR."],
])("%s does not pay %s", async (product, iban, message) => {
  await start("2026-03-10T09:00:00Z");
  await expect(paid(transfer(product, iban))).rejects.toMatchObject({
    status: 403,
    service: { code: "PRODUCT_INVALID", message: expect.stringContaining(message) as string },
  });
  const statusAt = await paid(transfer("cross-border-credit-transfers", iban));
  expect(await statusAt("2026-03-10T09:00:10Z")).toBe("ACSC");
});

test.each(["INR", "CNY"])("trades %s without delivery only", async (currency) => {
  await start("2026-03-10T09:00:00Z");
  const body = { sell_currency: "EUR", buy_currency: currency };
  for (const trade_type of ["spot", "forward", "window_forward"])
    await expect(makeQuote(client, { ...body, trade_type, value_date: "2026-06-10" })).rejects.toMatchObject({
      status: 400,
      service: { details: `trade_type must be ndf: ${currency} is not deliverable` },
    });
  expect(await makeQuote(client, { ...body, trade_type: "ndf", value_date: "2026-06-10" })).toMatch(
    /^[0-9a-f]{32}$/,
  );
});

test("supports three decimals and a weekend on Friday and Saturday", async () => {
  await start("2026-03-09T09:00:00Z");
  const { body } = await client.request({
    method: "POST",
    path: "/quotes",
    query: { client_id: sandbox.demo.clientId },
    body: {
      amount: 1000.125,
      operation: "buy",
      sell_currency: "EUR",
      buy_currency: "KWD",
      trade_type: "forward",
      value_date: "2026-03-13",
    },
  });
  expect(body).toMatchObject({ buy_amount: 1000.125, value_date: "2026-03-16" });
  await expect(makeQuote(client, { sell_currency: "KWD", amount: 1.0001 })).rejects.toMatchObject({
    status: 400,
  });
});

describe("a standing order", () => {
  /** Returns the first execution days of an order. */
  function first(count: number, order: StandingOrder): string[] {
    const days: string[] = [];
    let next = nextExecutionDay(order, sepa, 0);
    while (next && days.length < count) {
      days.push(next.day);
      next = nextExecutionDay(order, sepa, next.number + 1);
    }
    return days;
  }

  const all = (order: StandingOrder): string[] => first(Infinity, order);

  test.each<[string, StandingOrder, string[]]>([
    [
      "every day",
      { startDate: "2026-03-02", frequency: "Daily" },
      ["2026-03-02", "2026-03-03", "2026-03-04"],
    ],
    [
      "every week",
      { startDate: "2026-03-02", frequency: "Weekly" },
      ["2026-03-02", "2026-03-09", "2026-03-16"],
    ],
    [
      "every quarter",
      { startDate: "2026-01-15", frequency: "Quarterly" },
      ["2026-01-15", "2026-04-15", "2026-07-15"],
    ],
    [
      "on the last of the month, where it is a business day",
      { startDate: "2026-01-01", frequency: "Monthly", dayOfExecution: "31", executionRule: "preceding" },
      ["2026-01-30", "2026-02-27", "2026-03-31"],
    ],
    [
      "from the first day of execution after the start",
      { startDate: "2026-03-20", frequency: "Monthly", dayOfExecution: "7" },
      ["2026-04-07", "2026-05-07", "2026-06-08"],
    ],
    [
      "in some months",
      { startDate: "2026-01-05", frequency: "MonthlyVariable", monthsOfExecution: ["2", "10"] },
      ["2026-02-05", "2026-10-05", "2027-02-05"],
    ],
  ])("%s", (_when, order, days) => {
    expect(first(3, order)).toEqual(days);
  });

  test("ends with its last day", () => {
    const order = { startDate: "2026-03-02", endDate: "2026-03-16", frequency: "Weekly" } as const;
    expect(all(order)).toEqual(["2026-03-02", "2026-03-09", "2026-03-16"]);
  });

  test.each<[string, StandingOrder, string[]]>([
    [
      "after its last day",
      { startDate: "2026-03-06", endDate: "2026-03-07", frequency: "Daily" },
      ["2026-03-06"],
    ],
    [
      "before its first day",
      { startDate: "2026-03-01", endDate: "2026-03-03", frequency: "Daily", executionRule: "preceding" },
      ["2026-03-02", "2026-03-03"],
    ],
  ])("skips %s if that day moves to another", (_when, order, days) => {
    expect(all(order)).toEqual(days);
  });

  test.each<[string, StandingOrder, string[]]>([
    [
      "its first",
      { startDate: "2026-03-02", endDate: "2026-03-31", frequency: "Monthly", dayOfExecution: "1" },
      ["2026-03-02"],
    ],
    [
      "its last",
      { startDate: "2026-02-28", endDate: "2026-03-27", frequency: "Monthly", executionRule: "preceding" },
      ["2026-03-27"],
    ],
  ])("pays on the %s day to which others move", (_which, order, days) => {
    expect(all(order)).toEqual(days);
  });
});
