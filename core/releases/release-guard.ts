/** Checks in the transaction that marks a request as sent: seal, approvals, policy and daily limit. */
import { Big } from "big.js";
import { FxdeskError } from "../spec/errors";
import type { Commitment, SendGuard, SendTransaction } from "../store/database";
import {
  type ApprovalRequirement,
  findMissingFactor,
  findRequestProblem,
  findHoursViolation,
  findPolicyViolation,
  hasEnoughApprovals,
  approvalRequirements,
} from "./policy-evaluation";
import { findServiceKey, type People } from "../people/people-file";
import { findRequesterProblem, type Requester } from "../people/requester";
import { findScopeViolation } from "../people/service-key";
import { hasValidSignature, isOfPresentEpoch } from "./decision-signature";
import { readEventsSince } from "../journal/checked-events";
import { type EntryState, isNotExecuted } from "../journal/entry";
import { stateAfter } from "../journal/entry-rows";
import { hashScope, sumCommitments } from "./day-sums";
import { changedInStore, isAuthentic } from "./request-signature";
import { clockMarginMs, type Repetition } from "./repeated-call";
import { commitsNoMoney, effectOf } from "./committed-money";
import { commitmentsOf, findLimitViolation } from "./limits";
import type { Policy } from "./policy";
import type { Decision, Release } from "./release";
import { type SealedRequest, sealOf } from "./terms";
import { findRelease, listDecisions, markReleaseSent, readClock } from "./repository";

/** Policy and people that decide whether a request may be sent. Under a policy, both are needed. */
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

/** Returns why the service key of the requester does not permit a request at this moment, or undefined. */
export function findKeyViolation(
  { policy, people }: Authority,
  sealed: SealedRequest,
  moment: number,
): string | undefined {
  const { operation, requester = "" } = sealed;
  const key = people && findServiceKey(people, requester);
  if (!key) return undefined;
  const isLimited = key.perRequest !== undefined || key.perDay !== undefined;
  if (!policy && isLimited && !commitsNoMoney(sealed))
    return `The service key of ${requester} has limits in the currency of the policy, but FXDESK_POLICY is not set for this process.`;
  return findScopeViolation(requester, key, { operation, effect: effectOf(sealed) }, moment);
}

/** Returns the approvals that a request needs. Throws an FxdeskError if it cannot be sent under the policy or with its service key. */
export function requirementsOf(
  authority: Authority,
  sealed: SealedRequest,
  requester?: Requester,
): readonly ApprovalRequirement[] {
  const { policy, people } = authority;
  const requirements = policy ? approvalRequirements(policy, sealed) : [];
  const reason =
    (people && requester && findRequesterProblem(people, requester)) ??
    findKeyViolation(authority, sealed, Date.now()) ??
    (policy &&
      (findPolicyViolation(policy, sealed) ?? findRequestProblem(policy, requirements, sealed.requester)));
  if (reason !== undefined) throw releaseRefusedError(sealed.operation, reason);
  return requirements;
}

/** True if an approval is signed, unexpired and given for exactly these terms. The policy of this process limits its validity, too. */
const isValidApproval = (
  { yesLastsMinutes }: Policy,
  people: People,
  { id, hash }: Release,
  decision: Decision,
  moment: number,
): boolean =>
  decision.release === id &&
  decision.hash === hash &&
  decision.decision === "release" &&
  Math.min(decision.until, decision.at + yesLastsMinutes * 60_000) > moment &&
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
  const approvers = decisions
    .filter((each) => isValidApproval(policy!, people, release, each, moment))
    .filter(({ factors }) => findMissingFactor(policy!, release.sealed, factors) === undefined)
    .map(({ person }) => person);
  return hasEnoughApprovals(policy!, requirements, release.sealed.requester, approvers);
}

export const unverifiable =
  "The request cannot be verified: FXDESK_PEOPLE must name the people file, and this process must be able to read it.";

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
  if (!policy && !people) return undefined;
  if (!people) return unverifiable;
  if (!isAuthentic(people, release)) return changedInStore(release.id);
  if (!isApproved(release, decisions, { policy, people }, moment)) return "The request has no valid release.";
  return (
    findKeyViolation({ policy, people }, sealed, moment) ??
    (policy &&
      (findPolicyViolation(policy, sealed) ??
        findRequestProblem(policy, approvalRequirements(policy, sealed), sealed.requester)))
  );
}

/**
 * Returns why the journal excludes that the request is sent, or undefined, by the events since the request: rows of entries,
 * releases and decisions may be missing or old. Throws an Error if one of these events was changed or removed.
 */
async function findRecordedProblem(
  transaction: SendTransaction,
  { id, sealed, requestedAt }: Release,
  decisions: readonly Decision[],
): Promise<string | undefined> {
  const since = Math.min(requestedAt, sealed.requestedAt, ...decisions.map(({ at }) => at));
  const mayBeExecuted = new Map<unknown, boolean>();
  for (const { entry, kind, content: text } of await readEventsSince(
    transaction,
    sealed.environment,
    since - clockMarginMs,
  )) {
    const content = JSON.parse(String(text)) as { readonly key?: string; readonly release?: string };
    if (kind === "withdrawn" && content.release === id) return `${id} was refused or cancelled.`;
    const isOwn = kind === "intent" ? content.key?.startsWith(`${id}.`) : mayBeExecuted.has(entry);
    const state = stateAfter(String(kind), content) as EntryState | undefined;
    if (isOwn && entry !== transaction.entry && state) mayBeExecuted.set(entry, !isNotExecuted({ state }));
  }
  return [...mayBeExecuted.values()].includes(true)
    ? `The journal already contains a booking of ${id}. An order is booked only once.`
    : undefined;
}

/** Returns what the request adds to the sums of its day. Throws if one would exceed its limit. */
async function checkDayLimits(
  transaction: SendTransaction,
  { sealed }: Release,
  policy: Policy,
): Promise<readonly Commitment[]> {
  const commitments = commitmentsOf(policy, sealed, transaction.moment);
  if (policy.limits && commitments[0]) {
    const sums = await sumCommitments(transaction, commitments[0].day);
    const committed = new Map(
      commitments.map(({ scope }) => [scope, sums.get(hashScope(scope)) ?? new Big(0)]),
    );
    const reason = findLimitViolation(policy, commitments, committed);
    if (reason !== undefined) throw releaseRefusedError(sealed.operation, reason);
  }
  return commitments.map((each) => ({ ...each, scope: hashScope(each.scope) }));
}

const maxClockSkewMs = 15 * 60_000;

/** Returns why the clock of the store is not believed, or undefined. It decides the day of a limit, but others may set it. */
function findClockSkew(moment: number): string | undefined {
  if (Math.abs(moment - Date.now()) <= maxClockSkewMs) return undefined;
  const [store, own] = [moment, Date.now()].map((each) => new Date(each).toISOString());
  return `The clock of the store shows ${store}, that of this machine ${own}. Nothing is sent until both are correct.`;
}

/**
 * Creates the guard that marks a request as sent once, if all checks pass in that transaction. `findStateProblem` checks the
 * state, `findRepetition` the calls that were sent meanwhile. The guard throws an FxdeskError if the request may not be sent.
 */
export const createSendGuard =
  (
    { id, sealed }: Pick<Release, "id" | "sealed">,
    loaded: Authority,
    nextState: "booking" | "sent",
    findStateProblem: (current: Release, entry: string) => string | undefined,
    findRepetition?: (transaction: SendTransaction, current: Release) => Promise<Repetition | undefined>,
  ): SendGuard =>
  async (sending) => {
    const { entry } = sending;
    const { operation } = sealed;
    const moment = await readClock(sending.run, sending.moment);
    const skew = findClockSkew(moment);
    if (skew !== undefined) throw releaseRefusedError(operation, skew);
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
    const recorded = await findRecordedProblem(transaction, current, decisions);
    if (recorded !== undefined) throw releaseRefusedError(operation, recorded);
    const repetition = await findRepetition?.(transaction, current);
    if (repetition) throw releaseRefusedError(operation, repetition.reason);
    const commitments = authority.policy && (await checkDayLimits(transaction, current, authority.policy));
    await markReleaseSent(transaction, current, nextState, entry);
    return {
      release: id,
      request: current.hash,
      decisions: decisions.map(({ mac }) => mac),
      policy: authority.policy?.hash,
      commitments,
    };
  };
