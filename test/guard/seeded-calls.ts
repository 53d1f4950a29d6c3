/**
 * Seeded calls for the recordings. They come in stories: a few calls of one client, one after the other, some of which
 * repeat an earlier key. All values follow from the number of the story, so that a prefix of the calls stays the same.
 */
import { createHash } from "node:crypto";
import type { Values } from "@fxdesk/toolkit/operations";
import { type PlannedResponse, provingBody, statuses, unexpectedBodies } from "../support/witness-server";
import { operationNamed, type RecordedCall } from "./outcomes";

export const callsPerStory = 5;

export interface SeededCall extends RecordedCall {
  readonly number: number;
  readonly fate: PlannedResponse;
  /** Description of the call for the recording. */
  readonly label: string;
}

export interface Story {
  readonly number: number;
  readonly id: string;
  readonly clientId: string;
  readonly policy: "none" | "all money" | "above 100";
  readonly token: "fixed" | "throws";
  /** Content of the list of trades when the client looks for a lost booking. */
  readonly listing: "found" | "several" | "none" | "denied";
  readonly calls: readonly SeededCall[];
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export const uuid = (text: string): string =>
  digest(text)
    .toString("hex")
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");

/** Random choices that stay the same in every version of every library. */
class Chance {
  #state: number;

  constructor(seed: string) {
    this.#state = digest(seed).readUInt32LE();
  }

  /** mulberry32: a number from 0 to 1. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  percent(share: number): boolean {
    return this.#next() * 100 < share;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries<number>(weights);
    let left = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    return entries.find(([, weight]) => (left -= weight) < 0)![0] as T;
  }
}

const account = "11111111-2222-3333-4444-555555555555";
const sepa = { "payment-product": "sepa-credit-transfers" };
const single = { "payment-service": "payments", ...sepa };
const debtorAccount = { iban: "DE52000000000012345678" };

/** A valid input; `unique` makes its terms differ from those of other calls. */
const inputs: Readonly<Record<string, (unique: string, chance: Chance) => Values>> = {
  "trades.book": (unique, chance) => ({
    quote_id: `q-${unique}`,
    reason: chance.of(["other", "payment_for_goods"]),
    ...(chance.percent(80) && { reference: `INV-${unique}` }),
  }),
  "payments.initiate": (unique, chance) => ({
    ...single,
    debtorAccount,
    instructedAmount: { currency: "EUR", amount: `${chance.below(300)}.${10 + chance.below(90)}` },
    creditorAccount: { iban: "NL13TEST0123456789" },
    creditorName: chance.of(["Example Supplies", "Ünïted Wörks"]),
    endToEndIdentification: unique,
  }),
  "payments.initiateBulk": (unique, chance) => ({
    ...sepa,
    debtorAccount,
    payments: ["1", "2"].map((item) => ({
      instructedAmount: { currency: "EUR", amount: `${20 + chance.below(100)}.50` },
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
    enabled: chance.percent(50),
    dual_admin: chance.percent(50),
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
  "trades.list": (_, chance) => ({ trade_type: [chance.of(["spot", "forward"])] }),
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

function fateOf(name: string, id: string, chance: Chance): PlannedResponse {
  const successes = Object.keys(operationNamed(name).responses).map(Number);
  const good = provingBody(operationNamed(name), `x-${id.slice(0, 8)}`);
  const as = chance.of(["length", "chunked", "close", "gzip"] as const);
  const body = chance.of([good, good, good, ...unexpectedBodies]);
  switch (chance.weighted({ success: 40, odd: 10, status: 25, cut: 6, broken: 14, slow: 1 })) {
    case "success":
      return { kind: "respond", status: chance.of(successes), body: good, as };
    case "odd":
      return { kind: "respond", status: chance.of(successes), body, as };
    case "status":
      return { kind: "respond", status: chance.of(statuses), body, as };
    case "cut":
      return { kind: "cut", status: chance.of(successes), body, as: chance.of(["length", "chunked"]) };
    case "broken":
      return { kind: chance.of(["reset", "close", "garbage", "half-head"]) };
    case "slow":
      return { kind: chance.of(["silence", "drip"]) };
  }
}

const textOfFate = (fate: PlannedResponse): string =>
  "status" in fate ? `${fate.kind} ${fate.status} ${fate.as} ${fate.body.slice(0, 12)}` : fate.kind;

/** Makes an input invalid: no operation has such a field. */
const invalid = { unheard_of: "1" };

export function storyOf(number: number): Story {
  const chance = new Chance(`story ${number}`);
  const calls: SeededCall[] = [];
  for (let index = 0; index < callsPerStory; index += 1) {
    const callNumber = number * callsPerStory + index;
    const id = uuid(`call ${callNumber}`);
    const earlier = chance.percent(40) ? chance.of(calls) : undefined;
    const operation = earlier?.operation ?? chance.weighted(operationWeights);
    const isOther = earlier !== undefined && chance.percent(25);
    const isInvalid = chance.percent(2);
    const fresh = inputs[operation]!(`${callNumber}`, chance);
    const quote = earlier && "quote_id" in fresh ? { quote_id: earlier.input.quote_id } : {};
    const input = earlier && !isOther ? earlier.input : { ...fresh, ...quote };
    const key = earlier ? earlier.key : chance.percent(75) ? `key-${callNumber}` : undefined;
    const fate = fateOf(operation, id, chance);
    // Whether the journal still takes an aborted money call before its client closes is a matter of timing.
    const isAborted = chance.percent(10) && operationNamed(operation).effect !== "money";
    const needsRelease = chance.percent(2);
    const marks = [
      earlier && `${isOther ? "other terms under" : "same as"} ${earlier.number}`,
      key === undefined && "no key",
      isInvalid && "invalid",
      isAborted && "aborted",
      needsRelease && "release needed",
      textOfFate(fate),
    ];
    calls.push({
      number: callNumber,
      operation,
      input: isInvalid ? { ...input, ...invalid } : input,
      key,
      id,
      fate,
      // Long enough for every other call on a busy machine.
      timeoutMs: fate.kind === "silence" || fate.kind === "drip" ? 2_500 : 60_000,
      isAborted,
      needsRelease,
      label: marks.filter(Boolean).join(", "),
    });
  }
  return {
    number,
    id: uuid(`story ${number}`),
    clientId: `c-${number}`,
    policy: chance.weighted({ none: 88, "all money": 6, "above 100": 6 }),
    token: chance.weighted({ fixed: 96, throws: 4 }),
    listing: chance.weighted({ found: 45, several: 20, denied: 30, none: 5 }),
    calls,
  };
}
