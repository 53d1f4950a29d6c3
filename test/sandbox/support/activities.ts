/** Random activities of clients, people, the bank and time, with mostly valid values. */
import * as fc from "fast-check";
import { type Declaration, fieldsOf, operations, type Values } from "@fxdesk/toolkit/operations";
import { controls, demo, HttpError } from "@fxdesk/sandbox";
import { Big } from "big.js";
import { toAccountReference } from "../../../sandbox/src/world/model/account";
import { createQuote, extensionOperations } from "../../../sandbox/src/extensions/extension-operations";
import { methodOf } from "../../../sandbox/src/control/control-plane";
import { routeOf } from "../../../sandbox/src/server/routes";
import { balanceAccount } from "../../../sandbox/src/world/ledger/ledger";
import type { World } from "../../../sandbox/src/world/model/world";
import { requestValues } from "../../support/arbitrary";
import { assertConforms, statusesOf } from "../../support/conformance";
import { operationNamed } from "../../support/operations";
import { fingerprint, fingerprintBefore } from "./fingerprint";
import { callOperation, type PlainResponse, toRequest } from "./http";
import type { InProcessSandbox } from "./in-process";

/** Start time of the sequences. */
export const now = new Date("2026-03-16T09:00:00Z");

/** Activity with its relative frequency, values and action. */
interface Activity<V> {
  readonly weight: number;
  readonly values: fc.Arbitrary<V>;
  readonly act: (sandbox: InProcessSandbox, values: V) => unknown;
}

const activity = <V>(
  weight: number,
  values: fc.Arbitrary<V>,
  act: (sandbox: InProcessSandbox, values: V) => unknown,
) => ({ weight, values, act }) as Activity<unknown>;

const pickFrom = <T>(items: readonly T[], at: number): T | undefined => items[at % items.length];
const number = fc.nat(1_000);

/** Existing IDs by the name of the field that refers to them. */
const existingReferences: Readonly<Record<string, (world: World, at: number) => unknown>> = {
  account_id: accountAt,
  "account-id": accountAt,
  account_details_id: ({ accountDetails }, at) => pickFrom([...accountDetails.keys()], at),
  statement_id: ({ statements }, at) => pickFrom([...statements.keys()], at),
  transaction_id: (world, at) => pickFrom(linesOf(world, at), at)?.lineId,
  entryReferenceFrom: (world, at) => pickFrom(linesOf(world, at), at)?.lineId.replaceAll("-", ""),
  trade_id: tradeAt,
  parent_trade_id: tradeAt,
  quote_id: ({ quotes }, at) => pickFrom([...quotes.keys()], at),
  paymentId: (world, at) => bankPaymentAt(world, at)?.paymentId,
  "payment-service": (world, at) => bankPaymentAt(world, at)?.service,
  "payment-product": (world, at) => bankPaymentAt(world, at)?.product,
  "consent-id": consentAt,
  "Consent-ID": consentAt,
  "authorisation-id": authorisationAt,
  authorisation_id: authorisationAt,
  payment_id: ({ trades }, at) =>
    pickFrom(
      [...trades.values()].flatMap(({ payments }) => payments),
      at,
    )?.paymentId,
  document_id: tradeAt,
  beneficiary_id: ({ beneficiaries }, at) => pickFrom(beneficiaries, at)?.beneficiaryId,
  mail: ({ outbox }, at) => (outbox.mails.length > 0 ? (at % outbox.mails.length) + 1 : undefined),
  file_name: ({ outbox }, at) => pickFrom(pickFrom(outbox.mails, at)?.attachments ?? [], at)?.fileName,
  contact_id: ({ contacts }, at) => pickFrom([...contacts.keys()], at),
  debtorAccount: ({ accounts }, at) => toAccountReference(pickFrom([...accounts.values()], at)!),
  operation: (_world, at) => pickFrom(operations, at)!.name,
  client_id: () => demo.clientId,
};

function accountAt({ accounts }: World, at: number) {
  return pickFrom([...accounts.keys()], at);
}
function linesOf({ accounts, ledger }: World, at: number) {
  return ledger.lines(balanceAccount(pickFrom([...accounts.values()], at)!, "InterimAvailable")).slice();
}
function tradeAt({ trades }: World, at: number) {
  return pickFrom([...trades.keys()], at);
}
function bankPaymentAt({ openBanking }: World, at: number) {
  return pickFrom([...openBanking.payments.values()], at);
}
function consentAt({ openBanking }: World, at: number) {
  return pickFrom([...openBanking.consents.keys()], at);
}
function authorisationAt({ openBanking }: World, at: number) {
  return pickFrom([...openBanking.authorisations.keys()], at);
}

/** Replaces references by existing IDs, if there are any. Omitted fields stay omitted. */
function withExistingReferences(
  sandbox: InProcessSandbox,
  operation: Declaration,
  values: Values,
  at: number,
): Values {
  const fields = fieldsOf(operation).filter(
    ({ name, options }) => name in values && !options?.includes("status"),
  );
  const references = fields.map(({ name }) => [name, existingReferences[name]?.(sandbox.world, at)] as const);
  return { ...values, ...Object.fromEntries(references.filter(([, value]) => value !== undefined)) };
}

/** True if a fault is pending for the operation, so that any documented response is possible. */
function hasPendingFault(sandbox: InProcessSandbox, operation: Declaration, values: Values): boolean {
  const pendingFaults = sandbox.control.listFaults();
  if (pendingFaults.length === 0) return false;
  const { method, path } = toRequest(operation, values);
  return pendingFaults
    .map((fault) => operationNamed(fault.operation))
    .some((spoilt) => spoilt.method === method && routeOf(spoilt).pattern.test(path.split("?")[0]!));
}

/** Calls an operation. Asserts a documented response, no server error, and no change after a refusal. */
export async function call(
  sandbox: InProcessSandbox,
  operation: Declaration,
  values: Values,
  headers?: Readonly<Record<string, string>>,
): Promise<PlainResponse> {
  const { world } = sandbox;
  const before = fingerprintBefore(world);
  const spoiled = hasPendingFault(sandbox, operation, values);
  const response = await callOperation(sandbox.ask, operation, values, headers);
  assertConforms(operation, response);
  if (response.status >= 500 && !spoiled)
    throw new Error(`${operation.name} failed with ${response.status}. ${response.text}`);
  if (response.status >= 400 && fingerprint(world) !== before)
    throw new Error(`${operation.name} answered ${response.status}, and changed something. ${response.text}`);
  return response;
}

/** Credentials: mostly the demo company, sometimes with a contact, sometimes unauthorised. */
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

/** Call of a named operation with valid values that refer to existing or unknown IDs. */
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

interface OperationCall {
  readonly name: string;
  readonly values: Values;
  readonly at: number;
  readonly blind: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Controls excluded because random values would end the run or move the clock by years. */
const excludedControls = new Set(["reset", "setClock", "advanceClock", "addFault", "load", "fork", "undo"]);
const extraOperations: readonly Declaration[] = [
  ...extensionOperations,
  ...controls.filter((each) => !excludedControls.has(methodOf(each))),
];
const callable = new Map(
  [...operations, ...extraOperations].map((operation) => [operation.name, operation as Declaration]),
);

function callRandom(
  sandbox: InProcessSandbox,
  { name, values, at, blind, headers }: OperationCall,
): Promise<PlainResponse> {
  const operation = callable.get(name)!;
  return call(
    sandbox,
    operation,
    blind ? values : withExistingReferences(sandbox, operation, values, at),
    headers,
  );
}

const amounts = fc.integer({ min: 1, max: 9_000_000 }).map((cents) => new Big(cents).div(100).toFixed(2));
const currency = fc.constantFrom("EUR", "GBP", "USD", "JPY", "INR");

/** Creates a quote and books it if possible. */
async function bookQuote(sandbox: InProcessSandbox, terms: Values): Promise<void> {
  const quoted = await call(sandbox, createQuote, terms);
  if (quoted.status !== 201) return;
  const { quote_id } = JSON.parse(quoted.text) as { quote_id: string };
  await call(sandbox, operationNamed("trades.book"), { quote_id, reason: "other" });
}

async function drawDown(
  sandbox: InProcessSandbox,
  { at, amount }: { at: number; amount: string },
): Promise<void> {
  const forwards = [...sandbox.world.trades.values()].filter(({ type }) => type.endsWith("forward"));
  const parent = pickFrom(forwards, at);
  if (!parent) return;
  await bookQuote(sandbox, {
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
/** Initiation values by payment service. The second transfer of a bulk cannot be paid. */
const paymentBodies = {
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
type Service = keyof typeof paymentBodies;

/** Decision on the latest pending authorisation: approve, refuse or none. */
const decisions = fc.constantFrom("approve" as const, "approve" as const, "refuse" as const, undefined);
type PersonDecision = "approve" | "refuse" | undefined;

function decideLast(sandbox: InProcessSandbox, decision: PersonDecision): void {
  const last = [...sandbox.world.openBanking.authorisations.keys()].at(-1);
  if (decision !== undefined && last !== undefined)
    control(() => sandbox.control.decideAuthorisation({ authorisation_id: last, decision }));
}

interface Initiated extends Values {
  readonly at: number;
  readonly service: Service;
  readonly amount: string;
  readonly decision: PersonDecision;
}

/** Payment from an existing account in its currency. */
async function initiate(
  sandbox: InProcessSandbox,
  { at, service, amount, decision, ...values }: Initiated,
): Promise<void> {
  const account = pickFrom([...sandbox.world.accounts.values()], at)!;
  await call(sandbox, operationNamed("payments.initiate"), {
    "payment-service": service,
    debtorAccount: toAccountReference(account),
    ...paymentBodies[service]({ currency: account.currency, amount }),
    ...values,
  });
  decideLast(sandbox, decision);
}

async function consent(
  sandbox: InProcessSandbox,
  { decision, ...values }: { decision: PersonDecision } & Values,
): Promise<void> {
  await call(sandbox, operationNamed("consents.create"), values);
  decideLast(sandbox, decision);
}

/** Call about an existing payment and its authorisation. */
function follow(
  sandbox: InProcessSandbox,
  { name, at, kind }: { name: string; at: number; kind: "initiation" | "cancellation" },
) {
  const payment = bankPaymentAt(sandbox.world, at);
  if (!payment) return;
  const authorisations = [...sandbox.world.openBanking.authorisations.values()].filter(
    ({ decision }) => decision === payment[kind],
  );
  return call(sandbox, operationNamed(name), {
    "payment-service": payment.service,
    "payment-product": payment.product,
    paymentId: payment.paymentId,
    "payment-authorisation": kind === "initiation" ? "authorisations" : "cancellation-authorisations",
    "authorisation-id": pickFrom(authorisations, at)?.authorisationId ?? "nothing",
  });
}

const paymentOperations = operations
  .filter(({ path }) => path.includes("{paymentId}"))
  .map(({ name }) => name);
/** Opens an authorisation page and submits a decision. */
async function authorise(
  sandbox: InProcessSandbox,
  { at, decision }: { at: number; decision: string },
): Promise<void> {
  const id = authorisationAt(sandbox.world, at) ?? "nothing";
  const shown = await sandbox.ask(`/sca/${id}`);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const decided = await sandbox.ask(`/sca/${id}`, { method: "POST", headers, body: `decision=${decision}` });
  expect([200, 404]).toContain(shown.status);
  expect([200, 303, 400, 404, 409]).toContain(decided.status);
}

/** Adds a fault with a documented status. */
function addRandomFault(sandbox: InProcessSandbox, { at, which }: { at: number; which: number }): void {
  const operation: Declaration = pickFrom(operations, at)!;
  const status = pickFrom(statusesOf(operation), which)!;
  sandbox.control.addFault({ operation: operation.name, kind: "status", status });
}

/** Runs a control. It must succeed or be refused, never crash. */
function control(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    expect([400, 404, 409]).toContain(error.status);
  }
}

export const activities: Readonly<Record<string, Activity<unknown>>> = {
  call: activity(16, calls(operations), callRandom),
  "call beside": activity(3, calls(extraOperations), callRandom),
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
    bookQuote,
  ),
  "draw down": activity(1, fc.record({ at: number, amount: amounts }), drawDown),
  initiate: activity(
    2,
    fc.record({
      at: number,
      service: fc.constantFrom(...(Object.keys(paymentBodies) as Service[])),
      amount: amounts,
      "payment-product": fc.constantFrom("sepa-credit-transfers", "cross-border-credit-transfers"),
      "TPP-Explicit-Authorisation-Preferred": fc.boolean(),
      "TPP-Rejection-NoFunds-Preferred": fc.boolean(),
      "X-Request-ID": fc.oneof(fc.uuid(), fc.constant("99391c7e-ad88-49ec-a2ad-99ddcb1f7721")),
      decision: decisions,
    }),
    initiate,
  ),
  follow: activity(
    4,
    fc.record({
      name: fc.constantFrom(...paymentOperations),
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
      decision: decisions,
    }),
    consent,
  ),
  authorise: activity(
    2,
    fc.record({ at: number, decision: fc.constantFrom("approve", "refuse", "perhaps") }),
    authorise,
  ),
  "pay in": activity(1, fc.record({ currency, amount: amounts, at: number }), (sandbox, { at, ...paid }) =>
    control(() => sandbox.control.payIn({ ...paid, reference: tradeAt(sandbox.world, at)! })),
  ),
  allocate: activity(
    1,
    fc.record({ at: number, to: number, amount: amounts }),
    (sandbox, { at, to, amount }) =>
      control(() => {
        const trade_id = tradeAt(sandbox.world, at)!;
        const { beneficiaryId: beneficiary_id } = pickFrom(sandbox.world.beneficiaries, to)!;
        sandbox.control.allocatePayment({ trade_id, beneficiary_id, amount });
      }),
  ),
  "move the market": activity(
    1,
    fc.record({
      symbol: fc.constantFrom("EURUSD", "GBPUSD", "USDJPY", "USDINR"),
      rate: fc.integer({ min: 1, max: 2_000_000 }).map((millionths) => millionths / 1_000_000),
    }),
    (sandbox, moved) => control(() => sandbox.control.moveRate(moved)),
  ),
  wait: activity(2, fc.record({ days: fc.integer({ min: 1, max: 30 }) }), (sandbox, time) =>
    sandbox.control.advanceClock(time),
  ),
  spoil: activity(1, fc.record({ at: number, which: number }), addRandomFault),
};

/** Step: the name of an activity and its values. */
export const step = fc.oneof(
  ...Object.entries(activities).map(([name, { weight, values }]) => ({
    weight,
    arbitrary: values.map((given) => [name, given] as const),
  })),
);

/** World with trades, payments and statements to act on. */
export async function seedActivities(sandbox: InProcessSandbox): Promise<void> {
  sandbox.control.reset();
  const product = { "payment-product": "sepa-credit-transfers" };
  await initiate(sandbox, { at: 0, service: "payments", amount: "12.50", decision: "approve", ...product });
  await initiate(sandbox, {
    at: 0,
    service: "bulk-payments",
    amount: "7.00",
    decision: undefined,
    ...product,
  });
  await consent(sandbox, {
    access: { allPsd2: "allAccounts" },
    recurringIndicator: true,
    frequencyPerDay: 4,
    validUntil: "2026-04-30",
    combinedServiceIndicator: false,
    decision: "approve",
  });
}
