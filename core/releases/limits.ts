/** Limits of a policy: what a request adds to the sums of a day, and whether a sum exceeds its limit. */
import { Big } from "big.js";
import type { Commitment } from "../store/database";
import { normalizeAddress } from "../values/host";
import { findServiceKey, type People } from "../people/people-file";
import { localTime, type Policy, toPolicyCurrency } from "./policy";
import { committedAmount } from "./committed-money";
import type { SealedRequest } from "./terms";

const scopeKinds = ["service", "client", "account", "requester"] as const;
type ScopeKind = (typeof scopeKinds)[number];

const dayLimits = {
  service: "perDay",
  client: "perClientPerDay",
  account: "perAccountPerDay",
  requester: "perRequesterPerDay",
} as const satisfies Record<ScopeKind, keyof NonNullable<Policy["limits"]>>;

/** Returns the name that the policy gives to the address of a request, or the address in one spelling. */
export function serviceOf(
  { services }: Pick<Policy, "services">,
  { environment }: Pick<SealedRequest, "environment">,
): string {
  const address = normalizeAddress(environment.split(" ").at(-1)!);
  const named = Object.entries(services).find(([, addresses]) =>
    addresses.some((each) => normalizeAddress(each) === address),
  );
  return named ? named[0] : address;
}

const least = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || (other !== undefined && new Big(other).lt(one)) ? other : one;

/** Returns the policy for one requester: with the limits of their name and of their service key, where these are lower. */
export function withRequesterLimits(policy: Policy, people: People | undefined, requester = ""): Policy {
  const { limits } = policy;
  const { requesters = {} } = limits ?? {};
  const own = Object.hasOwn(requesters, requester) ? requesters[requester] : undefined;
  const key = people && findServiceKey(people, requester);
  const perTrade = least(own?.perTrade, key?.perRequest);
  const perDay = least(own?.perDay, key?.perDay);
  if (perTrade === undefined && perDay === undefined) return policy;
  return {
    ...policy,
    limits: {
      ...limits,
      perTrade: least(limits?.perTrade, perTrade),
      perRequesterPerDay: least(limits?.perRequesterPerDay, perDay),
    },
  };
}

const scopeOf = (kind: ScopeKind, service: string, ...names: readonly string[]): string =>
  JSON.stringify([kind, service, ...names]);

/** Returns what a request adds to the sums of its day; empty if it commits no money or its amount is unknown. */
export function commitmentsOf(policy: Policy, sealed: SealedRequest, moment: number): readonly Commitment[] {
  const total = committedAmount(policy, sealed);
  if (total === undefined) return [];
  const service = serviceOf(policy, sealed);
  const { day } = localTime(policy, moment);
  const accounts = new Map<string, Big>();
  for (const each of (sealed.kind === "call" && sealed.amounts) || [])
    if (each.account !== undefined)
      accounts.set(each.account, toPolicyCurrency(policy, [each])!.plus(accounts.get(each.account) ?? 0));
  return [
    ...[
      scopeOf("service", service),
      scopeOf("client", service, sealed.client),
      scopeOf("requester", service, sealed.requester ?? ""),
    ].map((scope) => ({ scope, day, amount: total.toFixed() })),
    ...[...accounts].map(([account, amount]) => ({
      scope: scopeOf("account", service, account),
      day,
      amount: amount.toFixed(),
    })),
  ];
}

/** Returns why a request would exceed a limit of its day, given the sums by scope that are already committed, or undefined. */
export function findLimitViolation(
  policy: Policy,
  commitments: readonly Commitment[],
  sums: ReadonlyMap<string, Big>,
): string | undefined {
  for (const { scope, day, amount } of commitments) {
    const [kind, service, name = service] = JSON.parse(scope) as [ScopeKind, string, string?];
    const limit = policy.limits?.[dayLimits[kind]];
    const before = sums.get(scope) ?? new Big(0);
    if (limit !== undefined && before.plus(amount).gt(limit))
      return (
        `The request would exceed the daily limit of ${limit} ${policy.amounts!.currency} for the ${kind} ${name}: ` +
        `it adds ${new Big(amount).round(2).toFixed()}` +
        (before.gt(0) ? ` to ${before.round(2).toFixed()} already committed on ${day}.` : ".")
      );
  }
  return undefined;
}
