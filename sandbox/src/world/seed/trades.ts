/** The company's trades: a year of hedging, and at its end one of each kind and in each status. */
import type { TradePaymentStatus } from "../enumerations";
import { Big } from "big.js";
import { accountIn } from "../accounts/accounts";
import { nextBusinessDay, previousBusinessDay, previousMarketDay } from "../calendar/business-days";
import { rounded } from "../money/currencies";
import { addDays, dayOf, hourOf } from "../calendar/days";
import { converted, feeFor } from "../money/fx";
import { offer } from "../trades/pricing";
import { available } from "../ledger/movements";
import { demo } from "../parties/parties";
import { allocate } from "../trades/payments";
import { hasAccount, type Trade, unallocated } from "../trades/trades";
import { book, cancel, fund } from "../trades/trading";
import type { World } from "../world";
import type { Act, Plan } from "./plan";

const traded = ["EUR", "GBP", "USD", "JPY"];
const hourOfBooking = 10;
const hourAfter = 11;

/** When a plan goes on that was booked the same day. */
const later = (day: string) => hourOf(day, hourAfter);

/** The business day of all the company's currencies that is so many days on, or the next. */
const from = (day: string, days: number) => nextBusinessDay(addDays(day, days), traded);

export function scheduleTrades(world: World, start: string, today: string): void {
  for (const plan of [...hedges(world, start, today), ...openTrades(world, today)])
    if (plan.bookedOn >= start) schedule(world, plan);
}

const schedule = (world: World, plan: Plan): void =>
  world.agenda.schedule(hourOf(plan.bookedOn, hourOfBooking), "plan-is-booked", plan);

/** Books what was planned, and has the rest of the plan to come. */
export function bookPlan(world: World, plan: Plan): void {
  const { type, buy, sell, amount, maturesOn, synthetic = false, reference } = plan;
  const { terms } = offer(world, {
    clientId: demo.clientId,
    type,
    buyCurrency: buy,
    sellCurrency: sell,
    fixed: "sell",
    amount: new Big(amount),
    valueDate: maturesOn,
  });
  const trade = book(world, { ...terms, synthetic, reference });
  for (const [at, act] of plan.afterwards ?? []) world.agenda.schedule(at, "plan-goes-on", trade, act);
}

const pairs = [
  ["USD", "EUR"],
  ["GBP", "EUR"],
  ["EUR", "USD"],
  ["JPY", "EUR"],
  ["EUR", "GBP"],
] as const;

/** A spot trade every two weeks or so, paid for the same day; every other one pays a supplier. */
function hedges(world: World, start: string, today: string): Plan[] {
  const random = world.random.fork("hedging");
  const plans: Plan[] = [];
  for (let day = from(start, 5); day < addDays(today, -7); day = from(day, random.integer(9, 17))) {
    const [buy, sell] = random.pick(pairs);
    plans.push({
      type: "spot",
      buy,
      sell,
      amount: random.integer(10, 60) * 250,
      bookedOn: day,
      reference: `HEDGE-${day}`,
      afterwards: random.chance(0.5)
        ? [
            [later(day), payIn(1)],
            [later(day), setAside(0.7)],
          ]
        : [[later(day), payIn(1)]],
    });
  }
  return plans;
}

/** One trade of each type and in each status, as seen today. */
function openTrades(world: World, today: string): Plan[] {
  // What was dealt on the market's last day settles after today.
  const yesterday = previousMarketDay(today);
  const next = later(yesterday);
  // What takes a minute is seen under way.
  const justNow = new Date(world.clock.now().getTime() - 1_000);
  const ago = (days: number) => previousBusinessDay(addDays(today, -days), traded);
  const ahead = (days: number) => from(today, days);
  const spot = { type: "spot", buy: "USD", sell: "EUR", bookedOn: yesterday } as const;
  return [
    { ...spot, amount: 12_000, reference: "PO-7000" },
    { ...spot, amount: 18_000, reference: "PO-7001", afterwards: [[next, payIn(0.4)]] },
    { ...spot, amount: 9_000, reference: "PO-7002", afterwards: [[next, payIn(1)]] },
    {
      ...spot,
      amount: 15_000,
      reference: "PO-7003",
      afterwards: [
        [next, payIn(1)],
        [next, setAside(0.3)],
        [next, setAside(0.2, "Payment pending of authorization")],
        [next, setAside(0.1, "Payment rejected")],
        [next, setAside(0.1, "Payment cancelled")],
      ],
    },
    {
      ...spot,
      buy: "GBP",
      amount: 7_500,
      reference: "PO-7004",
      afterwards: [
        [next, payIn(1)],
        [next, setAside(0.5, "Need more beneficiary information")],
        [justNow, { kind: "set-aside-rest", status: "Validating beneficiary information" }],
      ],
    },
    {
      ...spot,
      amount: 5_000,
      reference: "PO-7005",
      bookedOn: ago(5),
      afterwards: [[later(ago(5)), { kind: "cancel" }]],
    },
    { type: "forward", buy: "USD", sell: "EUR", amount: 60_000, bookedOn: ago(30), maturesOn: ahead(60) },
    { type: "forward", buy: "EUR", sell: "GBP", amount: 20_000, bookedOn: ago(240), maturesOn: ago(90) },
    {
      type: "forward",
      buy: "JPY",
      sell: "EUR",
      amount: 25_000,
      bookedOn: ago(20),
      maturesOn: ahead(100),
      synthetic: true,
    },
    {
      type: "window_forward",
      buy: "USD",
      sell: "EUR",
      amount: 80_000,
      bookedOn: ago(60),
      maturesOn: ahead(45),
      reference: "FRAME-1",
      afterwards: [
        [later(ago(30)), { kind: "draw", amount: 20_000 }],
        [next, { kind: "draw", amount: 15_000 }],
      ],
    },
    { type: "ndf", buy: "INR", sell: "USD", amount: 30_000, bookedOn: ago(25), maturesOn: ahead(30) },
    { type: "ndf", buy: "INR", sell: "USD", amount: 25_000, bookedOn: ago(150), maturesOn: ago(60) },
  ];
}

const payIn = (share: number): Act => ({ kind: "fund", share });

const setAside = (share: number, status?: TradePaymentStatus): Act => ({
  kind: "set-aside",
  share,
  ...(status && { status }),
});

/** Goes on with a trade that was planned. */
export function goOn(world: World, trade: Trade, act: Act): void {
  switch (act.kind) {
    case "fund":
      return fundShare(world, trade, act.share);
    case "set-aside": {
      const { amount, currency } = trade.buy;
      return setAsideAmount(world, trade, rounded(amount.times(act.share), currency), act.status);
    }
    case "set-aside-rest":
      return setAsideAmount(world, trade, unallocated(trade), act.status);
    case "draw":
      return draw(world, trade, act.amount);
    case "cancel":
      return cancel(world, trade);
  }
}

function fundShare(world: World, trade: Trade, share: number): void {
  const { amount, currency } = trade.sell;
  const part = rounded(amount.times(share), currency);
  if (part.lte(available(world, accountIn(world, trade, currency)))) fund(world, trade, part);
}

function setAsideAmount(
  world: World,
  trade: Trade,
  amount: Big,
  status: TradePaymentStatus | undefined,
): void {
  const isKnown = status !== "Need more beneficiary information";
  const beneficiary = world.beneficiaries.find(
    (each) => each.currency === trade.buy.currency && hasAccount(each) === isKnown,
  )!;
  allocate(world, trade, beneficiary, amount, { status });
}

function draw(world: World, parent: Trade, amount: number): void {
  const sell = { amount: new Big(amount), currency: parent.sell.currency };
  const { clientId, rate, reference } = parent;
  book(world, {
    clientId,
    type: "drawdown",
    parent,
    buy: converted(sell, rate),
    sell,
    rate,
    fee: feeFor(sell),
    maturityDate: from(dayOf(world.now), 2),
    reference,
  });
}
