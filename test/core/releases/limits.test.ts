/** Limits of a day: what a request adds to which sum, and which sum exceeds its limit. */
import { Big } from "big.js";
import { fxdeskService } from "../../../core/client/fxdesk-service";
import { commitmentsOf, findLimitViolation, serviceOf } from "../../../core/releases/limits";
import { findPolicyViolation } from "../../../core/releases/policy-evaluation";
import { parsePolicy } from "../../../core/releases/policy";
import type { SealedCall } from "../../../core/releases/terms";
import { normalizeAddress } from "../../../core/values/host";
import type { PolicyInput } from "./release-fixture";

const policyOf = (more: Partial<PolicyInput> = {}) =>
  parsePolicy(
    JSON.stringify({ people: ["desk"], amounts: { currency: "EUR", rates: { USD: "0.5" } }, ...more }),
    "p.json",
    fxdeskService,
  );

const moment = Date.parse("2026-03-04T12:00:00Z");
const call = (more: Partial<SealedCall> = {}): SealedCall => ({
  kind: "call",
  effect: "money",
  operation: "payments.initiate",
  environment: "sandbox https://api.example.com/base",
  client: "C-1",
  requester: "desk",
  surface: "client",
  requestedAt: 0,
  validUntil: 0,
  terms: { method: "POST", address: "a", target: "b", headers: {}, values: {}, given: {} },
  ...more,
});

test.each([
  ["https://API.Example.com:443/x/", "https://api.example.com"],
  ["https://api.example.com./", "https://api.example.com"],
  ["http://127.0.0.1:8080", "http://localhost:8080"],
  ["http://[::1]:8080/a", "http://localhost:8080"],
  ["http://127.1:8080", "http://localhost:8080"],
  ["http://0.0.0.0:8080", "http://localhost:8080"],
  ["http://[::ffff:127.0.0.1]:8080", "http://localhost:8080"],
  ["http://sub.localhost:8080", "http://localhost:8080"],
])("the address %s is %s", (address, normalized) => {
  expect(normalizeAddress(address)).toBe(normalized);
});

test("a service has the name that the policy gives to its addresses", () => {
  const { services } = policyOf({ services: { bank: ["https://api.example.com", "https://10.0.0.5:8443"] } });
  for (const environment of ["api https://API.example.com/x", "https://10.0.0.5:8443/y"])
    expect(serviceOf({ services }, { environment })).toBe("bank");
  expect(serviceOf({ services }, { environment: "https://other.example.com" })).toBe(
    "https://other.example.com",
  );
  expect(() =>
    policyOf({ services: { a: ["https://api.example.com"], b: ["https://API.example.com:443/"] } }),
  ).toThrow(/services: repeats an address/);
});

const amounts = [
  { amount: "100", currency: "USD", account: "DE1" },
  { amount: "30", currency: "EUR", account: "DE1" },
  { amount: "7", currency: "EUR", account: "DE2" },
];

test("a payment counts for its service, client, requester and accounts", () => {
  const commitments = commitmentsOf(policyOf(), call({ amounts }), moment);
  const service = "https://api.example.com";
  expect(commitments.map(({ scope, amount }) => [...(JSON.parse(scope) as string[]), amount])).toEqual([
    ["service", service, "87"],
    ["client", service, "C-1", "87"],
    ["requester", service, "desk", "87"],
    ["account", service, "DE1", "80"],
    ["account", service, "DE2", "7"],
  ]);
  expect(new Set(commitments.map(({ day }) => day))).toEqual(new Set(["2026-03-04"]));
});

test.each([
  ["a cancellation", { amounts: [] }],
  ["an unknown amount", {}],
  ["a currency without a rate", { amounts: [{ amount: "1", currency: "GBP" }] }],
])("%s adds nothing", (_, more) => {
  expect(commitmentsOf(policyOf(), call(more), moment)).toEqual([]);
});

test("a limit of each account needs the account of every amount", () => {
  const policy = policyOf({ limits: { perAccountPerDay: "1000" } });
  expect(findPolicyViolation(policy, call({ amounts }))).toBeUndefined();
  const partly = [...amounts, { amount: "1", currency: "EUR" }];
  expect(findPolicyViolation(policy, call({ amounts: partly }))).toMatch(/account to debit/);
});

test.each([
  ["perDay", 0],
  ["perClientPerDay", 1],
  ["perRequesterPerDay", 2],
  ["perAccountPerDay", 3],
] as const)("%s is reached exactly, and not exceeded", (limit, index) => {
  const policy = policyOf({ limits: { [limit]: "100" } });
  const commitments = commitmentsOf(policy, call({ amounts }), moment);
  const { scope, amount } = commitments[index]!;
  const rest = new Big(100).minus(amount);
  expect(findLimitViolation(policy, commitments, new Map([[scope, rest]]))).toBeUndefined();
  expect(findLimitViolation(policy, commitments, new Map([[scope, rest.plus("0.01")]]))).toMatch(
    /daily limit of 100 EUR/,
  );
  const kindOf = (text: string) => (JSON.parse(text) as string[])[0];
  const others = commitments.filter((each) => kindOf(each.scope) !== kindOf(scope));
  const full = new Map(others.map((each) => [each.scope, new Big(1_000)]));
  expect(findLimitViolation(policy, commitments, full)).toBeUndefined();
});
