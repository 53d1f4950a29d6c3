/** What is looked at in the transaction in which something leaves: the seal, the yes, the policy, and what the day has seen. */
import { Big } from "big.js";
import { FxdeskError } from "../errors";
import type { SendGuard, SendTransaction } from "../journal/entry";
import {
  findHoursViolation,
  committedAmount,
  findPolicyViolation,
  hasEnoughApprovals,
  approvalRequirements,
} from "./policy-evaluation";
import type { People } from "./people";
import { hasValidSignature } from "./people";
import { localTime, type Policy } from "./policy";
import type { Decision, Release } from "./release";
import { listDecisions, getRelease, readClock } from "./release-rows";

/** What decides whether something may leave; a policy that asks for nothing needs no people. */
export interface Authority {
  readonly policy: Policy | undefined;
  readonly people: People | undefined;
}

/** Nothing left, as a release does not allow it. */
export const releaseRefusedError = (operation: string, message: string): FxdeskError =>
  new FxdeskError(`${operation}: ${message} Nothing was sent.`, {
    operation,
    code: "release_refused",
    outcome: "not-sent",
  });

/** Whether a yes counts now for exactly this. */
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
  hasValidSignature(people, decision);

/** Whether there is a yes of as many as the policy asks for; true where nobody can tell who may say it. */
export function isApproved(
  release: Release,
  decisions: readonly Decision[],
  { policy, people }: Authority,
  moment: number,
): boolean {
  const requirements = policy ? approvalRequirements(policy, release.sealed) : [];
  if (requirements.length === 0 || !people) return true;
  const approvers = decisions
    .filter((each) => isValidApproval(people, release, each, moment))
    .map(({ person }) => person);
  return hasEnoughApprovals(policy!, requirements, release.sealed.asker, approvers);
}

/** Why something may not leave at a moment; undefined where it may. */
export function findReleaseProblem(
  release: Release,
  decisions: readonly Decision[],
  { policy, people }: Authority,
  moment: number,
): string | undefined {
  const { sealed } = release;
  if (sealed.validUntil <= moment) return `It was valid until ${new Date(sealed.validUntil).toISOString()}.`;
  if (!policy) return undefined;
  if (!people && approvalRequirements(policy, sealed).length > 0)
    return "The people who release are not known here: FXDESK_PEOPLE names their file, which this process must be able to read.";
  if (!isApproved(release, decisions, { policy, people }, moment))
    return "There is no yes to it that counts now.";
  return findPolicyViolation(policy, sealed);
}

/** What of a day was committed before, unless it is certain that nothing was done. */
async function sumCommittedOn({ run }: SendTransaction, { id, sealed }: Release, day: string): Promise<Big> {
  const rows = await run(
    `SELECT r.limit_amount AS amount FROM fxdesk_releases AS r
     LEFT JOIN fxdesk_journal_entries AS e ON e.id = r.entry
     WHERE r.limit_day = $1 AND r.environment = $2 AND r.id <> $3 AND r.limit_amount IS NOT NULL
       AND (e.state IS NULL OR e.state NOT IN ('not-sent', 'rejected'))`,
    [day, sealed.environment, id],
  );
  return rows.reduce((sum, { amount }) => sum.plus(String(amount)), new Big(0));
}

/** Whether the journal has a booking of an order of which it is not certain that it was not made: whatever the store says. */
async function wasBooked({ run, entry }: SendTransaction, { id, sealed }: Release): Promise<boolean> {
  const rows = await run(
    `SELECT id FROM fxdesk_journal_entries WHERE environment = $1 AND client = $2 AND key LIKE $3 AND id <> $4
       AND state NOT IN ('not-sent', 'rejected') LIMIT 1`,
    [sealed.environment, sealed.client, `${id}.%`, entry],
  );
  return rows.length > 0;
}

interface DayCommitment {
  readonly day: string;
  readonly amount: string;
}

/** What it adds to its day. Throws where that would be more than the policy allows. */
async function checkDayLimit(
  transaction: SendTransaction,
  release: Release,
  policy: Policy,
): Promise<DayCommitment | undefined> {
  const amount = committedAmount(policy, release.sealed);
  if (amount === undefined) return undefined;
  const { day } = localTime(policy, transaction.moment);
  const perDay = policy.limits?.perDay;
  if (perDay !== undefined) {
    const before = await sumCommittedOn(transaction, release, day);
    if (before.plus(amount).gt(perDay))
      throw releaseRefusedError(
        release.sealed.operation,
        `${before.round(2).toFixed()} ${policy.amounts!.currency} of ${perDay} are committed on ${day}, and this is ` +
          `${amount.round(2).toFixed()} more.`,
      );
  }
  return { day, amount: amount.toFixed() };
}

/**
 * Lets something leave once, where everything holds at this very moment. `mayLeave` says whether it stands as it must.
 * Throws an FxdeskError where it may not.
 */
export const createSendGuard =
  (
    { id, sealed: { operation } }: Release,
    authority: Authority,
    nextState: "booking" | "sent",
    findStateProblem: (current: Release, entry: string) => string | undefined,
  ): SendGuard =>
  async (transaction) => {
    const { run, sealer, entry } = transaction;
    const moment = await readClock(run, transaction.moment);
    const current = await getRelease({ run, sealer }, id);
    if (!current) throw releaseRefusedError(operation, `There is no release ${id}.`);
    const decisions = await listDecisions({ run, sealer }, id);
    const reason =
      findStateProblem(current, entry) ??
      findReleaseProblem(current, decisions, authority, moment) ??
      (authority.policy && findHoursViolation(authority.policy, moment));
    if (reason !== undefined) throw releaseRefusedError(operation, reason);
    if (await wasBooked(transaction, current))
      throw releaseRefusedError(
        operation,
        `The journal has a booking of ${id} already: an order is booked once.`,
      );
    const limit =
      authority.policy && (await checkDayLimit({ ...transaction, moment }, current, authority.policy));
    await run(
      `UPDATE fxdesk_releases SET state = $2, entry = $3, limit_day = $4, limit_amount = $5, changed_at = $6
       WHERE id = $1`,
      [id, nextState, entry, limit?.day ?? null, limit?.amount ?? null, moment],
    );
  };
