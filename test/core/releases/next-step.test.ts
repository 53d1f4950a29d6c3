/** The next step of a release in each state, by approvals, policy and clock. Approvals are really signed. */
import { fxdeskService } from "../../../core/client/fxdesk-service";
import { type NextStep, nextStep, type Review } from "../../../core/orders/next-step";
import { createEpoch, type People } from "../../../core/people/people-file";
import { signDecision } from "../../../core/releases/decision-signature";
import { parsePolicy } from "../../../core/releases/policy";
import type { Decision, Order } from "../../../core/releases/release";
import { type ReleaseState, releaseStates } from "../../../core/releases/states";
import type { SealedOrder } from "../../../core/releases/terms";
import { signRequest } from "../../../core/releases/request-signature";
import { Requester } from "../../../core/people/requester";
import { createToken, hashToken } from "../../../core/people/token";
import type { PolicyInput } from "./release-fixture";

/** A Wednesday. */
const now = Date.parse("2026-03-04T12:00:00Z");
const hourMs = 3_600_000;

const token = createToken();
const people: People = {
  key: Buffer.alloc(32, 1).toString("base64"),
  version: 2,
  people: {
    anna: { epoch: createEpoch() },
    bert: { epoch: createEpoch() },
    desk: { epoch: createEpoch(), token: hashToken(token) },
  },
  keys: {},
  administrators: [],
  pending: [],
  log: [],
};
const otherPeople: People = { ...people, key: Buffer.alloc(32, 2).toString("base64") };

const sealed: SealedOrder = {
  kind: "order",
  operation: "trades.order",
  environment: "sandbox",
  client: "C-1",
  requester: "desk",
  surface: "client",
  requestedAt: now,
  validUntil: now + hourMs,
  terms: {
    trade_type: "spot",
    buy_currency: "USD",
    sell_currency: "EUR",
    fixed_side: "sell",
    amount: "1000",
    rate_symbol: "EURUSD",
    worst_rate: "1.08",
    reason: "other",
  },
};

const orderIn = (state: ReleaseState, more: Partial<Order> = {}): Order => ({
  id: "R-1",
  signature: signRequest(Requester.ofToken(people, token)!, people, {
    id: "R-1",
    sealed: more.sealed ?? sealed,
  }),
  state,
  key: "R-1",
  requestHash: "request",
  hash: "seal",
  sealed,
  requestedAt: now - hourMs,
  changedAt: now - hourMs,
  entry: undefined,
  fence: 1,
  progress: {},
  ...more,
});
const valid = (ms: number, more: Partial<Order> = {}): Partial<Order> => ({
  sealed: { ...sealed, validUntil: now + ms },
  ...more,
});

const approval = (more: Partial<Decision> = {}, signedBy = people): Decision =>
  signDecision(signedBy, {
    factors: ["secret"],
    release: "R-1",
    hash: "seal",
    person: "anna",
    decision: "release",
    at: now - 60_000,
    until: now + 60_000,
    ...more,
  });

const policyOf = (more: Partial<PolicyInput> = {}) =>
  parsePolicy(
    JSON.stringify({
      people: ["anna", "bert", "desk"],
      rules: [{ effects: ["money"], from: ["anna", "bert"] }],
      ...more,
    }),
    "p.json",
    fxdeskService,
  );
const policy = policyOf();
const free = policyOf({ rules: undefined });
const byTwo = policyOf({ rules: [{ effects: ["money"], yes: 2, from: ["anna", "bert"] }] });
const closed = policyOf({ hours: { days: ["Mon"], from: "00:00", to: "23:59" } });
const open = policyOf({ hours: { days: ["Wed"], from: "11:00", to: "13:00" } });
const limited = policyOf({ amounts: { currency: "EUR" }, limits: { perTrade: "999" } });
const lastsMinute = policyOf({ yesLastsMinutes: 1 });
const byMinute = policyOf({ quoteEverySeconds: 60 });
const byMoment = policyOf({ quoteEverySeconds: 0.05 });

/** A review in which anna has approved the order. */
const approved = (given: Partial<Review["authority"]> = {}, decisions = [approval()]): Review => ({
  decisions,
  authority: { policy, people, ...given },
});
const decided = (...decisions: Decision[]): Review => approved({}, decisions);

const send = (review: Review, retryInMs = 10_000): NextStep => ({
  kind: "send",
  authority: review.authority,
  retryInMs,
});
const hold = (reason: string, retryInMs = 10_000) => ({
  kind: "hold",
  reason: expect.stringContaining(reason) as string,
  retryInMs,
});
const expire = (remark: string) => ({ kind: "expire", remark });
const [wait, idle, review, verify] = [
  { kind: "waitForApproval" },
  { kind: "idle" },
  { kind: "review" },
  { kind: "verify" },
] as const;
const settle = { kind: "settle", entry: "E-1" } as const;
const sent = { entry: "E-1" } as const;

const notReleased = "The request was not released in time.";
const expired = `The request expired at ${new Date(now).toISOString()}.`;

type Row = readonly [title: string, order: Order, review: Review | undefined, step: unknown];
const quoted = (title: string, given: Review, retryInMs?: number): Row => [
  title,
  orderIn("released"),
  given,
  send(given, retryInMs),
];

const rows: readonly Row[] = [
  // Before the policy is read.
  ["waiting, not reviewed", orderIn("waiting"), undefined, idle],
  ["waiting until now, not reviewed", orderIn("waiting", valid(0)), undefined, expire(notReleased)],
  ["released, not reviewed", orderIn("released"), undefined, review],
  ["booking, sent", orderIn("booking", sent), undefined, settle],
  ["booking, sent and past its validity", orderIn("booking", valid(-1, sent)), undefined, settle],
  ["unknown, sent", orderIn("unknown", sent), undefined, settle],
  ["unknown, with a remark", orderIn("unknown", { ...sent, progress: { remark: "?" } }), undefined, settle],
  ["booked, not verified", orderIn("booked", { ...sent, progress: { identity: "t" } }), undefined, verify],
  ["booked, read in vain", orderIn("booked", { ...sent, progress: { readings: 3 } }), undefined, verify],
  ["booked, verified", orderIn("booked", { ...sent, progress: { deviations: [] } }), undefined, idle],
  [
    "booked with deviations",
    orderIn("booked", { ...sent, progress: { deviations: ["!"] } }),
    undefined,
    idle,
  ],
  ["booked, without an entry", orderIn("booked"), undefined, verify],
  // An entry means that a booking was sent, whatever the row says.
  ["released, but sent", orderIn("released", sent), approved(), settle],
  ["waiting, but sent", orderIn("waiting", sent), approved(), settle],
  ["booking without an entry", orderIn("booking"), approved(), hold("booking without a journal entry")],
  ["sent without an entry", orderIn("sent"), approved(), hold("sent without a journal entry")],
  ["sent", orderIn("sent", sent), undefined, settle],
  ["unknown without an entry", orderIn("unknown"), approved(), hold("unknown without a journal entry")],
  // Waiting for approval.
  ["waiting", orderIn("waiting"), decided(), idle],
  ["waiting, but approved", orderIn("waiting"), approved(), idle],
  ["waiting until now", orderIn("waiting", valid(0)), decided(), expire(notReleased)],
  ["waiting a moment longer", orderIn("waiting", valid(1)), decided(), idle],
  [
    "waiting for a new approval in vain",
    orderIn("waiting", valid(0, { progress: { remark: "The release has expired." } })),
    decided(),
    expire(`${notReleased} The release has expired.`),
  ],
  // Released until it expires.
  ["released until now", orderIn("released", valid(0)), approved(), expire(expired)],
  [
    "released until now, with a remark",
    orderIn("released", valid(0, { progress: { remark: "The last quote was bad." } })),
    approved(),
    expire(`${expired} The last quote was bad.`),
  ],
  ["expired outside the hours", orderIn("released", valid(0)), approved({ policy: closed }), expire(expired)],
  ["expired without approval", orderIn("released", valid(0)), decided(), expire(expired)],
  // Approvals.
  ["released without approval", orderIn("released"), decided(), wait],
  ["an approval until now", orderIn("released"), decided(approval({ until: now })), wait],
  [
    "an approval older than this policy allows",
    orderIn("released"),
    approved({ policy: lastsMinute }, [approval({ at: now - 60_000 })]),
    wait,
  ],
  quoted(
    "an approval as old as this policy allows",
    approved({ policy: lastsMinute }, [approval({ at: now - 59_999 })]),
  ),
  ["an approval of other terms", orderIn("released"), decided(approval({ hash: "other" })), wait],
  ["an approval of another order", orderIn("released"), decided(approval({ release: "R-2" })), wait],
  ["an approval signed with another key", orderIn("released"), decided(approval({}, otherPeople)), wait],
  ["a prolonged approval", orderIn("released"), decided({ ...approval(), until: now + hourMs }), wait],
  ["a refusal", orderIn("released"), decided(approval({ decision: "refuse" })), wait],
  ["the requester's approval", orderIn("released"), decided(approval({ person: "desk" })), wait],
  ["one approval of two", orderIn("released"), approved({ policy: byTwo }), wait],
  quoted("both approvals", approved({ policy: byTwo }, [approval(), approval({ person: "bert" })])),
  quoted("an approval", approved()),
  quoted("no approval where none is needed", approved({ policy: free }, [])),
  quoted("no policy", approved({ policy: undefined }, [])),
  [
    "no people file where no approval is needed",
    orderIn("released"),
    approved({ policy: free, people: undefined }, []),
    hold("cannot be verified"),
  ],
  ["no people file", orderIn("released"), approved({ people: undefined }), hold("cannot be verified")],
  // The policy.
  [
    "an amount above the limit",
    orderIn("released"),
    approved({ policy: limited }),
    hold("are allowed per trade"),
  ],
  [
    "outside the hours",
    orderIn("released"),
    approved({ policy: closed }),
    hold("does not allow sending now; it allows it on Mon"),
  ],
  ["no approval outside the hours", orderIn("released"), approved({ policy: closed }, []), wait],
  quoted("within the hours", approved({ policy: open })),
  quoted("quotes each minute", approved({ policy: byMinute }), 60_000),
  quoted("frequent quotes", approved({ policy: byMoment }), 50),
  [
    "a hold with frequent quotes",
    orderIn("released"),
    approved({ policy: policyOf({ quoteEverySeconds: 0.05, clients: ["C-2"] }) }),
    hold("does not allow the client C-1", 1_000),
  ],
];

test.each(rows)("%s", (_, order, given, step) => {
  expect(nextStep(order, now, given)).toEqual(step);
});

test("does nothing in the final states", () => {
  const final = ["expired", "refused", "cancelled"] as const;
  expect(final.map((state) => nextStep(orderIn(state), now, approved()))).toEqual(final.map(() => idle));
  const tested = new Set([...rows.map(([, { state }]) => state), ...final]);
  expect(releaseStates.filter((state) => !tested.has(state))).toEqual([]);
});
