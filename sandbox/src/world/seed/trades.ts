/** Seeds the demo company's trades: a year of hedging, and one open trade of each type and status. */
import type { TradePaymentStatus } from "../common/enumerations";
import { Big } from "big.js";
import { findOrOpenAccount, availableBalance } from "../accounts/accounts";
import { nextBusinessDay, previousBusinessDay, addDays, dayOf, timeAtHour } from "@fxdesk/toolkit/calendars";
import { previousMarketDay } from "../money/market-days";
import { roundAmount } from "../money/currencies";
import { convertAmount, feeFor } from "../money/fx";
import { createOffer } from "../trades/pricing";
import { demo } from "../parties/parties";
import { allocateFunds } from "../trades/payments";
import { hasAccount, type Trade, unallocatedAmount } from "../model/trade";
import { bookTrade, cancelTrade, fundTrade } from "../trades/trading";
import type { World } from "../model/world";
import type { PlanStep, TradePlan } from "../model/scheduled-events";

const demoCurrencies = ["EUR", "GBP", "USD", "JPY"];
const hourOfBooking = 10;
const followUpHour = 11;

/** Time of follow-up steps on the day of booking. */
const followUpTime = (day: string) => timeAtHour(day, followUpHour);

/** Returns the first business day of all demo currencies at or after this many days. */
const businessDayAfter = (day: string, days: number) => nextBusinessDay(addDays(day, days), demoCurrencies);

export function scheduleTrades(world: World, start: string, today: string): void {
  for (const plan of [...hedgePlans(world, start, today), ...openTradePlans(world, today)])
    if (plan.bookedOn >= start) schedulePlan(world, plan);
}

const schedulePlan = (world: World, plan: TradePlan): void =>
  world.scheduledEvents.schedule(timeAtHour(plan.bookedOn, hourOfBooking), "plan-is-booked", plan);

/** Books a planned trade and schedules its follow-up steps. */
export function bookPlan(world: World, plan: TradePlan): void {
  const { type, buy, sell, amount, maturesOn, synthetic = false, reference } = plan;
  const { terms } = createOffer(world, {
    clientId: demo.clientId,
    type,
    buyCurrency: buy,
    sellCurrency: sell,
    fixed: "sell",
    amount: new Big(amount),
    valueDate: maturesOn,
  });
  const trade = bookTrade(world, { ...terms, synthetic, reference });
  for (const [at, step] of plan.afterwards ?? [])
    world.scheduledEvents.schedule(at, "plan-goes-on", trade, step);
}

const hedgedPairs = [
  ["USD", "EUR"],
  ["GBP", "EUR"],
  ["EUR", "USD"],
  ["JPY", "EUR"],
  ["EUR", "GBP"],
] as const;

/** Plans a spot trade about every two weeks, funded the same day; about half of them pay a supplier. */
function hedgePlans(world: World, start: string, today: string): TradePlan[] {
  const random = world.random.fork("hedging");
  const plans: TradePlan[] = [];
  for (
    let day = businessDayAfter(start, 5);
    day < addDays(today, -7);
    day = businessDayAfter(day, random.integer(9, 17))
  ) {
    const [buy, sell] = random.pick(hedgedPairs);
    plans.push({
      type: "spot",
      buy,
      sell,
      amount: random.integer(10, 60) * 250,
      bookedOn: day,
      reference: `HEDGE-${day}`,
      afterwards: random.chance(0.5)
        ? [
            [followUpTime(day), fundStep(1)],
            [followUpTime(day), setAsideStep(0.7)],
          ]
        : [[followUpTime(day), fundStep(1)]],
    });
  }
  return plans;
}

/** Plans one trade of each type and status, as of today. */
function openTradePlans(world: World, today: string): TradePlan[] {
  // Trades dealt on the last market day settle after today.
  const yesterday = previousMarketDay(today);
  const next = followUpTime(yesterday);
  // Validation takes a minute, so this step must start just before now to be seen in progress.
  const justNow = new Date(world.clock.now().getTime() - 1_000);
  const ago = (days: number) => previousBusinessDay(addDays(today, -days), demoCurrencies);
  const ahead = (days: number) => businessDayAfter(today, days);
  const spot = { type: "spot", buy: "USD", sell: "EUR", bookedOn: yesterday } as const;
  return [
    { ...spot, amount: 12_000, reference: "PO-7000" },
    { ...spot, amount: 18_000, reference: "PO-7001", afterwards: [[next, fundStep(0.4)]] },
    { ...spot, amount: 9_000, reference: "PO-7002", afterwards: [[next, fundStep(1)]] },
    {
      ...spot,
      amount: 15_000,
      reference: "PO-7003",
      afterwards: [
        [next, fundStep(1)],
        [next, setAsideStep(0.3)],
        [next, setAsideStep(0.2, "Payment pending of authorization")],
        [next, setAsideStep(0.1, "Payment rejected")],
        [next, setAsideStep(0.1, "Payment cancelled")],
      ],
    },
    {
      ...spot,
      buy: "GBP",
      amount: 7_500,
      reference: "PO-7004",
      afterwards: [
        [next, fundStep(1)],
        [next, setAsideStep(0.5, "Need more beneficiary information")],
        [justNow, { kind: "set-aside", status: "Validating beneficiary information" }],
      ],
    },
    {
      ...spot,
      amount: 5_000,
      reference: "PO-7005",
      bookedOn: ago(5),
      afterwards: [[followUpTime(ago(5)), { kind: "cancel" }]],
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
        [followUpTime(ago(30)), { kind: "draw", amount: 20_000 }],
        [next, { kind: "draw", amount: 15_000 }],
      ],
    },
    { type: "ndf", buy: "INR", sell: "USD", amount: 30_000, bookedOn: ago(25), maturesOn: ahead(30) },
    { type: "ndf", buy: "INR", sell: "USD", amount: 25_000, bookedOn: ago(150), maturesOn: ago(60) },
  ];
}

const fundStep = (share: number): PlanStep => ({ kind: "fund", share });

const setAsideStep = (share: number, status?: TradePaymentStatus): PlanStep => ({
  kind: "set-aside",
  share,
  ...(status && { status }),
});

/** Executes a follow-up step of a planned trade. */
export function continuePlan(world: World, trade: Trade, step: PlanStep): void {
  switch (step.kind) {
    case "fund":
      return fundShare(world, trade, step.share);
    case "set-aside":
      return setAside(world, trade, step.share, step.status);
    case "draw":
      return drawDown(world, trade, step.amount);
    case "cancel":
      return cancelTrade(world, trade);
  }
}

function fundShare(world: World, trade: Trade, share: number): void {
  const { amount, currency } = trade.sell;
  const part = roundAmount(amount.times(share), currency);
  if (part.lte(availableBalance(world, findOrOpenAccount(world, trade, currency))))
    fundTrade(world, trade, part);
}

function setAside(
  world: World,
  trade: Trade,
  share: number | undefined,
  status: TradePaymentStatus | undefined,
): void {
  const amount =
    share === undefined
      ? unallocatedAmount(trade)
      : roundAmount(trade.buy.amount.times(share), trade.buy.currency);
  const isKnown = status !== "Need more beneficiary information";
  const beneficiary = world.beneficiaries.find(
    (each) => each.currency === trade.buy.currency && hasAccount(each) === isKnown,
  )!;
  allocateFunds(world, trade, beneficiary, amount, { status });
}

function drawDown(world: World, parent: Trade, amount: number): void {
  const sell = { amount: new Big(amount), currency: parent.sell.currency };
  const { clientId, rate, reference } = parent;
  bookTrade(world, {
    clientId,
    type: "drawdown",
    parent,
    buy: convertAmount(sell, rate),
    sell,
    rate,
    fee: feeFor(sell),
    maturityDate: businessDayAfter(dayOf(world.now), 2),
    reference,
  });
}
