/** Evaluates a policy: required approvals and limits. Pure functions without store or clock. */
import { Big } from "big.js";
import { localTime, type Policy, type PolicyRule, toPolicyCurrency } from "./policy";
import { fixedSideFirst, type OrderTerms, type SealedRequest } from "./terms";

/** Number of approvals required from a set of people. */
export interface ApprovalRequirement {
  readonly approvals: number;
  readonly approvers: readonly string[];
}

const isInverse = (symbol: string, other: string): boolean => symbol === other.slice(3) + other.slice(0, 3);

/** Returns the amount of the variable side at the worst rate, not rounded. */
export function variableAmountAtWorstRate(terms: OrderTerms): Big {
  const [fixed] = fixedSideFirst(terms, terms.buy_currency, terms.sell_currency);
  const amount = new Big(terms.amount);
  return terms.rate_symbol.startsWith(fixed) ? amount.times(terms.worst_rate) : amount.div(terms.worst_rate);
}

/** Returns both sides of an order, the variable one at the worst rate. */
function sidesAtWorstRate(terms: OrderTerms) {
  const [fixed, other] = fixedSideFirst(terms, terms.buy_currency, terms.sell_currency);
  return [
    { amount: terms.amount, currency: fixed },
    { amount: variableAmountAtWorstRate(terms).toFixed(), currency: other },
  ];
}

/** Returns the committed amount in the policy's currency, for an order the larger side. Undefined if it cannot be valued. */
export function committedAmount(policy: Policy, sealed: SealedRequest): Big | undefined {
  if (sealed.kind === "call") return sealed.amounts && toPolicyCurrency(policy, sealed.amounts);
  const values = sidesAtWorstRate(sealed.terms).flatMap((side) => toPolicyCurrency(policy, [side]) ?? []);
  return values.length === 0 ? undefined : values.reduce((most, each) => (each.gt(most) ? each : most));
}

const effectOf = (sealed: SealedRequest) => (sealed.kind === "order" ? "money" : sealed.effect);

function appliesTo({ effects, operations }: PolicyRule, sealed: SealedRequest): boolean {
  const inForce = effects ?? (operations ? [] : ["money"]);
  return inForce.includes(effectOf(sealed)) || (operations?.includes(sealed.operation) ?? false);
}

/**
 * Returns all required approvals. If releases are requested by default, a money call that no rule matches needs one. If the
 * policy has limits but the amount is unknown, at least one is required.
 */
export function approvalRequirements(policy: Policy, sealed: SealedRequest): readonly ApprovalRequirement[] {
  const amount = committedAmount(policy, sealed);
  const rules = policy.rules.filter((rule) => appliesTo(rule, sealed));
  if (rules.length === 0 && sealed.release === "needed" && effectOf(sealed) === "money")
    return [{ approvals: 1, approvers: policy.people }];
  const requirements = rules
    .filter(({ above }) => above === undefined || amount === undefined || amount.gt(above))
    .map(({ yes: approvals, from }): ApprovalRequirement => ({
      approvals,
      approvers: [...new Set(from ?? policy.people)],
    }));
  const hasUnboundAmount =
    policy.limits !== undefined && effectOf(sealed) === "money" && amount === undefined;
  return requirements.length === 0 && hasUnboundAmount
    ? [{ approvals: 1, approvers: policy.people }]
    : requirements;
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
  if (requester === undefined)
    return "The request needs release by another person, but the requester is unknown: set FXDESK_ACTOR to a name listed in the policy.";
  if (!policy.people.includes(requester))
    return `The policy does not list ${requester} in people: set FXDESK_ACTOR to a listed name.`;
  return hasEnoughApprovals(policy, requirements, requester, policy.people)
    ? undefined
    : `The request needs ${describeRequirements(requirements)}, but ${requester} requested it: too few others may release it.`;
}

const hasPair = (pairs: readonly string[], { buy_currency, sell_currency }: OrderTerms): boolean => {
  const symbol = buy_currency + sell_currency;
  return pairs.some((pair) => pair === symbol || isInverse(pair, symbol));
};

/** Returns why the policy forbids a request even with approvals, or undefined. */
export function findPolicyViolation(policy: Policy, sealed: SealedRequest): string | undefined {
  const { clients, pairs, types, limits } = policy;
  if (clients && !clients.includes(sealed.client))
    return `The policy does not allow the client ${sealed.client}.`;
  if (sealed.kind === "order") {
    const { trade_type, buy_currency, sell_currency } = sealed.terms;
    if (pairs && !hasPair(pairs, sealed.terms))
      return `The policy does not allow selling ${sell_currency} for ${buy_currency}.`;
    if (types && !(types as readonly string[]).includes(trade_type))
      return `The policy does not allow the trade type ${trade_type}.`;
  }
  if (!limits || effectOf(sealed) !== "money") return undefined;
  const amount = committedAmount(policy, sealed);
  if (amount === undefined)
    return sealed.kind === "order"
      ? "The policy has limits but no rate for a currency of the order, so the limits cannot be checked."
      : undefined;
  const { currency } = policy.amounts!;
  for (const [limit, scope] of [
    [limits.perTrade, "trade"],
    [limits.perDay, "day"],
  ] as const)
    if (limit !== undefined && amount.gt(limit))
      return `The request commits ${amount.round(2).toFixed()} ${currency}; the policy allows at most ${limit} ${currency} per ${scope}.`;
  return undefined;
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
