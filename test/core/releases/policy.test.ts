/** The policy file: parsing, errors and rules. */
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Ajv from "ajv";
import { z } from "zod";
import { fxdeskService } from "../../../core/client/fxdesk-service";
import {
  findHoursViolation,
  hasEnoughApprovals,
  approvalRequirements,
} from "../../../core/releases/policy-evaluation";
import { createPeople } from "../../../core/people/administration";
import { loadPeople } from "../../../core/people/people-file";
import { extendService } from "../../../core/spec/extension";
import { bookTrade } from "../../../core/contract/trades";
import { localTime, Policy, loadPolicy, parsePolicy } from "../../../core/releases/policy";
import { isRateWithinLimit, findQuoteProblem, worstRateFrom } from "../../../core/orders/quote";
import type { Quote } from "../../../core/spec/quotes";
import type { OrderTerms, SealedCall, SealedOrder } from "../../../core/releases/terms";
import { tempFolder } from "../../support/resources";

const policyJson = `{
  "$schema": "policy.schema.json",
  "people": ["anna", "bert", "carl", "desk"],
  "deputies": { "anna": ["carl"] },
  "rules": [
    { "effects": ["money"], "above": "1000", "from": ["anna", "bert"] },
    { "operations": ["trades.order"], "above": "50000", "yes": 2, "from": ["anna", "bert"] }
  ],
  "yesLastsMinutes": 30,
  "timeZone": "Europe/Brussels",
  "amounts": { "currency": "EUR", "rates": { "USD": "0.9" } },
  "limits": { "perTrade": "100000", "perDay": "300000" },
  "pairs": ["EURUSD"],
  "types": ["spot", "forward"],
  "clients": ["C-1"],
  "hours": { "from": "08:00", "to": "18:00" },
  "quoteEverySeconds": 5
}`;

test("parses a full policy, which also matches the published schema", () => {
  expect(parsePolicy(policyJson, "p.json", fxdeskService)).toMatchObject({
    people: ["anna", "bert", "carl", "desk"],
  });
  const schema = z.toJSONSchema(Policy, { io: "input", target: "draft-7" });
  const fits = new Ajv({ strict: false }).compile(schema);
  expect([fits(JSON.parse(policyJson)), fits.errors]).toEqual([true, null]);
  expect(fits({ people: ["anna"], rule: [] })).toBe(false);
});

test.each<readonly [string, string, RegExp]>([
  ["an extra comma", `{\n  "people": ["anna"],\n}`, /p\.json is invalid: line 3: is not JSON/],
  ["a missing field", `{\n  "rules": []\n}`, /line 1, people: /],
  ["a misspelt field", `{\n  "people": ["anna"],\n  "limit": {}\n}`, /line 3: is not a field of a policy/],
  [
    "a number for an amount",
    `{\n "people": ["a"],\n "amounts": { "currency": "EUR" },\n "limits": {\n  "perDay": 5 }\n}`,
    /line 5, limits\.perDay: /,
  ],
  [
    "an unknown person",
    `{\n "people": ["a"],\n "rules": [\n  { "effects": ["money"],\n    "from": ["b"] }\n ]\n}`,
    /line 5, rules\.0\.from\.0: is not listed in people/,
  ],
  [
    "more approvals than people",
    `{\n "people": ["a"],\n "rules": [\n  { "yes": 2 }\n ]\n}`,
    /line 4, rules\.0\.yes: requires 2 people, but only 1/,
  ],
  [
    "two names that look alike",
    `{\n "people": ["anna",\n  "\u0430nna"] }`,
    /line 2, people\.0: looks like \u0430nna; line 3/,
  ],
  ["a missing field", `\n{ "rules": [] }`, /line 2, people: /],
  [
    "an unknown deputy",
    `{\n "people": ["a"],\n "deputies": {\n  "a": ["z"] }\n}`,
    /line 4, deputies: is not listed in people/,
  ],
  [
    "limits without amounts",
    `{\n "people": ["a"],\n "limits": { "perDay": "5" }\n}`,
    /line 3, limits: `limits` also requires `amounts`/,
  ],
  [
    "an invalid time zone",
    `{\n "people": ["a"],\n "timeZone": "Mars"\n}`,
    /line 3, timeZone: must be a time zone/,
  ],
  ...["payment.initiate", "trades.*", "*", "trades.list", "releases.get", "payments.initiateRun"].map(
    (name) =>
      [
        `the operation ${name}`,
        `{\n "people": ["a"],\n "rules": [{\n  "operations": ["trades.order",\n   "${name}"] }]\n}`,
        /line 5, rules\.0\.operations\.1: /,
      ] as const,
  ),
  [
    "an unknown trade type",
    `{\n "people": ["a"],\n "types": ["spot",\n  "sopt"]\n}`,
    /line 4, types\.1: .*"spot"/,
  ],
  ["an unknown effect", `{\n "people": ["a"],\n "rules": [{ "effects": ["moeny"] }]\n}`, /line 3, rules/],
  [
    "a field that is given twice",
    `{\n "people": ["a"],\n "rules": [{}],\n "limits": {},\n "rules": []\n}`,
    /line 5: repeats a field/,
  ],
  [
    "an inner field that is given twice, once escaped",
    `{\n "people": ["a"],\n "rules": [{ "yes": 1,\n  "\\u0079es": 1 }]\n}`,
    /line 4: repeats a field/,
  ],
  [
    "a file that is no JSON",
    "root:x:0:0:root:/root:/bin/sh\n",
    /^policy: p\.json is invalid: line 1: is not JSON\.$/,
  ],
  ["an empty file", "", /line 1: is not JSON/],
  ["a file with a byte order mark", `\uFEFF{ "people": ["a"] }`, /line 1: is not JSON/],
  ["text after the policy", `{ "people": ["a"] }\n\n}`, /line 3: is not JSON/],
  ["deep nesting", "[".repeat(100_000), /line 1: is not JSON/],
  [
    "hours that end before they begin",
    `{\n "people": ["a"],\n "hours": { "from": "18:00", "to": "08:00" }\n}`,
    /line 3, hours\.to: must be later/,
  ],
])("reports %s by line and field", (_, json, message) => {
  expect(() => parsePolicy(json, "p.json", fxdeskService)).toThrow(message);
});

test.each([
  "secret:x:0:0",
  '{ "secret": "secret" }',
  '{ "people": ["secret"], "rules": [{ "secret": 1 }] }',
  '{ "people": ["a"], "deputies": { "secret": ["secret"] }, "timeZone": "secret", "types": ["secret"] }',
  '{ "people": ["a"], "amounts": { "currency": "secret", "rates": { "secret": "secret" } } }',
  '{ "people": ["a"], "rules": [{ "operations": ["secret"], "above": "secret" }], "hours": { "from": "secret" } }',
])("quotes nothing of %s", (json) => {
  expect(() => parsePolicy(json, "p.json", fxdeskService)).toThrow(
    /^policy: p\.json is invalid: (?!.*secret)/s,
  );
});

test("accepts the operations of an extension and orders", () => {
  const service = extendService(fxdeskService, {
    operations: [{ ...bookTrade, name: "quotes.bookAll", tool: "book_all", path: "/quotes" }],
  });
  const json = '{ "people": ["a"], "rules": [{ "operations": ["quotes.bookAll", "trades.order"] }] }';
  expect(parsePolicy(json, "p.json", service).rules[0]!.operations).toEqual([
    "quotes.bookAll",
    "trades.order",
  ]);
  expect(() => parsePolicy(json, "p.json", fxdeskService)).toThrow(/operations\.0: is not an operation/);
});

describe("files", () => {
  let folder: string;
  beforeAll(async () => (folder = await tempFolder()));

  test("rejects files that others can write, and secrets that others can read", async () => {
    const policy = join(folder, "policy.json");
    await writeFile(policy, policyJson);
    await chmod(policy, 0o666);
    await expect(loadPolicy(policy, fxdeskService, undefined)).rejects.toThrow(
      "can be changed by other users. Run `chmod go-w",
    );
    const people = join(folder, "people.json");
    await createPeople(people, "anna", "a long enough secret");
    await chmod(people, 0o644);
    await expect(loadPeople(people)).rejects.toThrow("can be read by other users. Run `chmod 600");
    await expect(loadPolicy("policy.json", fxdeskService, undefined)).rejects.toThrow(
      "policy must be the absolute path of a file",
    );
    await expect(loadPolicy(join(folder, "none.json"), fxdeskService, undefined)).rejects.toThrow(
      "none.json (FXDESK_POLICY) cannot be read: ",
    );
  });
});

const policy = parsePolicy(policyJson, "p.json", fxdeskService);
const facts = {
  environment: "sandbox",
  client: "C-1",
  requester: "desk",
  surface: "client",
  requestedAt: 0,
  validUntil: 0,
} as const;
const call = (amount?: string, currency = "EUR") =>
  ({
    ...facts,
    kind: "call",
    effect: "money",
    operation: "payments.initiate",
    terms: {},
    ...(amount !== undefined && { amounts: [{ amount, currency }] }),
  }) as unknown as SealedCall;
const terms: OrderTerms = {
  trade_type: "spot",
  buy_currency: "USD",
  sell_currency: "EUR",
  fixed_side: "sell",
  amount: "1000",
  rate_symbol: "EURUSD",
  worst_rate: "1.08",
  reason: "other",
};
const order = (more: Partial<OrderTerms>): SealedOrder => ({
  ...facts,
  kind: "order",
  operation: "trades.order",
  terms: { ...terms, ...more },
});

test.each([
  ["a small payment", call("1000"), 0],
  ["a larger payment", call("1000.01"), 1],
  ["one in another currency", call("1112", "USD"), 1],
  ["one in a currency without a rate", call("1", "JPY"), 1],
  ["one with an unknown amount", call(), 1],
  ["a small order", order({ amount: "900" }), 0],
  ["an order whose other side is larger", order({ fixed_side: "buy", amount: "1200" }), 1],
  ["a large order", order({ amount: "60000" }), 2],
])("determines the approvals of %s", (_, sealed, needs) => {
  expect(approvalRequirements(policy, sealed)).toHaveLength(needs);
});

test.each([
  [["anna"], "desk", false],
  [["anna", "bert"], "desk", true],
  [["carl", "bert"], "desk", true],
  [["anna", "carl"], "desk", false],
  [["carl", "anna", "bert"], "desk", true],
  [["carl", "bert"], "anna", false],
  [["anna", "bert"], "anna", false],
])("decides if %j are enough approvers for %s: %s", (people, requester, enough) => {
  expect(hasEnoughApprovals(policy, [{ approvals: 2, approvers: ["anna", "bert"] }], requester, people)).toBe(
    enough,
  );
});

test("uses days and hours of the time zone", () => {
  const [winter, summer] = [Date.parse("2026-01-05T07:30Z"), Date.parse("2026-07-06T16:30Z")];
  expect(localTime(policy, winter)).toEqual({ day: "2026-01-05", weekday: "Mon", time: "08:30" });
  expect(findHoursViolation(policy, winter)).toBeUndefined();
  expect(findHoursViolation(policy, summer)).toMatch(/from 08:00 to 18:00 Europe\/Brussels/);
  expect(findHoursViolation(policy, Date.parse("2026-01-04T10:00Z"))).toBeDefined();
  expect(localTime(policy, Date.parse("2026-01-05T23:30Z")).day).toBe("2026-01-06");
});

describe("the direction of a rate", () => {
  test.each([
    // Selling EUR for USD: more USD for a EUR is better.
    [{}, "1.08", "EURUSD", true],
    [{}, "1.0799", "EURUSD", false],
    [{}, "0.925925", "USDEUR", true],
    [{}, "0.926", "USDEUR", false],
    // Buying EUR with USD: fewer USD for a EUR is better.
    [{ buy_currency: "EUR", sell_currency: "USD" }, "1.08", "EURUSD", true],
    [{ buy_currency: "EUR", sell_currency: "USD" }, "1.0801", "EURUSD", false],
    [{ buy_currency: "EUR", sell_currency: "USD" }, "0.926", "USDEUR", true],
    [{ buy_currency: "EUR", sell_currency: "USD" }, "0.9259", "USDEUR", false],
    [{}, "1.2", "GBPUSD", false],
  ])("%j at %s %s: %s", (more, rate, symbol, isInside) => {
    expect(isRateWithinLimit({ ...terms, ...more }, rate, symbol)).toBe(isInside);
  });

  test("applies the distance against the requester", () => {
    expect(worstRateFrom("1.1", "EURUSD", { buy_currency: "USD" }, "1")).toBe("1.089");
    expect(worstRateFrom("1.1", "EURUSD", { buy_currency: "EUR" }, "1")).toBe("1.111");
  });
});

const quote: Quote = {
  quote_id: "q",
  rate: "1.085",
  rate_symbol: "EURUSD",
  buy_amount: "1085",
  buy_currency: "USD",
  sell_amount: "1000",
  sell_currency: "EUR",
  value_date: "2026-01-07",
};

test.each<[string, Partial<OrderTerms>, Partial<Quote>, RegExp | undefined]>([
  ["inside", {}, {}, undefined],
  ["another amount", {}, { sell_amount: "1000.01" }, /sells 1000.01 instead of 1000/],
  ["too small an amount", {}, { buy_amount: "1079.99" }, /allows at least 1080/],
  [
    "the last cent, rounded",
    { amount: "0.01", worst_rate: "1.5" },
    { sell_amount: "0.01", buy_amount: "0.01", rate: "1.5" },
    undefined,
  ],
  ["another day", { value_date: "2026-01-06" }, {}, /value date is 2026-01-07 instead of 2026-01-06/],
  ["a day in between", { value_date: "2026-01-06", latest_value_date: "2026-01-08" }, {}, undefined],
  ["the last day", { value_date: "2026-01-06", latest_value_date: "2026-01-07" }, {}, undefined],
  ["another currency bought", {}, { buy_currency: "GBP" }, /for GBP against EUR/],
  ["another currency sold", {}, { sell_currency: "GBP" }, /for USD against GBP/],
  ["a fee", { highest_fee: "5", fee_currency: "EUR" }, { fee_amount: "5", fee_currency: "EUR" }, undefined],
  [
    "a higher fee",
    { highest_fee: "5", fee_currency: "EUR" },
    { fee_amount: "5.01", fee_currency: "EUR" },
    /fee is 5.01 EUR/,
  ],
  [
    "a fee in another currency",
    { highest_fee: "5", fee_currency: "EUR" },
    { fee_amount: "5", fee_currency: "USD" },
    /fee is 5 USD/,
  ],
  ["an unknown fee", { highest_fee: "5", fee_currency: "EUR" }, {}, /fee is unknown/],
  ["an amount that is not a number", {}, { buy_amount: "NaN" }, /not decimals/],
])("checks a quote with %s", (_, more, said, reason) => {
  const found = findQuoteProblem({ ...terms, ...more }, { ...quote, ...said });
  if (reason) expect(found).toMatch(reason);
  else expect(found).toBeUndefined();
});
