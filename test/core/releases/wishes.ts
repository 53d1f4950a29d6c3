/** What is asked for at a desk. */
import type { Wish } from "../../../core/releases/desk";
import type { SealedCall } from "../../../core/releases/terms";
import { people } from "./place";

const call: SealedCall = {
  kind: "call",
  effect: "money",
  operation: "trades.book",
  environment: "sandbox",
  client: "C-1",
  asker: "desk",
  surface: "client",
  validUntil: Date.now() + 3_600_000,
  terms: { method: "POST", address: "a", target: "b", headers: {}, values: {}, given: {} },
};

export const wish = (name: string, more: Partial<SealedCall> = {}): Wish => ({
  sealed: { ...call, ...more },
  given: { name },
  key: name,
  needs: [{ yes: 1, from: people }],
});
