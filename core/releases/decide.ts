/** Decisions on releases: who may release or refuse a request, and the record of a decision. */
import type { MomentAccess } from "../store/database";
import type { People } from "../people/people-file";
import { signDecision } from "./decision-signature";
import {
  defaultMoneyPolicy,
  loadPolicy,
  missingPolicyProblem,
  type Policy,
  type PolicyService,
  type SecondFactor,
} from "./policy";
import {
  approvalRequirements,
  canDecide,
  describeRequirements,
  findMissingFactor,
} from "./policy-evaluation";
import { type Decision, type Release, ReleaseRefusal } from "./release";
import { isApproved } from "./release-guard";
import { changedInStore, isAuthentic } from "./request-signature";
import { getRelease, listDecisions, saveDecision, transitionRelease } from "./repository";
import { describeStateConflict, effectiveState, type ReleaseState } from "./states";

/** A decision of an authenticated person. */
export interface DecisionRequest {
  readonly person: string;
  readonly decision: Decision["decision"];
  readonly note?: string | undefined;
  /** Seal of the terms that the person was shown. Rejects the decision if the terms differ. */
  readonly seal: string;
  readonly policy: Policy;
  readonly people: People;
  readonly factors: Decision["factors"];
}

/** Paths of the files that define who may decide. Without a policy, every money call needs release by anyone except the requester. */
export interface DecisionFiles {
  readonly policy?: string | undefined;
  readonly people: string;
  /** Service whose operations the policy names. */
  readonly service: PolicyService;
}

const minuteMs = 60_000;

const factorNames = {
  totp: "a one-time code",
  passkey: "a passkey",
  any: "a one-time code or a passkey",
} as const satisfies Readonly<Record<SecondFactor, string>>;

/** Returns what a person can do to have each factor. */
const factorAdvice = (person: string): Readonly<Record<SecondFactor, string>> => {
  const codes = `Set up codes with \`fxdesk people totp ${person}\``;
  const passkey = "Release on the releases page, where you can add a passkey.";
  return { totp: `${codes}.`, passkey, any: `${codes}, or release on the releases page with a passkey.` };
};

/** Returns the policy that applies to a release. Throws a TypeError if its file is invalid. */
export async function policyForRelease(
  { sealed: { requester } }: Release,
  { policy, service }: Pick<DecisionFiles, "policy" | "service">,
  people: People,
): Promise<Policy> {
  if (policy !== undefined) return loadPolicy(policy, service, people);
  const problem = missingPolicyProblem(people);
  if (problem !== undefined) throw new TypeError(`policy: ${problem}`);
  return defaultMoneyPolicy(people, requester);
}

/** Returns why a person cannot decide, or undefined. */
export function findDecisionProblem(
  { id, sealed }: Pick<Release, "id" | "sealed">,
  state: ReleaseState,
  { person, decision, policy }: Pick<DecisionRequest, "person" | "decision" | "policy">,
): string | undefined {
  if (state !== "waiting" && !(state === "released" && decision === "refuse"))
    return describeStateConflict(id, state, decision === "refuse" ? "refused" : "released");
  const { requester } = sealed;
  const requirements = approvalRequirements(policy, sealed);
  if (requester === undefined)
    return `${id} has no recorded requester, so four-eyes approval is impossible. Cancel it and request again.`;
  if (person === requester) return `${person} requested ${id}: another person must decide.`;
  if (!policy.people.includes(person)) return `The policy does not list ${person} in people.`;
  if (!canDecide(policy, requirements, requester, person))
    return `${id} needs ${describeRequirements(requirements)}; ${person} cannot release it.`;
  return undefined;
}

/** Records a decision, and changes the state if it is the last one needed. Throws a ReleaseRefusal if it is not allowed. */
export async function recordDecision(
  access: MomentAccess,
  id: string,
  request: DecisionRequest,
): Promise<Release> {
  const { person, decision, note, seal, policy, people, factors } = request;
  const { moment } = access;
  const release = await getRelease(access, id);
  const { hash, sealed, progress } = release;
  if (!isAuthentic(people, release)) throw new ReleaseRefusal(changedInStore(id));
  const reason = findDecisionProblem(release, effectiveState(release, moment), request);
  if (reason !== undefined) throw new ReleaseRefusal(reason);
  if (seal !== hash)
    throw new ReleaseRefusal(`${id} differs from what was shown. No decision was recorded. Review it again.`);
  const missing = decision === "release" ? findMissingFactor(policy, sealed, factors) : undefined;
  if (missing !== undefined)
    throw new ReleaseRefusal(
      `The policy requires ${factorNames[missing]} for ${id}. No decision was recorded. ${factorAdvice(person)[missing]}`,
    );
  const until = Math.min(sealed.validUntil, moment + policy.yesLastsMinutes * minuteMs);
  await saveDecision(
    access,
    signDecision(people, {
      release: id,
      hash,
      person,
      decision,
      at: moment,
      until,
      factors,
      ...(note !== undefined && { note }),
    }),
  );
  if (decision === "refuse") {
    const remark = `Refused by ${person}${note === undefined ? "." : `: ${note}`}`;
    return transitionRelease(access, release, "refused", { progress: { ...progress, remark }, nextAt: 0 });
  }
  return isApproved(release, await listDecisions(access, id), { policy, people }, moment)
    ? transitionRelease(access, release, "released", { nextAt: 0 })
    : release;
}
