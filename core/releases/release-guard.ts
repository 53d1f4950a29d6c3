/** Checks in the transaction that marks a request as sent: seal, approvals, policy and daily limit. */
import { Big } from "big.js";
import { FxdeskError } from "../spec/errors";
import type { SendGuard, SendTransaction } from "../store/database";
import {
  type ApprovalRequirement,
  findRequestProblem,
  findHoursViolation,
  findPolicyViolation,
  hasEnoughApprovals,
  needsCode,
  approvalRequirements,
} from "./policy-evaluation";
import type { People } from "../people/people-file";
import { hasValidSignature, isOfPresentEpoch } from "./decision-signature";
import { committedAmount } from "./committed-money";
import { commitmentsOf, commonScopes, findLimitViolation } from "./limits";
import { localTime, type Policy } from "./policy";
import type { Decision, Release } from "./release";
import { type SealedRequest, sealOf } from "./terms";
import {
  type DayCommitment,
  findRelease,
  listCommitted,
  listDecisions,
  markReleaseSent,
  readClock,
} from "./repository";

/** Policy and people that decide whether a request may be sent. Without requirements, no people are needed. */
export interface Authority {
  readonly policy: Policy | undefined;
  readonly people: People | undefined;
  /** Reads both again, because either may change while a request waits to be sent. */
  readonly reload?: () => Promise<Authority>;
}

/** Creates the error of a request that was not sent because its release does not allow it. */
export const releaseRefusedError = (operation: string, message: string): FxdeskError =>
  new FxdeskError(`${operation}: ${message} Nothing was sent.`, {
    operation,
    code: "release_refused",
    outcome: "not-sent",
  });

/** Returns the approvals that a request needs. Throws an FxdeskError if it can never be sent under the policy. */
export function requirementsOf(
  policy: Policy | undefined,
  sealed: SealedRequest,
): readonly ApprovalRequirement[] {
  if (!policy) return [];
  const requirements = approvalRequirements(policy, sealed);
  const reason =
    findPolicyViolation(policy, sealed) ?? findRequestProblem(policy, requirements, sealed.requester);
  if (reason !== undefined) throw releaseRefusedError(sealed.operation, reason);
  return requirements;
}

/** True if an approval is signed, unexpired and given for exactly these terms. */
const isValidApproval = (
  people: People,
  { id, hash }: Release,
  decision: Decision,
  moment: number,
): boolean =>
  decision.release === id &&
  decision.hash === hash &&
  decision.decision === "release" &&
  decision.until > moment &&
  hasValidSignature(people, decision) &&
  isOfPresentEpoch(people, decision);

/** True if the valid approvals satisfy the policy. Also true without people: `findReleaseProblem` reports that case. */
export function isApproved(
  release: Release,
  decisions: readonly Decision[],
  { policy, people }: Authority,
  moment: number,
): boolean {
  const requirements = policy ? approvalRequirements(policy, release.sealed) : [];
  if (requirements.length === 0 || !people) return true;
  const isCodeNeeded = needsCode(policy!, release.sealed);
  const approvers = decisions
    .filter((each) => isValidApproval(people, release, each, moment))
    .filter(({ factors }) => !isCodeNeeded || factors.includes("totp"))
    .map(({ person }) => person);
  return hasEnoughApprovals(policy!, requirements, release.sealed.requester, approvers);
}

/** Returns why a request may not be sent at this moment, or undefined. */
export function findReleaseProblem(
  release: Release,
  decisions: readonly Decision[],
  { policy, people }: Authority,
  moment: number,
): string | undefined {
  const { sealed } = release;
  if (sealed.validUntil <= moment)
    return `The request expired at ${new Date(sealed.validUntil).toISOString()}.`;
  if (!policy) return undefined;
  if (!people && approvalRequirements(policy, sealed).length > 0)
    return "The release cannot be verified: FXDESK_PEOPLE must name the people file, and this process must be able to read it.";
  if (!isApproved(release, decisions, { policy, people }, moment)) return "The request has no valid release.";
  return findPolicyViolation(policy, sealed);
}

/** Sums the commitments of a day by scope, except those that were certainly not carried out. Unknown outcomes count. */
async function sumCommittedOn(
  transaction: SendTransaction,
  policy: Policy,
  { id }: Release,
  day: string,
): Promise<ReadonlyMap<string, Big>> {
  const { perAccountPerDay, perRequesterPerDay } = policy.limits ?? {};
  const needsContent = perAccountPerDay !== undefined || perRequesterPerDay !== undefined;
  const sums = new Map<string, Big>();
  for (const row of await listCommitted(transaction, { day, exceptId: id, needsContent })) {
    const commitments = row.sealed
      ? commitmentsOf(policy, row.sealed, transaction.moment)
      : commonScopes(policy, row).map((scope) => ({ scope, amount: row.amount }));
    for (const { scope, amount } of commitments) sums.set(scope, new Big(amount).plus(sums.get(scope) ?? 0));
  }
  return sums;
}

/** True if the journal contains a booking of the order that may have been carried out. Guards against a changed release row. */
async function wasBooked({ run, entry }: SendTransaction, { id, sealed }: Release): Promise<boolean> {
  const rows = await run(
    `SELECT id FROM fxdesk_journal_entries WHERE environment = $1 AND client = $2 AND key LIKE $3 AND id <> $4
       AND state NOT IN ('not-sent', 'rejected') LIMIT 1`,
    [sealed.environment, sealed.client, `${id}.%`, entry],
  );
  return rows.length > 0;
}

/** Returns the commitment for the daily limits. Throws if it exceeds one. */
async function checkDayLimits(
  transaction: SendTransaction,
  release: Release,
  policy: Policy,
): Promise<DayCommitment | undefined> {
  const { sealed } = release;
  const amount = committedAmount(policy, sealed);
  if (amount === undefined) return undefined;
  const { day } = localTime(policy, transaction.moment);
  if (policy.limits) {
    const commitments = commitmentsOf(policy, sealed, transaction.moment);
    const sums = await sumCommittedOn(transaction, policy, release, day);
    const reason = findLimitViolation(policy, commitments, sums);
    if (reason !== undefined) throw releaseRefusedError(sealed.operation, reason);
  }
  return { day, amount: amount.toFixed() };
}

/**
 * Creates the guard that marks a request as sent once, if all checks pass in that transaction. `findStateProblem` checks the
 * state. The guard throws an FxdeskError if the request may not be sent.
 */
export const createSendGuard =
  (
    { id, sealed }: Pick<Release, "id" | "sealed">,
    loaded: Authority,
    nextState: "booking" | "sent",
    findStateProblem: (current: Release, entry: string) => string | undefined,
  ): SendGuard =>
  async (sending) => {
    const { entry } = sending;
    const { operation } = sealed;
    const moment = await readClock(sending.run, sending.moment);
    const transaction = { ...sending, moment };
    const current = await findRelease(transaction, id);
    if (!current) throw releaseRefusedError(operation, `Release ${id} does not exist.`);
    if (current.hash !== sealOf(id, sealed))
      throw releaseRefusedError(operation, `The stored request of ${id} is not that of this call.`);
    const decisions = await listDecisions(transaction, id);
    const authority = (await loaded.reload?.()) ?? loaded;
    const reason =
      findStateProblem(current, entry) ??
      findReleaseProblem(current, decisions, authority, moment) ??
      (authority.policy && findHoursViolation(authority.policy, moment));
    if (reason !== undefined) throw releaseRefusedError(operation, reason);
    if (await wasBooked(transaction, current))
      throw releaseRefusedError(
        operation,
        `The journal already contains a booking of ${id}. An order is booked only once.`,
      );
    const commitment = authority.policy && (await checkDayLimits(transaction, current, authority.policy));
    await markReleaseSent(transaction, current, nextState, { entry, commitment });
    return { release: id, policy: authority.policy?.hash };
  };
