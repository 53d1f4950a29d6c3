/** What a policy asks for before something leaves, and whether that is there. Knows no store and no clock. */
import { Big } from "big.js";
import { localTime, type Policy, type PolicyRule, toPolicyCurrency } from "./policy";
import type { OrderTerms, SealedRequest } from "./terms";

/** So many people of these must say yes. */
export interface ApprovalRequirement {
  readonly approvals: number;
  readonly approvers: readonly string[];
}

const isInverse = (symbol: string, other: string): boolean => symbol === other.slice(3) + other.slice(0, 3);

/** The most of the other currency that an order exchanges, at its worst rate. */
function sidesAtWorstRate({
  fixed_side,
  amount,
  buy_currency,
  sell_currency,
  rate_symbol,
  worst_rate,
}: OrderTerms) {
  const base = rate_symbol.slice(0, 3);
  const [fixed, other] = fixed_side === "buy" ? [buy_currency, sell_currency] : [sell_currency, buy_currency];
  const value = new Big(amount);
  const amountOfOther = fixed === base ? value.times(worst_rate) : value.div(worst_rate);
  return [
    { amount, currency: fixed },
    { amount: amountOfOther.toFixed(), currency: other },
  ] as const;
}

/** What it commits in the currency of the policy, the larger side of an order; undefined where nobody can tell. */
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

/** Every yes that something needs. What limits cannot be held to, as nobody knows its amount, needs one at least. */
export function approvalRequirements(policy: Policy, sealed: SealedRequest): readonly ApprovalRequirement[] {
  const amount = committedAmount(policy, sealed);
  const requirements = policy.rules
    .filter((rule) => appliesTo(rule, sealed))
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

/** Finds for each person another one of those for whom they may speak; undefined where that cannot be. */
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

/** Those in whose name a person's yes counts: never in that of who asked, neither by themselves nor by a deputy. */
const principalsOf =
  ({ deputies }: Policy, { approvers }: ApprovalRequirement, asker: string | undefined) =>
  (person: string): readonly string[] =>
    approvers.filter(
      (principal) =>
        principal !== asker &&
        person !== asker &&
        (principal === person || (deputies[principal]?.includes(person) ?? false)),
    );

/** Whether those who said yes are enough. */
export const hasEnoughApprovals = (
  policy: Policy,
  requirements: readonly ApprovalRequirement[],
  asker: string | undefined,
  people: readonly string[],
): boolean =>
  requirements.every(
    (requirement) =>
      countApprovals(people, principalsOf(policy, requirement, asker)) >= requirement.approvals,
  );

/** Whether a person's yes counts for any of them. */
export const canDecide = (
  policy: Policy,
  requirements: readonly ApprovalRequirement[],
  asker: string | undefined,
  person: string,
): boolean => requirements.some((requirement) => principalsOf(policy, requirement, asker)(person).length > 0);

/** Whether enough people are there to say yes to what somebody asks. */
export const canBeApproved = (
  policy: Policy,
  requirements: readonly ApprovalRequirement[],
  asker: string | undefined,
): boolean => hasEnoughApprovals(policy, requirements, asker, policy.people);

/** What is needed, in words. */
export const describeRequirements = (requirements: readonly ApprovalRequirement[]): string =>
  requirements
    .map(
      ({ approvals, approvers }) =>
        `${approvals === 1 ? "a yes" : `${approvals} yeses`} of ${approvers.join(" or ")}`,
    )
    .join(", and ");

const hasPair = (pairs: readonly string[], { buy_currency, sell_currency }: OrderTerms): boolean => {
  const symbol = buy_currency + sell_currency;
  return pairs.some((pair) => pair === symbol || isInverse(pair, symbol));
};

/** Why a policy does not let something leave at all, whoever says yes; undefined where it does. */
export function findPolicyViolation(policy: Policy, sealed: SealedRequest): string | undefined {
  const { clients, pairs, types, limits } = policy;
  if (clients && !clients.includes(sealed.client))
    return `The policy does not name the client ${sealed.client}.`;
  if (sealed.kind === "order") {
    const { trade_type, buy_currency, sell_currency } = sealed.terms;
    if (pairs && !hasPair(pairs, sealed.terms))
      return `The policy does not let ${sell_currency} be sold for ${buy_currency}.`;
    if (types && !types.includes(trade_type))
      return `The policy does not allow trades of the type ${trade_type}.`;
  }
  if (!limits || effectOf(sealed) !== "money") return undefined;
  const amount = committedAmount(policy, sealed);
  if (amount === undefined)
    return sealed.kind === "order"
      ? "The policy has limits, and no rate for a currency of the order: they cannot be held."
      : undefined;
  const { currency } = policy.amounts!;
  for (const limit of [limits.perTrade, limits.perDay])
    if (limit !== undefined && amount.gt(limit))
      return `It commits ${amount.round(2).toFixed()} ${currency}, and the policy allows ${limit} ${currency}.`;
  return undefined;
}

/** Why nothing may leave at a moment, by the hours of the policy; undefined where something may. */
export function findHoursViolation(policy: Policy, moment: number): string | undefined {
  const { hours, timeZone } = policy;
  if (!hours) return undefined;
  const { weekday, time } = localTime(policy, moment);
  const isOpen = (hours.days as readonly string[]).includes(weekday) && time >= hours.from && time < hours.to;
  return isOpen
    ? undefined
    : `The policy lets things leave from ${hours.from} to ${hours.to} on ${hours.days.join(", ")} (${timeZone}).`;
}
