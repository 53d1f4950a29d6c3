/** Sample release requests. */
import type { ReleaseRequest } from "../../../core/releases/release-service";
import type { SealedCall } from "../../../core/releases/terms";
import { people } from "./release-fixture";

const call: SealedCall = {
  kind: "call",
  effect: "money",
  operation: "trades.book",
  environment: "sandbox",
  client: "C-1",
  requester: "desk",
  surface: "client",
  requestedAt: Date.now(),
  validUntil: Date.now() + 3_600_000,
  terms: { method: "POST", address: "a", target: "b", headers: {}, values: {}, given: {} },
};

export const sampleRequest = (name: string, more: Partial<SealedCall> = {}): ReleaseRequest => ({
  sealed: { ...call, ...more },
  given: { name },
  key: name,
  requirements: [{ approvals: 1, approvers: people }],
});
