/** What in a world a call could change, as text: the same text, the same world. */
import type { Trade, TradePayment } from "../../../sandbox/src/world/trades";
import type { World } from "../../../sandbox/src/world/world";

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
  trade.margin,
  trade.called,
  trade.callDueDate,
  trade.variation,
  trade.settled,
  trade.ended,
  trade.drawdowns.length,
  trade.payments.map(paymentParts),
];

const priced = ["EUR", "GBP", "JPY", "INR"];

export function fingerprint(world: World): string {
  const { ledger, accounts, accountDetails, quotes, trades, statements, approvals, openBanking, rates } =
    world;
  const { consents, payments, authorisations, signatories } = openBanking;
  return JSON.stringify([
    [...ledger.balances()],
    accounts.size,
    [...accountDetails].map(([id, { alias, status, primary }]) => [id, alias, status, primary]),
    world.beneficiaries,
    [...quotes].map(([id, { used }]) => [id, used]),
    [...trades.values()].map(tradeParts),
    [...statements].map(([id, { readyAt, failed }]) => [id, readyAt, failed]),
    world.nextStatement,
    [...approvals],
    [...consents].map(([id, { status, access }]) => [id, status, access]),
    [...payments].map(([id, { status, cancelling }]) => [id, status, cancelling]),
    [...authorisations].map(([id, { scaStatus }]) => [id, scaStatus]),
    signatories,
    world.outbox.mails.length,
    priced.map((currency) => rates.mid(currency, "USD", "2026-01-01").rate),
  ]);
}
