/** Evaluates a policy: required approvals and limits. Pure functions without store or clock. */
import type { Factor } from "../people/authenticate";
import { commitsNoMoney, committedAmount, effectOf, paysUnknownCreditor, tradeOf } from "./committed-money";
import { commitmentsOf, findLimitViolation } from "./limits";
import { localTime, type Policy, type PolicyRule, type SecondFactor } from "./policy";
import type { SealedRequest } from "./terms";

/** Number of approvals required from a set of people. */
export interface ApprovalRequirement {
  readonly approvals: number;
  readonly approvers: readonly string[];
}

const isInverse = (symbol: string, other: string): boolean => symbol === other.slice(3) + other.slice(0, 3);

function appliesTo({ effects, operations, creditors }: PolicyRule, sealed: SealedRequest): boolean {
  // A trade has no creditor, so a rule for creditors does not cover it.
  if (creditors !== undefined && typeof tradeOf(sealed) === "object") return false;
  const inForce = effects ?? (operations ? [] : ["money"]);
  return inForce.includes(effectOf(sealed)) || (operations?.includes(sealed.operation) ?? false);
}

/** Returns the rules that require an approval of the request. */
const matchingRules = (policy: Policy, sealed: SealedRequest): readonly PolicyRule[] => {
  const amount = committedAmount(policy, sealed);
  return policy.rules
    .filter((rule) => appliesTo(rule, sealed))
    .filter(({ above }) => above === undefined || amount === undefined || amount.gt(above))
    .filter(({ creditors }) => creditors === undefined || paysUnknownCreditor(policy, sealed));
};

/** Returns what an approval of the request needs besides the secret. All of it is needed. */
export const secondFactorsOf = (policy: Policy, sealed: SealedRequest): readonly SecondFactor[] => [
  ...new Set([policy, ...matchingRules(policy, sealed)].flatMap(({ secondFactor }) => secondFactor ?? [])),
];

/** Returns a second factor that the request needs and an approval lacks, or undefined. */
export const findMissingFactor = (
  policy: Policy,
  sealed: SealedRequest,
  given: readonly Factor[],
): SecondFactor | undefined =>
  secondFactorsOf(policy, sealed).find((needed) =>
    needed === "any" ? !given.includes("totp") && !given.includes("passkey") : !given.includes(needed),
  );

/** Returns all required approvals. If releases are required by default, a money call that no rule matches needs one. */
export function approvalRequirements(policy: Policy, sealed: SealedRequest): readonly ApprovalRequirement[] {
  const isMatched = policy.rules.some((rule) => appliesTo(rule, sealed));
  if (!isMatched && sealed.release === "needed" && effectOf(sealed) === "money")
    return [{ approvals: 1, approvers: policy.people }];
  return matchingRules(policy, sealed).map(({ yes: approvals, from }): ApprovalRequirement => ({
    approvals,
    approvers: [...new Set(from ?? policy.people)],
  }));
}

/** Counts the people who can each represent a different principal (maximum bipartite matching). */
function countApprovals(
  people: readonly string[],
  representedBy: (person: string) => readonly string[],
): number {
  const taken = new Map<string, string>();
  const assign = (person: string, tried: Set<string>): boolean =>
    representedBy(person).some((principal) => {
      if (tried.has(principal)) return false;
      tried.add(principal);
      const holder = taken.get(principal);
      if (holder !== undefined && !assign(holder, tried)) return false;
      taken.set(principal, person);
      return true;
    });
  return people.filter((person) => assign(person, new Set())).length;
}

/** Returns the principals that a person's approval can count for. Never the requester, neither as principal nor as deputy. */
const principalsOf =
  ({ deputies }: Policy, { approvers }: ApprovalRequirement, requester: string | undefined) =>
  (person: string): readonly string[] =>
    approvers.filter(
      (principal) =>
        principal !== requester &&
        person !== requester &&
        (principal === person || (deputies[principal]?.includes(person) ?? false)),
    );

/** True if the given people satisfy all requirements. */
export const hasEnoughApprovals = (
  policy: Policy,
  requirements: readonly ApprovalRequirement[],
  requester: string | undefined,
  people: readonly string[],
): boolean =>
  requirements.every(
    (requirement) =>
      countApprovals(people, principalsOf(policy, requirement, requester)) >= requirement.approvals,
  );

/** True if the person's approval counts for at least one requirement. */
export const canDecide = (
  policy: Policy,
  requirements: readonly ApprovalRequirement[],
  requester: string | undefined,
  person: string,
): boolean =>
  requirements.some((requirement) => principalsOf(policy, requirement, requester)(person).length > 0);

/** Describes requirements as a noun phrase, for example "release by anna or bert". */
export const describeRequirements = (requirements: readonly ApprovalRequirement[]): string =>
  requirements
    .map(({ approvals, approvers }) =>
      approvals === 1
        ? `release by ${approvers.join(" or ")}`
        : `release by ${approvals} of ${approvers.join(", ")}`,
    )
    .join(", and ");

/** Returns why a request can never be approved, or undefined. */
export function findRequestProblem(
  policy: Policy,
  requirements: readonly ApprovalRequirement[],
  requester: string | undefined,
): string | undefined {
  if (requirements.length === 0) return undefined;
  if (requester === undefined) return "The request needs release by another person, but it has no requester.";
  if (!policy.people.includes(requester))
    return `The policy does not list the requester ${requester} in people.`;
  return hasEnoughApprovals(policy, requirements, requester, policy.people)
    ? undefined
    : `The request needs ${describeRequirements(requirements)}, but ${requester} requested it: too few others may release it.`;
}

const hasPair = (pairs: readonly string[], buy: string, sell: string): boolean =>
  pairs.some((pair) => pair === buy + sell || isInverse(pair, buy + sell));

/** Returns why the policy forbids the trade of a request, or undefined. */
function findTradeViolation({ pairs, types }: Policy, sealed: SealedRequest): string | undefined {
  const trade = tradeOf(sealed);
  if (trade === undefined || !(pairs ?? types)) return undefined;
  if (trade === "unknown")
    return "The policy restricts trades, but this client knows no quote for the request. Order the trade, or request a quote first.";
  const { trade_type, buy_currency, sell_currency } = trade;
  if (pairs && !hasPair(pairs, buy_currency, sell_currency))
    return `The policy does not allow selling ${sell_currency} for ${buy_currency}.`;
  return types && !(types as readonly (string | undefined)[]).includes(trade_type)
    ? `The policy does not allow the trade type ${trade_type ?? "of this quote, which is unknown"}.`
    : undefined;
}

/** Returns why the policy forbids a request even with approvals, or undefined. */
export function findPolicyViolation(policy: Policy, sealed: SealedRequest): string | undefined {
  const { clients, limits } = policy;
  if (clients && !clients.includes(sealed.client))
    return `The policy does not allow the client ${sealed.client}.`;
  const tradeViolation = findTradeViolation(policy, sealed);
  if (tradeViolation !== undefined) return tradeViolation;
  const isCompared =
    limits !== undefined || policy.rules.some((rule) => rule.above !== undefined && appliesTo(rule, sealed));
  if (!isCompared || commitsNoMoney(sealed)) return undefined;
  const amount = committedAmount(policy, sealed);
  if (amount === undefined)
    return "The policy compares amounts, but the amount of the request is unknown, or the policy has no rate for its currency.";
  const { perTrade, perAccountPerDay } = limits ?? {};
  const { currency } = policy.amounts ?? {};
  if (perTrade !== undefined && amount.gt(perTrade))
    return `The request commits ${amount.round(2).toFixed()} ${currency}; at most ${perTrade} ${currency} are allowed per trade.`;
  if (
    perAccountPerDay !== undefined &&
    sealed.kind === "call" &&
    sealed.amounts?.some((each) => each.account === undefined)
  )
    return "The policy limits each account, but the request does not name the account to debit.";
  return findLimitViolation(policy, commitmentsOf(policy, sealed, 0), new Map());
}

/** Returns why nothing may be sent at this time, or undefined. */
export function findHoursViolation(policy: Policy, moment: number): string | undefined {
  const { hours, timeZone } = policy;
  if (!hours) return undefined;
  const { weekday, time } = localTime(policy, moment);
  const isOpen = (hours.days as readonly string[]).includes(weekday) && time >= hours.from && time < hours.to;
  return isOpen
    ? undefined
    : `The policy does not allow sending now; it allows it on ${hours.days.join(", ")}, from ${hours.from} to ${hours.to} ${timeZone}.`;
}
