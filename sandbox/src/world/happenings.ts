/** What happens when something is due, and worlds in which it does. */
import { confirm } from "./accounts/account-details";
import type { Due, Event } from "./agenda";
import { expire } from "./open-banking/consents";
import { lapse } from "./open-banking/decisions";
import { execute as executePayment, payOrder, settle } from "./open-banking/paying";
import { beginDay, giveBack, pay, payInterest, paySupplier } from "./seed/business";
import { bookPlan, goOn } from "./seed/trades";
import { fix } from "./trades/cash-settlement";
import { receive } from "./trades/incoming";
import { watchMargin } from "./trades/margin";
import { complete, execute, validated } from "./trades/payments";
import { collectFee, mature } from "./trades/trading";
import { type Given, World } from "./world";

type Happenings = { readonly [Kind in keyof Due]: (world: World, ...args: Due[Kind]) => void };

const happenings: Happenings = {
  "trade-matures": mature,
  "trade-is-fixed": fix,
  "margin-is-watched": watchMargin,
  "fee-is-collected": collectFee,
  "quote-is-forgotten": ({ quotes }, quoteId) => void quotes.delete(quoteId),
  "beneficiary-is-validated": validated,
  "trade-payment-is-executed": execute,
  "trade-payment-completes": complete,
  "details-are-confirmed": confirm,
  "decision-lapses": lapse,
  "consent-expires": expire,
  "payment-settles": settle,
  "payment-is-executed": executePayment,
  "standing-order-pays": payOrder,
  "response-is-forgotten": ({ openBanking }, key) => void openBanking.rememberedResponses.delete(key),
  "day-begins": beginDay,
  "money-comes-in": (world, account, amount, movement) => void receive(world, account, amount, movement),
  "money-goes-out": (world, outgoing) => void pay(world, outgoing),
  "supplier-is-paid": paySupplier,
  "money-comes-back": giveBack,
  "interest-is-paid": payInterest,
  "plan-is-booked": bookPlan,
  "plan-goes-on": goOn,
};

function happen(world: World, { kind, args }: Event): void {
  const handle = happenings[kind] as (world: World, ...args: readonly unknown[]) => void;
  handle(world, ...args);
}

/** A world in which what is due happens. */
export const newWorld = (given: Given): World => new World(given, happen);
