/** Seeded calls with the response that a server plans for each. All values follow from the number of the call. */
import { createHash } from "node:crypto";
import type { Values } from "@fxdesk/toolkit/operations";
import { type SeededRandom, seededRandom } from "../chaos/seeded-random";
import { operationNamed } from "./operations";
import { type PlannedResponse, provingBody, statuses, unexpectedBodies } from "./witness-server";

export interface SeededCall {
  readonly operation: string;
  readonly input: Values;
  /** X-Request-ID or X-Contact-ID, by which the server recognises the call. */
  readonly id: string;
  readonly fate: PlannedResponse;
}

const oneOf = <T>(chance: SeededRandom, values: readonly T[]): T =>
  values[chance.integer(0, values.length - 1)]!;
const isWithin = (chance: SeededRandom, percent: number): boolean => chance.next() * 100 < percent;

const account = "11111111-2222-3333-4444-555555555555";
const sepa = { "payment-product": "sepa-credit-transfers" };
const single = { "payment-service": "payments", ...sepa };
const debtorAccount = { iban: "DE52000000000012345678" };

/** A valid input; `unique` makes its terms differ from those of other calls. */
const inputs: Readonly<Record<string, (unique: string, chance: SeededRandom) => Values>> = {
  "trades.book": (unique, chance) => ({
    quote_id: `q-${unique}`,
    reason: oneOf(chance, ["other", "payment_for_goods"]),
    ...(isWithin(chance, 80) && { reference: `INV-${unique}` }),
  }),
  "payments.initiate": (unique, chance) => ({
    ...single,
    debtorAccount,
    instructedAmount: { currency: "EUR", amount: `${chance.integer(0, 299)}.${10 + chance.integer(0, 89)}` },
    creditorAccount: { iban: "NL13TEST0123456789" },
    creditorName: oneOf(chance, ["Example Supplies", "Ünïted Wörks"]),
    endToEndIdentification: unique,
  }),
  "payments.initiateBulk": (unique, chance) => ({
    ...sepa,
    debtorAccount,
    payments: ["1", "2"].map((item) => ({
      instructedAmount: { currency: "EUR", amount: `${20 + chance.integer(0, 99)}.50` },
      creditorAccount: { iban: "NL13TEST0123456789" },
      creditorName: "Example Supplies",
      endToEndIdentification: `${unique}-${item}`,
    })),
  }),
  "payments.cancel": (unique) => ({ ...single, paymentId: `p-${unique}` }),
  "payments.startAuthorisation": (unique) => ({
    ...single,
    paymentId: `p-${unique}`,
    "payment-authorisation": "authorisations",
  }),
  "approvalsWorkflow.updateSettings": (_, chance) => ({
    enabled: isWithin(chance, 50),
    dual_admin: isWithin(chance, 50),
  }),
  "accountDetails.updateAlias": (unique) => ({ account_details_id: "d-1", alias: `Alias ${unique}` }),
  "consents.create": () => ({
    "TPP-Redirect-URI": "https://app.example/done",
    access: { accounts: [], balances: [], transactions: [] },
    recurringIndicator: false,
    validUntil: "9999-12-31",
    frequencyPerDay: 1,
    combinedServiceIndicator: false,
  }),
  "statements.createFile": () => ({ account_id: account, from_value_datetime: "2026-01-01T00:00" }),
  "statements.getFile": () => ({ account_id: account, statement_id: account }),
  "trades.list": (_, chance) => ({ trade_type: [oneOf(chance, ["spot", "forward"])] }),
  "accounts.get": () => ({ account_id: account }),
};

const operationWeights = {
  "trades.book": 12,
  "payments.initiate": 12,
  "payments.initiateBulk": 4,
  "payments.cancel": 4,
  "payments.startAuthorisation": 3,
  "approvalsWorkflow.updateSettings": 3,
  "accountDetails.updateAlias": 3,
  "consents.create": 2,
  "statements.createFile": 1,
  "statements.getFile": 1,
  "trades.list": 1,
  "accounts.get": 2,
} as const;

function fateOf(name: string, id: string, chance: SeededRandom): PlannedResponse {
  const successes = Object.keys(operationNamed(name).responses).map(Number);
  const good = provingBody(operationNamed(name), `x-${id.slice(0, 8)}`);
  const as = oneOf(chance, ["length", "chunked", "close", "gzip"] as const);
  const body = oneOf(chance, [good, good, good, ...unexpectedBodies]);
  switch (chance.pick({ success: 40, odd: 10, status: 25, cut: 6, broken: 14, slow: 1 })) {
    case "success":
      return { kind: "respond", status: oneOf(chance, successes), body: good, as };
    case "odd":
      return { kind: "respond", status: oneOf(chance, successes), body, as };
    case "status":
      return { kind: "respond", status: oneOf(chance, statuses), body, as };
    case "cut":
      return {
        kind: "cut",
        status: oneOf(chance, successes),
        body,
        as: oneOf(chance, ["length", "chunked"]),
      };
    case "broken":
      return { kind: oneOf(chance, ["reset", "close", "garbage", "half-head"]) };
    case "slow":
      return { kind: oneOf(chance, ["silence", "drip"]) };
  }
}

const uuidOf = (text: string): string =>
  createHash("sha256")
    .update(text)
    .digest("hex")
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");

export function seededCall(number: number): SeededCall {
  const chance = seededRandom(number);
  const operation = chance.pick(operationWeights);
  const id = uuidOf(`call ${number}`);
  return {
    operation,
    input: inputs[operation]!(String(number), chance),
    id,
    fate: fateOf(operation, id, chance),
  };
}
