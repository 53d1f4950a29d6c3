/** Handlers of scheduled events, and the factory for worlds that run them. */
import { confirmIfPending } from "./accounts/account-details";
import type { EventArguments, ScheduledEvent } from "./model/scheduled-events";
import { expireConsent } from "./open-banking/consents";
import { lapseDecision } from "./open-banking/authorisations";
import {
  executePayment,
  payStandingOrder,
  returnTransfer,
  settlePayment,
} from "./open-banking/payment-lifecycle";
import { beginDay, returnSupplierPayment, payIfFunded, payInterest, paySupplier } from "./seed/business";
import { demoDescription } from "./seed/demo-world";
import { partiesFromDescription } from "./seed/seed-from-description";
import { bookPlan, continuePlan } from "./seed/trades";
import { fixDifference } from "./trades/cash-settlement";
import { receivePayment } from "./trades/incoming-payments";
import { checkMargin } from "./trades/margin";
import { completeTradePayment, executeTradePayment, completeValidation } from "./trades/payments";
import { collectFee, settleAtMaturity } from "./trades/trading";
import { type WorldOptions, World } from "./model/world";
import type { Parties } from "./parties/parties";

type EventHandlers = {
  readonly [Kind in keyof EventArguments]: (world: World, ...args: EventArguments[Kind]) => void;
};

const eventHandlers: EventHandlers = {
  "trade-matures": settleAtMaturity,
  "trade-is-fixed": fixDifference,
  "margin-is-watched": checkMargin,
  "fee-is-collected": collectFee,
  "quote-is-forgotten": ({ quotes }, quoteId) => void quotes.delete(quoteId),
  "beneficiary-is-validated": completeValidation,
  "trade-payment-is-executed": executeTradePayment,
  "trade-payment-completes": completeTradePayment,
  "details-are-confirmed": confirmIfPending,
  "decision-lapses": lapseDecision,
  "consent-expires": expireConsent,
  "payment-settles": settlePayment,
  "payment-is-executed": executePayment,
  "transfer-is-returned": returnTransfer,
  "standing-order-pays": payStandingOrder,
  "response-is-forgotten": ({ openBanking }, key) => void openBanking.rememberedResponses.delete(key),
  "day-begins": beginDay,
  "money-comes-in": (world, account, amount, movement) =>
    void receivePayment(world, account, amount, movement),
  "money-goes-out": (world, outgoing) => void payIfFunded(world, outgoing),
  "supplier-is-paid": paySupplier,
  "money-comes-back": returnSupplierPayment,
  "interest-is-paid": payInterest,
  "plan-is-booked": bookPlan,
  "plan-goes-on": continuePlan,
};

function handleEvent(world: World, { kind, args }: ScheduledEvent): void {
  const handle = eventHandlers[kind] as (world: World, ...args: readonly unknown[]) => void;
  handle(world, ...args);
}

/** Creates a world whose due events are handled. The parties default to those of the demo world. */
export const createWorld = (options: Omit<WorldOptions, "parties"> & { parties?: Parties }): World => {
  const parties = options.state?.parties ?? options.parties ?? partiesFromDescription(demoDescription());
  return new World({ ...options, parties }, handleEvent);
};
