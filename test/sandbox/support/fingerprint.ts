/** Serialises everything in a world that a call could change, for comparison. */
import type { Consent, ReadCount } from "../../../sandbox/src/world/model/consent";
import type { Payment } from "../../../sandbox/src/world/model/payment";
import type { Account } from "../../../sandbox/src/world/model/account";
import type { Trade, TradePayment } from "../../../sandbox/src/world/model/trade";
import type { World } from "../../../sandbox/src/world/model/world";

const paymentParts = ({ paymentId, status, approvedBy, returned, beneficiary }: TradePayment) => [
  paymentId,
  status,
  approvedBy,
  returned,
  beneficiary,
];

const tradeParts = (trade: Trade) => [
  trade.tradeId,
  trade.funded,
  trade.deposited,
  trade.heldDeposit,
  trade.calls,
  trade.paidCalls,
  trade.difference,
  trade.owedFee,
  trade.settled,
  trade.ended,
  trade.drawdowns.length,
  trade.payments.map(paymentParts),
];

const readsParts = ([thing, { times, lastAt, pages }]: readonly [string, ReadCount]) => [
  thing,
  times,
  lastAt,
  ...pages,
];

const consentParts = (consent: Consent) => [
  consent.consentId,
  consent.status,
  consent.access,
  consent.lastActionDate,
  consent.allHistoryUntil,
  Object.values<readonly Account[]>({ ...consent.grant }).map((accounts) =>
    accounts.map(({ accountId }) => accountId),
  ),
  consent.unattended.day,
  [...consent.unattended.reads].map(readsParts),
  [...consent.reported],
];

const bankPaymentParts = ({ paymentId, status, unsigned, cancelling, unpaid }: Payment) => [
  paymentId,
  status,
  unsigned,
  cancelling,
  unpaid.size,
];

const priced = ["EUR", "GBP", "JPY", "INR"];

/** Advance of a stepped clock per request. */
const tickMs = 100;

/** Runs the events due by the next request, because the request does not cause them. */
export function fingerprintBefore(world: World): string {
  world.runEventsUntil(new Date(world.clock.now().getTime() + tickMs));
  return fingerprint(world);
}

export function fingerprint(world: World): string {
  const { ledger, accounts, accountDetails, quotes, trades, statements, approvals, openBanking, rates } =
    world;
  const {
    consents,
    payments,
    authorisations,
    rememberedResponses: storedResponses,
    signatories,
  } = openBanking;
  return JSON.stringify([
    ledger.state.books.map(({ key, lines }) => [key, lines.at(-1)!.balance]),
    accounts.size,
    [...accountDetails].map(([id, { alias, status, primary }]) => [id, alias, status, primary]),
    world.beneficiaries,
    [...quotes].map(([id, { used }]) => [id, used]),
    [...trades.values()].map(tradeParts),
    [...statements].map(([id, { readyAt, failed }]) => [id, readyAt, failed]),
    world.nextStatement,
    [...approvals],
    [...consents.values()].map(consentParts),
    [...payments.values()].map(bankPaymentParts),
    [...authorisations].map(([id, { scaStatus }]) => [id, scaStatus]),
    [...storedResponses.keys()],
    signatories,
    world.outbox.mails.length,
    priced.map((currency) => rates.midRate(currency, "USD", "2026-01-01").rate),
  ]);
}
