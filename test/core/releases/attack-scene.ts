/**
 * A scene for attacks: requests of every kind that wait, are released or were sent. Afterwards, the records of the sandbox
 * show what was sent, and each caller's outcome is compared with them.
 */
import { Big } from "big.js";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Snapshot, takeSnapshot } from "./attack-rows";
import type { StoreSettings } from "../../../core/store/settings";
import type { SeededRandom } from "../../chaos/seeded-random";
import { pain001 } from "../../sandbox/open-banking/documents";
import { closeLater } from "../../support/resources";
import { makeQuote, sampleInput, sandboxClient } from "../../support/samples";
import {
  createReleaseFixture,
  type ReleaseFixture,
  people,
  type PolicyInput,
  sampleOrder,
} from "./release-fixture";

const [threshold, perTrade, perDay] = [1_000, 10_000, 15_000];

const policyFor = (address: string): PolicyInput => ({
  people: [...people],
  deputies: { anna: ["carl"] },
  rules: [
    { effects: ["money"], above: String(threshold), from: ["anna", "bert"] },
    { operations: ["trades.order"], above: "5000", yes: 2, from: ["anna", "bert"] },
    { operations: ["accountDetails.updateAlias"], from: ["anna"] },
  ],
  amounts: { currency: "EUR", rates: { USD: "0.9" } },
  limits: { perTrade: String(perTrade), perDay: String(perDay) },
  services: { bank: [address] },
  quoteEverySeconds: 0.05,
});

/** What a caller was told. */
export interface Heard {
  readonly outcome: "succeeded" | "not-sent" | "rejected" | "unknown";
  readonly identity?: string | undefined;
  readonly release?: string | undefined;
  readonly message?: string;
}

export type Kind = "payment" | "bulk" | "order" | "booking" | "change";
const kinds: readonly Kind[] = ["payment", "bulk", "order", "booking", "change"];
export const moneyKinds: readonly Kind[] = ["payment", "bulk", "order"];

/** A request under one key, which may be sent at most once, and only after its release if it needs one. */
export interface Intent {
  readonly kind: Kind;
  /** Unique, and part of what is sent. */
  readonly reference: string;
  readonly amount: string;
  /** Makes the call, or repeats it. */
  call(client: FxdeskClient): Promise<Heard>;
  release?: string;
  /** True once the people whom the policy names have released it. */
  isReleased: boolean;
}

/** A request that the sandbox carried out. */
interface Sent {
  readonly text: string;
  readonly identity: string | undefined;
}

const moneyPaths = /^\/(trades|v1\/(bulk-)?payments\/[^/?]+|account-details\/[^/?]+)(\?|$)/;

/** Reads a response to a call or its error. */
async function hear(call: Promise<unknown>): Promise<Heard> {
  try {
    const result = (await call) as Record<string, string | undefined>;
    const { state, release, trade_id, paymentId } = result;
    if (release === undefined) return { outcome: "succeeded", identity: trade_id ?? paymentId };
    return { outcome: state === "booked" ? "succeeded" : "unknown", release, identity: trade_id };
  } catch (error) {
    const { outcome, message, release } = error as {
      outcome?: Heard["outcome"];
      message: string;
      release?: string;
    };
    if (outcome === undefined) throw error;
    return { outcome, message, release };
  }
}

/** Errors of a store that cannot show whether a call was sent say so. */
const warnsOfEarlierCall = ({ message = "" }: Heard) =>
  /may have been (sent|booked)|may not know calls/.test(message);

export class AttackScene {
  readonly intents: Intent[] = [];
  readonly problems: string[] = [];
  readonly #sent = new Map<number, Sent>();
  #quotes = new Map<string, string>();

  private constructor(
    readonly place: ReleaseFixture,
    readonly policy: PolicyInput,
    readonly chance: SeededRandom,
    private readonly reader: FxdeskClient,
    private readonly payment: Readonly<Record<string, unknown>>,
    private readonly alias: Readonly<Record<string, unknown>>,
  ) {}

  static async create(store: StoreSettings, chance: SeededRandom): Promise<AttackScene> {
    const place = await createReleaseFixture({ store });
    const policy = policyFor(place.sandbox.baseUrl);
    await place.setPolicy(policy);
    const reader = closeLater(sandboxClient(place.sandbox));
    const [payment, alias] = [
      await sampleInput("payments.initiate", reader),
      await sampleInput("accountDetails.updateAlias", reader),
    ];
    return new AttackScene(place, policy, chance, reader, payment, alias);
  }

  pickOne<T>(choices: readonly T[]): T {
    return choices[this.chance.integer(0, choices.length - 1)]!;
  }

  /** A client with the people file, which carries out released requests; or one that only requests. */
  client(role: "sender" | "requester", more: object = {}): FxdeskClient {
    return this.place.client({
      timeoutMs: 2_000,
      queueTimeoutMs: 2_000,
      ...(role === "requester" && { people: "/nowhere/people.json" }),
      ...more,
    });
  }

  /** Adds a request without making it. */
  add(kind: Kind, amount: string): Intent {
    const reference = `S-${this.intents.length + 1}-X`;
    const options = { key: `key-${reference}` };
    const { payment, alias } = this;
    const debtor = (payment as { debtorAccount: { iban: string } }).debtorAccount.iban;
    const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
    const order = sampleOrder({ reference, amount });
    const calls: Readonly<Record<Kind, (client: FxdeskClient) => Promise<unknown>>> = {
      payment: (client) =>
        client.payments.initiate(
          {
            ...payment,
            endToEndIdentification: reference,
            instructedAmount: { currency: "EUR", amount },
          } as never,
          options,
        ),
      bulk: (client) =>
        client.payments.initiateBulk(
          {
            "payment-product": "pain.001-sepa-credit-transfers",
            "TPP-Redirect-URI": "https://app.example/done",
            pain001: pain001({ debtor, day, sum: amount, transfers: [{ amount, reference }] }),
          } as never,
          options,
        ),
      order: (client) => client.orders.order(order, options),
      booking: async (client) => {
        const quote_id = this.#quotes.get(reference) ?? (await makeQuote(client, { amount: Number(amount) }));
        this.#quotes.set(reference, quote_id);
        return client.trades.book({ quote_id, reason: "other", reference }, options);
      },
      change: (client) => client.accountDetails.updateAlias({ ...alias, alias: reference } as never, options),
    };
    const intent: Intent = {
      kind,
      reference,
      amount,
      isReleased: false,
      call: (client) => hear(calls[kind](client)),
    };
    this.intents.push(intent);
    return intent;
  }

  /** Makes a call and compares what is heard with the records. */
  async hear(intent: Intent, client: FxdeskClient): Promise<Heard> {
    const before = this.recordsOf(intent);
    const heard = await intent.call(client);
    intent.release ??= heard.release!;
    const { reference } = intent;
    if (heard.outcome === "not-sent" && before.length > 0 && !warnsOfEarlierCall(heard))
      this.problems.push(`${reference} was sent, but a caller heard: ${heard.message}`);
    if (heard.outcome === "succeeded") {
      const identities = this.recordsOf(intent).map(({ identity }) => identity);
      if (!identities.includes(heard.identity))
        this.problems.push(
          `a caller heard that ${reference} succeeded as ${heard.identity}, sent: ${identities.join()}`,
        );
    }
    return heard;
  }

  /** Records the decisions that the policy requires. */
  async release(intent: Intent): Promise<void> {
    const isSmall = intent.kind !== "change" && Number(intent.amount) <= threshold;
    if (intent.release === undefined || isSmall) return;
    const isLarge = intent.kind === "order" && Number(intent.amount) > 5_000;
    const first = intent.kind === "change" ? "anna" : this.pickOne(["anna", "bert"]);
    const deciders = isLarge ? ["anna", "bert"] : [first];
    for (const person of deciders) await this.place.decide(intent.release, person);
    intent.isReleased = true;
  }

  /** Runs an executor once over all due releases. */
  async execute(): Promise<void> {
    const executor = this.client("sender");
    // Closing waits for the releases that it has taken.
    await executor.orders.start().catch(() => undefined);
    await executor.close();
  }

  /** Makes requests that wait, are released or were sent. Returns an earlier state of the store. */
  async prepare(): Promise<Snapshot> {
    const requester = this.client("requester");
    const wait = async (target: string): Promise<Intent> => {
      const kind = this.pickOne(kinds);
      const amounts = target === "sent" ? [700, 1_500, 4_000] : [1_500, 2_500, 6_500, 9_000, 12_000];
      const intent = this.add(kind, String(this.pickOne(amounts)));
      // Only the client that received a quote knows its amount.
      await this.hear(intent, kind === "booking" && target === "sent" ? sender : requester);
      return intent;
    };
    const sender = this.client("sender");
    const targets = ["waiting", "released", "sent", "sent", this.pickOne(["waiting", "released", "sent"])];
    const isEarliest = this.chance.next() < 0.5;
    const sent: Intent[] = [];
    for (const target of targets.filter((each) => each === "sent")) sent.push(await wait(target));
    const first = isEarliest ? await takeSnapshot(this.place.store) : undefined;
    for (const intent of sent) await this.release(intent);
    const second = first ?? (await takeSnapshot(this.place.store));
    await sender.orders.start();
    for (const intent of sent) await this.hear(intent, sender);
    await sender.close();
    for (const target of targets.filter((each) => each !== "sent")) {
      const intent = await wait(target);
      if (target === "released") await this.release(intent);
    }
    return second;
  }

  /** Lets everything be sent that can be: executors run, and callers repeat every request. */
  async settle(): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      const client = this.client("sender");
      await client.orders.start().catch(() => undefined);
      for (const intent of this.intents) await this.hear(intent, client);
      await client.close();
    }
    await this.judge();
  }

  /** Reads the new records of the sandbox. */
  collect(): void {
    const { requests, control } = this.place.sandbox;
    for (const { number, method, url, status } of requests) {
      if (this.#sent.has(number) || method === "GET" || status >= 300 || !moneyPaths.test(url)) continue;
      const { request, response } = control.getExchange({ number });
      const { trade_id, paymentId } = JSON.parse(response.body || "{}") as Record<string, string | undefined>;
      this.#sent.set(number, { text: request.body, identity: trade_id ?? paymentId });
    }
  }

  private recordsOf({ reference }: Intent): Sent[] {
    this.collect();
    return [...this.#sent.values()].filter(({ text }) => text.includes(reference));
  }

  /** Adds what was sent without release, twice, in another form, or beyond a limit. */
  private async judge(): Promise<void> {
    this.collect();
    const trades = new Map<string, Big>();
    for await (const { trade_id, sell_amount } of this.reader.trades.list.all())
      trades.set(trade_id, new Big(sell_amount!));
    const amountOf = ({ text, identity = "" }: Sent): Big => {
      const trade = trades.get(identity);
      if (trade) return trade;
      const [, xml] = /<InstdAmt[^>]*>([^<]*)</.exec(text) ?? [];
      return new Big(
        xml ?? (JSON.parse(text) as { instructedAmount: { amount: string } }).instructedAmount.amount,
      );
    };
    let total = new Big(0);
    for (const sent of this.#sent.values()) {
      const intent = this.intents.find(({ reference }) => sent.text.includes(reference));
      if (!intent) {
        this.problems.push(`was never requested, but sent: ${sent.text}`);
        continue;
      }
      const { kind, reference, isReleased } = intent;
      const amount = kind === "change" ? new Big(0) : amountOf(sent);
      total = total.plus(amount);
      const needsRelease = kind === "change" || amount.gt(threshold);
      if (needsRelease && !isReleased)
        this.problems.push(`${reference} (${kind}) was sent without its release`);
      if (kind !== "change" && !isNaN(Number(intent.amount)) && !amount.eq(intent.amount))
        this.problems.push(`${reference} requested ${intent.amount}, sent ${amount.toFixed()}`);
      if (amount.gt(perTrade))
        this.problems.push(`${reference} exceeds the limit per trade: ${amount.toFixed()}`);
    }
    for (const intent of this.intents) {
      const { length } = this.recordsOf(intent);
      if (length > 1) this.problems.push(`${intent.reference} (${intent.kind}) was sent ${length} times`);
    }
    if (total.gt(perDay)) this.problems.push(`${total.toFixed()} EUR exceed the limit per day`);
  }
}
