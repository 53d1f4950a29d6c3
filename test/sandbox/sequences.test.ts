/** Whatever is done, in whatever order: a documented answer, and books that agree. FXDESK_RUNS raises how often. */
import * as fc from "fast-check";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { encodeRequest, operations, type Values } from "@fxdesk/toolkit/operations";
import { demo, Refusal, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { Big } from "big.js";
import { requestValues } from "../support/arbitrary";
import { sandboxClient } from "../support/samples";
import { ask, demoHeaders } from "./support/http";

const now = "2026-03-16T09:00:00Z";
const currencies = ["EUR", "GBP", "USD", "JPY", "INR"] as const;
const numRuns = Number(process.env.FXDESK_RUNS ?? 25);

let sandbox: Sandbox;
let client: FxdeskClient;
beforeAll(async () => {
  sandbox = await startSandbox({ now: new Date(now) });
  client = sandboxClient(sandbox);
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
});

/** Something that somebody does, or time does. */
type Step = () => unknown;

const amounts = fc.integer({ min: 1, max: 9_000_000 }).map((cents) => new Big(cents).div(100).toFixed(2));
const currency = fc.constantFrom(...currencies);
const number = fc.nat(1_000);

const inEach = <T>(items: readonly T[], at: number): T | undefined => items[at % items.length];
const trades = () => client.trades.list({ page_size: 100 });

/** A control does its work or says why not: it never breaks. */
function control(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    expect([400, 404, 409]).toContain(error.status);
  }
}

/** A quote, and the trade that is booked from it when there is one. */
async function deal(body: Values): Promise<void> {
  const query = `client_id=${demo.clientId}`;
  const headers = { ...demoHeaders, "content-type": "application/json" };
  const quoted = await ask(sandbox, `/quotes?${query}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  expect([201, 400, 404, 409]).toContain(quoted.status);
  if (quoted.status !== 201) return;
  const { book_trade: path } = JSON.parse(quoted.text) as { book_trade: string };
  const booked = await ask(sandbox, path, { method: "POST", headers, body: '{"reason":"other"}' });
  expect(booked.status).toBe(201);
}

const dealing = fc
  .record({
    trade_type: fc.constantFrom("spot", "forward", "window_forward", "ndf"),
    operation: fc.constantFrom("buy", "sell"),
    buy_currency: currency,
    sell_currency: currency,
    amount: amounts,
    value_date: fc.constantFrom("2026-03-20", "2026-04-03", "2026-06-30"),
  })
  .map(
    (body): Step =>
      () =>
        deal(body),
  );

const drawing = fc.tuple(number, amounts).map(([at, amount]): Step => async () => {
  const parent = inEach(await client.trades.list({ trade_type: ["forward", "window_forward"] }), at);
  if (!parent) return;
  const { trade_id: parent_trade_id, buy_currency, sell_currency } = parent;
  await deal({
    trade_type: "drawdown",
    operation: "sell",
    parent_trade_id,
    buy_currency,
    sell_currency,
    amount,
  });
});

const paying = fc.tuple(number, number, amounts).map(([at, to, amount]): Step => async () => {
  const trade = inEach(await trades(), at)!;
  const { beneficiary_id } = inEach(sandbox.control.listBeneficiaries(), to)!;
  const { trade_id } = trade;
  control(() => sandbox.control.allocatePayment({ trade_id, beneficiary_id, amount }));
});

const deciding = fc
  .record({
    at: number,
    contact_id: fc.constantFrom(demo.contactId, "contact-second-admin", "contact-approver"),
    what: fc.constantFrom("approve", "reject", "return"),
  })
  .map(({ at, contact_id, what }): Step => async () => {
    const { trade_id } = inEach(
      (await trades()).filter(({ beneficiaries }) => beneficiaries.length > 0),
      at,
    )!;
    const { payments } = await client.trades.get({ trade_id, response_model: "ExtendedBookedTrade" });
    const payment_id = inEach(payments!, at)!.payment_id!;
    control(() =>
      what === "return"
        ? sandbox.control.returnPayment({ payment_id })
        : sandbox.control.decidePayment({ payment_id, contact_id, decision: what }),
    );
  });

const payingIn = fc.tuple(currency, amounts, number).map(([into, amount, at]): Step => async () => {
  const reference = inEach(await trades(), at)!.trade_id;
  control(() => sandbox.control.payIn({ currency: into, amount, reference }));
});

const moving = fc
  .tuple(fc.constantFrom("EURUSD", "GBPUSD", "USDJPY", "USDINR"), fc.integer({ min: 1, max: 2_000_000 }))
  .map(
    ([symbol, millionths]): Step =>
      () =>
        control(() => sandbox.control.moveRate({ symbol, rate: millionths / 1_000_000 })),
  );

const waiting = fc.integer({ min: 1, max: 30 }).map(
  (days): Step =>
    () =>
      void sandbox.control.advanceClock({ days }),
);

/** What an operation may answer: what it documents, and what a server needs beyond that. */
const needed = [400, 404, 422];

const asking = fc.oneof(
  ...operations
    .filter(({ server }) => server === "service")
    .map((operation) =>
      requestValues(operation, new Date(now)).map((values): Step => async () => {
        const about = "client_id" in values && operation.name !== "login.getPage";
        const { target, headers, body } = encodeRequest(operation, {
          ...values,
          ...(about && { client_id: demo.clientId }),
        });
        const { status } = await ask(sandbox, target, {
          method: operation.method,
          headers: { ...headers, ...demoHeaders },
          ...(body !== undefined && { body }),
        });
        const documented = Object.keys({ ...operation.answers, ...operation.errors }).map(Number);
        expect([operation.name, ...documented, ...needed].filter((each) => each !== 502)).toContain(status);
      }),
    ),
);

async function checkBooks(): Promise<void> {
  for (const { account_id } of await client.accounts.list({ currencies: currencies.join(",") })) {
    const balance_types = ["InterimAvailable" as const];
    const [balance] = await client.accounts.listBalances({ account_id, balance_types });
    let running = new Big(balance!.amount.amount);
    expect(running.gte(0)).toBe(true);
    for await (const page of client.transactions.list.pages({ account_id, page_size: 100 }))
      for (const { amount, balance: after, credit_debit_indicator: side } of page) {
        expect(after!.amount.amount).toBe(running.toFixed(after!.amount.amount.split(".")[1]?.length ?? 0));
        running = side === "Debit" ? running.plus(amount.amount) : running.minus(amount.amount);
      }
    expect(running.toFixed()).toBe("0");
  }
}

test(
  "nothing breaks the books, and nothing answers what nobody documented",
  async () => {
    const step = fc.oneof(dealing, drawing, paying, deciding, payingIn, moving, waiting, asking);
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      sandbox.control.reset();
      for (const act of steps) await act();
      await checkBooks();
    });
    await fc.assert(property, { numRuns });
  },
  20_000 + numRuns * 2_000,
);
