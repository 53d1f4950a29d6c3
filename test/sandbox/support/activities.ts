/** What callers, people, the bank and time do to a sandbox, at random: each with values that mostly fit what there is. */
import * as fc from "fast-check";
import { type Declaration, fieldsOf, operations, type Values } from "@fxdesk/toolkit/operations";
import { controls, demo, Refusal } from "@fxdesk/sandbox";
import { Big } from "big.js";
import { referenceTo } from "../../../sandbox/src/world/open-banking/references";
import { createQuote, extensionOperations } from "../../../sandbox/src/extensions/declared";
import { methodOf } from "../../../sandbox/src/control/in-process";
import { routeOf } from "../../../sandbox/src/routes";
import { bucketOf } from "../../../sandbox/src/world/ledger/ledger";
import type { World } from "../../../sandbox/src/world/world";
import { requestValues } from "../../support/arbitrary";
import { conforms, statusesOf } from "../../support/conforms";
import { operationNamed } from "../../support/operations";
import { fingerprint, fingerprintBefore } from "./fingerprint";
import { callOf, type PlainResponse, requestOf } from "./http";
import type { InProcess } from "./in-process";

/** When sequences begin. */
export const now = new Date("2026-03-16T09:00:00Z");

/** Something that somebody does, or time does: how often among others, with what, and how. */
interface Activity<V> {
  readonly weight: number;
  readonly values: fc.Arbitrary<V>;
  readonly act: (desk: InProcess, values: V) => unknown;
}

const activity = <V>(weight: number, values: fc.Arbitrary<V>, act: (desk: InProcess, values: V) => unknown) =>
  ({ weight, values, act }) as Activity<unknown>;

const inEach = <T>(items: readonly T[], at: number): T | undefined => items[at % items.length];
const number = fc.nat(1_000);

/** What there is in the world, by the name of the field that refers to it. */
const existing: Readonly<Record<string, (world: World, at: number) => unknown>> = {
  account_id: accountAt,
  "account-id": accountAt,
  account_details_id: ({ accountDetails }, at) => inEach([...accountDetails.keys()], at),
  statement_id: ({ statements }, at) => inEach([...statements.keys()], at),
  transaction_id: (world, at) => inEach(linesOf(world, at), at)?.lineId,
  entryReferenceFrom: (world, at) => inEach(linesOf(world, at), at)?.lineId.replaceAll("-", ""),
  trade_id: tradeAt,
  parent_trade_id: tradeAt,
  quote_id: ({ quotes }, at) => inEach([...quotes.keys()], at),
  paymentId: (world, at) => bankPaymentAt(world, at)?.paymentId,
  "payment-service": (world, at) => bankPaymentAt(world, at)?.service,
  "payment-product": (world, at) => bankPaymentAt(world, at)?.product,
  "consent-id": consentAt,
  "Consent-ID": consentAt,
  "authorisation-id": authorisationAt,
  authorisation_id: authorisationAt,
  payment_id: ({ trades }, at) =>
    inEach(
      [...trades.values()].flatMap(({ payments }) => payments),
      at,
    )?.paymentId,
  document_id: tradeAt,
  beneficiary_id: ({ beneficiaries }, at) => inEach(beneficiaries, at)?.beneficiaryId,
  mail: ({ outbox }, at) => (outbox.mails.length > 0 ? (at % outbox.mails.length) + 1 : undefined),
  file_name: ({ outbox }, at) => inEach(inEach(outbox.mails, at)?.attachments ?? [], at)?.fileName,
  contact_id: ({ contacts }, at) => inEach([...contacts.keys()], at),
  debtorAccount: ({ accounts }, at) => referenceTo(inEach([...accounts.values()], at)!),
  operation: (_world, at) => inEach(operations, at)!.name,
  client_id: () => demo.clientId,
};

function accountAt({ accounts }: World, at: number) {
  return inEach([...accounts.keys()], at);
}
function linesOf({ accounts, ledger }: World, at: number) {
  return ledger.lines(bucketOf(inEach([...accounts.values()], at)!, "InterimAvailable")).slice();
}
function tradeAt({ trades }: World, at: number) {
  return inEach([...trades.keys()], at);
}
function bankPaymentAt({ openBanking }: World, at: number) {
  return inEach([...openBanking.payments.values()], at);
}
function consentAt({ openBanking }: World, at: number) {
  return inEach([...openBanking.consents.keys()], at);
}
function authorisationAt({ openBanking }: World, at: number) {
  return inEach([...openBanking.authorisations.keys()], at);
}

/** The values with references to what there is, where there is something. Fields that are left out stay out. */
function referring(desk: InProcess, operation: Declaration, values: Values, at: number): Values {
  const fields = fieldsOf(operation).filter(
    ({ name, options }) => name in values && !options?.includes("status"),
  );
  const there = fields.map(({ name }) => [name, existing[name]?.(desk.world, at)] as const);
  return { ...values, ...Object.fromEntries(there.filter(([, value]) => value !== undefined)) };
}

/** Whether a fault waits for the operation that serves a request: then anything that it documents may come. */
function isSpoiled(desk: InProcess, operation: Declaration, values: Values): boolean {
  const waiting = desk.control.listFaults();
  if (waiting.length === 0) return false;
  const { method, path } = requestOf(operation, values);
  return waiting
    .map((fault) => operationNamed(fault.operation))
    .some((spoilt) => spoilt.method === method && routeOf(spoilt).pattern.test(path.split("?")[0]!));
}

/**
 * Calls an operation: its response is documented in every part, and no failure of the sandbox; who is refused has changed
 * nothing.
 */
export async function call(
  desk: InProcess,
  operation: Declaration,
  values: Values,
  headers?: Readonly<Record<string, string>>,
): Promise<PlainResponse> {
  const { world } = desk;
  const before = fingerprintBefore(world);
  const spoiled = isSpoiled(desk, operation, values);
  const response = await callOf(desk.ask, operation, values, headers);
  conforms(operation, response);
  if (response.status >= 500 && !spoiled)
    throw new Error(`${operation.name} failed with ${response.status}. ${response.text}`);
  if (response.status >= 400 && fingerprint(world) !== before)
    throw new Error(`${operation.name} answered ${response.status}, and changed something. ${response.text}`);
  return response;
}

/** Who calls: as a rule the demo company, sometimes with a contact, sometimes somebody who may not. */
const callers = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Readonly<Record<string, string>>[]>(
      { "x-contact-id": "contact-second-admin" },
      { "x-contact-id": "contact-blocked" },
      { authorization: "" },
      { authorization: "Bearer nobody" },
    ),
  },
);

/** A call of one of some operations, by name: values that fit, which refer to what there is or to nothing. */
const calls = (asked: readonly Declaration[]) =>
  fc.oneof(
    ...asked.map((operation) =>
      fc.record({
        name: fc.constant(operation.name),
        values: requestValues(operation, now),
        at: number,
        blind: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
        headers: callers,
      }),
    ),
  );

interface Called {
  readonly name: string;
  readonly values: Values;
  readonly at: number;
  readonly blind: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Controls whose random values would only end the run, or take it years ahead or back. */
const apart = new Set(["reset", "setClock", "advanceClock", "addFault", "load", "fork", "undo"]);
const beside: readonly Declaration[] = [
  ...extensionOperations,
  ...controls.filter((each) => !apart.has(methodOf(each))),
];
const callable = new Map(
  [...operations, ...beside].map((operation) => [operation.name, operation as Declaration]),
);

function callAny(desk: InProcess, { name, values, at, blind, headers }: Called): Promise<PlainResponse> {
  const operation = callable.get(name)!;
  return call(desk, operation, blind ? values : referring(desk, operation, values, at), headers);
}

const amounts = fc.integer({ min: 1, max: 9_000_000 }).map((cents) => new Big(cents).div(100).toFixed(2));
const currency = fc.constantFrom("EUR", "GBP", "USD", "JPY", "INR");

/** A quote, and the trade that is booked from it when there is one. */
async function deal(desk: InProcess, terms: Values): Promise<void> {
  const quoted = await call(desk, createQuote, terms);
  if (quoted.status !== 201) return;
  const { quote_id } = JSON.parse(quoted.text) as { quote_id: string };
  await call(desk, operationNamed("trades.book"), { quote_id, reason: "other" });
}

async function drawDown(desk: InProcess, { at, amount }: { at: number; amount: string }): Promise<void> {
  const forwards = [...desk.world.trades.values()].filter(({ type }) => type.endsWith("forward"));
  const parent = inEach(forwards, at);
  if (!parent) return;
  await deal(desk, {
    trade_type: "drawdown",
    operation: "sell",
    parent_trade_id: parent.tradeId,
    buy_currency: parent.buy.currency,
    sell_currency: parent.sell.currency,
    amount,
  });
}

const creditor = {
  creditorAccount: { iban: "FR6400000000000000012345697" },
  creditorName: "Ferme Duval SARL",
};
/** What initiates a payment, by its service. The second of a bulk cannot be paid. */
const paymentOf = {
  payments: (instructedAmount: object) => ({ instructedAmount, ...creditor }),
  "bulk-payments": (instructedAmount: object) => ({
    payments: [
      { instructedAmount, ...creditor },
      { instructedAmount, ...creditor, creditorAccount: { iban: "FR00000" } },
    ],
  }),
  "periodic-payments": (instructedAmount: object) => ({
    instructedAmount,
    ...creditor,
    startDate: "2026-12-01",
    frequency: "Weekly",
  }),
};
type Service = keyof typeof paymentOf;

/** What a person says to what was asked last, when it is asked: yes, no, or nothing yet. */
const sampleResponses = fc.constantFrom("approve" as const, "approve" as const, "refuse" as const, undefined);
type Answered = "approve" | "refuse" | undefined;

function decideLast(desk: InProcess, decision: Answered): void {
  const last = [...desk.world.openBanking.authorisations.keys()].at(-1);
  if (decision !== undefined && last !== undefined)
    control(() => desk.control.decideAuthorisation({ authorisation_id: last, decision }));
}

interface Initiated extends Values {
  readonly at: number;
  readonly service: Service;
  readonly amount: string;
  readonly decision: Answered;
}

/** From an account that there is, in its currency. */
async function initiate(
  desk: InProcess,
  { at, service, amount, decision, ...values }: Initiated,
): Promise<void> {
  const account = inEach([...desk.world.accounts.values()], at)!;
  await call(desk, operationNamed("payments.initiate"), {
    "payment-service": service,
    debtorAccount: referenceTo(account),
    ...paymentOf[service]({ currency: account.currency, amount }),
    ...values,
  });
  decideLast(desk, decision);
}

async function consent(
  desk: InProcess,
  { decision, ...values }: { decision: Answered } & Values,
): Promise<void> {
  await call(desk, operationNamed("consents.create"), values);
  decideLast(desk, decision);
}

/** A call about a payment that there is, and its authorisation. */
function follow(
  desk: InProcess,
  { name, at, kind }: { name: string; at: number; kind: "initiation" | "cancellation" },
) {
  const payment = bankPaymentAt(desk.world, at);
  if (!payment) return;
  const asked = [...desk.world.openBanking.authorisations.values()].filter(
    ({ decision }) => decision === payment[kind],
  );
  return call(desk, operationNamed(name), {
    "payment-service": payment.service,
    "payment-product": payment.product,
    paymentId: payment.paymentId,
    "payment-authorisation": kind === "initiation" ? "authorisations" : "cancellation-authorisations",
    "authorisation-id": inEach(asked, at)?.authorisationId ?? "nothing",
  });
}

const followed = operations.filter(({ path }) => path.includes("{paymentId}")).map(({ name }) => name);
const read = operations.filter(({ name }) => name.startsWith("openBanking.")).map(({ name }) => name);

/** A person opens the page of an authorisation, and responses. */
async function authorise(desk: InProcess, { at, decision }: { at: number; decision: string }): Promise<void> {
  const id = authorisationAt(desk.world, at) ?? "nothing";
  const shown = await desk.ask(`/sca/${id}`);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answered = await desk.ask(`/sca/${id}`, { method: "POST", headers, body: `decision=${decision}` });
  expect([200, 404]).toContain(shown.status);
  expect([200, 303, 400, 404, 409]).toContain(answered.status);
}

/** A call is going to be spoiled, with a status that it documents. */
function spoil(desk: InProcess, { at, which }: { at: number; which: number }): void {
  const operation: Declaration = inEach(operations, at)!;
  const status = inEach(statusesOf(operation), which)!;
  desk.control.addFault({ operation: operation.name, kind: "status", status });
}

/** A control does its work or says why not: it never breaks. */
function control(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    expect([400, 404, 409]).toContain(error.status);
  }
}

export const activities: Readonly<Record<string, Activity<unknown>>> = {
  call: activity(10, calls(operations), callAny),
  "call beside": activity(3, calls(beside), callAny),
  deal: activity(
    3,
    fc.record({
      trade_type: fc.constantFrom("spot", "forward", "window_forward", "ndf"),
      operation: fc.constantFrom("buy", "sell"),
      buy_currency: currency,
      sell_currency: currency,
      amount: amounts,
      value_date: fc.constantFrom("2026-03-20", "2026-04-03", "2026-06-30"),
    }),
    deal,
  ),
  "draw down": activity(1, fc.record({ at: number, amount: amounts }), drawDown),
  initiate: activity(
    2,
    fc.record({
      at: number,
      service: fc.constantFrom(...(Object.keys(paymentOf) as Service[])),
      amount: amounts,
      "payment-product": fc.constantFrom("sepa-credit-transfers", "cross-border-credit-transfers"),
      "TPP-Explicit-Authorisation-Preferred": fc.boolean(),
      "TPP-Rejection-NoFunds-Preferred": fc.boolean(),
      "X-Request-ID": fc.oneof(fc.uuid(), fc.constant("99391c7e-ad88-49ec-a2ad-99ddcb1f7721")),
      decision: sampleResponses,
    }),
    initiate,
  ),
  follow: activity(
    4,
    fc.record({
      name: fc.constantFrom(...followed),
      at: number,
      kind: fc.constantFrom("initiation" as const, "cancellation" as const),
    }),
    follow,
  ),
  consent: activity(
    2,
    fc.record({
      access: fc.constantFrom<object[]>(
        { allPsd2: "allAccounts" },
        { availableAccountsWithBalance: "allAccountsWithOwnerName" },
        { accounts: [], balances: [], transactions: [] },
        { accounts: [] },
      ),
      recurringIndicator: fc.boolean(),
      frequencyPerDay: fc.integer({ min: 1, max: 4 }),
      validUntil: fc.constantFrom("2026-04-30", "9999-12-31"),
      combinedServiceIndicator: fc.constant(false),
      "TPP-Explicit-Authorisation-Preferred": fc.boolean(),
      decision: sampleResponses,
    }),
    consent,
  ),
  "read under a consent": activity(
    4,
    fc.record({
      name: fc.constantFrom(...read),
      at: number,
      bookingStatus: fc.constantFrom("booked", "pending", "both", "information", "all"),
      dateFrom: fc.constant("2026-01-01"),
      withBalance: fc.boolean(),
      "PSU-IP-Address": fc.constantFrom("192.0.2.1", undefined),
    }),
    (desk, { name, at, ...values }) => {
      const references = { "Consent-ID": "nothing", "account-id": "nothing" };
      return call(
        desk,
        callable.get(name)!,
        referring(desk, callable.get(name)!, { ...values, ...references }, at),
      );
    },
  ),
  "follow a consent": activity(
    2,
    fc.record({
      name: fc.constantFrom(
        ...operations.filter(({ path }) => path.includes("{consent-id}")).map(({ name }) => name),
      ),
      at: number,
    }),
    (desk, { name, at }) => {
      const references = { "consent-id": "nothing", "authorisation-id": "nothing" };
      return call(desk, callable.get(name)!, referring(desk, callable.get(name)!, references, at));
    },
  ),
  authorise: activity(
    2,
    fc.record({ at: number, decision: fc.constantFrom("approve", "refuse", "perhaps") }),
    authorise,
  ),
  "pay in": activity(1, fc.record({ currency, amount: amounts, at: number }), (desk, { at, ...paid }) =>
    control(() => desk.control.payIn({ ...paid, reference: tradeAt(desk.world, at)! })),
  ),
  allocate: activity(1, fc.record({ at: number, to: number, amount: amounts }), (desk, { at, to, amount }) =>
    control(() => {
      const trade_id = tradeAt(desk.world, at)!;
      const { beneficiaryId: beneficiary_id } = inEach(desk.world.beneficiaries, to)!;
      desk.control.allocatePayment({ trade_id, beneficiary_id, amount });
    }),
  ),
  "move the market": activity(
    1,
    fc.record({
      symbol: fc.constantFrom("EURUSD", "GBPUSD", "USDJPY", "USDINR"),
      rate: fc.integer({ min: 1, max: 2_000_000 }).map((millionths) => millionths / 1_000_000),
    }),
    (desk, moved) => control(() => desk.control.moveRate(moved)),
  ),
  wait: activity(2, fc.record({ days: fc.integer({ min: 1, max: 30 }) }), (desk, time) =>
    desk.control.advanceClock(time),
  ),
  spoil: activity(1, fc.record({ at: number, which: number }), spoil),
};

/** Something that is done: the name of an activity, and its values. */
export const step = fc.oneof(
  ...Object.entries(activities).map(([name, { weight, values }]) => ({
    weight,
    arbitrary: values.map((given) => [name, given] as const),
  })),
);

/** A world in which there is something to follow and to read. */
export async function begin(desk: InProcess): Promise<void> {
  desk.control.reset();
  const product = { "payment-product": "sepa-credit-transfers" };
  await initiate(desk, { at: 0, service: "payments", amount: "12.50", decision: "approve", ...product });
  await initiate(desk, { at: 0, service: "bulk-payments", amount: "7.00", decision: undefined, ...product });
  await consent(desk, {
    access: { allPsd2: "allAccounts" },
    recurringIndicator: true,
    frequencyPerDay: 4,
    validUntil: "2026-04-30",
    combinedServiceIndicator: false,
    decision: "approve",
  });
}
