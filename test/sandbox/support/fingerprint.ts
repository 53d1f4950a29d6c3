/** Everything in a world that a call could change, as text: the same text, the same world. */
import type { World } from "../../../sandbox/src/world/world";

/** What refers to what by its identifier, and amounts as they are written. */
function plain(this: unknown, key: string, value: unknown): unknown {
  if (key === "parent" || key === "drawdowns" || key === "client" || key === "decision") return undefined;
  if (value instanceof Map || value instanceof Set) return [...value];
  if (typeof value === "bigint") return String(value);
  return value;
}

export function fingerprint(world: World): string {
  const {
    ledger,
    accounts,
    accountDetails,
    beneficiaries,
    quotes,
    trades,
    statements,
    approvals,
    openBanking,
  } = world;
  const { consents, payments, authorisations } = openBanking;
  return JSON.stringify(
    {
      balances: ledger.balances(),
      accounts,
      accountDetails,
      beneficiaries,
      quotes: [...quotes].map(([id, { used }]) => [id, used]),
      trades,
      statements: [...statements].map(([id, { readyAt, failed }]) => [id, readyAt, failed]),
      nextStatement: world.nextStatement,
      approvals,
      consents: [...consents.values()].map(({ consentId, status, access }) => [consentId, status, access]),
      payments: [...payments.values()].map(({ paymentId, status, cancelling }) => [
        paymentId,
        status,
        cancelling,
      ]),
      authorisations: [...authorisations].map(([id, { scaStatus }]) => [id, scaStatus]),
      mails: world.outbox.mails.length,
    },
    plain,
  );
}
