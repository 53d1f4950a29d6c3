/**
 * Orders under faults: the market moves with the sandbox's clock, approvals take up to an hour of it, several processes
 * compete for released orders and are killed at random, and the network fails. After the faults stop, each order is
 * compared with its terms and with the books of the sandbox.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Big } from "big.js";
import { environmentName, type FxdeskClient } from "@fxdesk/toolkit";
import { demo } from "@fxdesk/sandbox";
import type { Release } from "../../core/releases/release";
import type { OrderTerms } from "../../core/releases/terms";
import { verifyStore } from "../../core/journal/verify-store";
import { withStore } from "../../core/store/open";
import type { StoreSettings } from "../../core/store/settings";
import { environmentOf, program } from "../cli/run-command";
import {
  sampleOrder,
  people,
  type ReleaseFixture,
  createReleaseFixture,
  serviceKeyOf,
} from "../core/releases/release-fixture";
import { eventually } from "../support/eventually";
import { runLater } from "../support/resources";
import { countsOf, type SeededRandom, seededRandom } from "./seeded-random";
import { faultProxy } from "./fault-proxy";

export interface OrderScenario {
  readonly store: StoreSettings;
  readonly orders: number;
  readonly seed: number;
  /** Number of competing executors, and whether each is a separate process. */
  readonly bookers: number;
  readonly areProcesses: boolean;
  /** Range of the validity of orders, in milliseconds. */
  readonly validMs: readonly [least: number, most: number];
  /** Number of requested orders after which one process is killed. */
  readonly killEvery: number;
}

export interface OrderScenarioReport {
  readonly orders: number;
  readonly kills: number;
  readonly faults: number;
  readonly byState: Readonly<Record<string, number>>;
  /** Reasons why orders were not booked: the first words of their remarks. */
  readonly why: Readonly<Record<string, number>>;
  readonly trades: number;
  readonly quotes: number;
  readonly seconds: number;
  /** Violations found. */
  readonly faultsFound: readonly string[];
}

/** An executor that books released orders; replaced when killed. */
interface Booker {
  readonly kills: number;
  readonly fault: string | undefined;
  kill(): void;
  close(): Promise<void>;
}

/** An executor in this process: "killed" by closing its client, then replaced. */
class ClientBooker implements Booker {
  kills = 0;
  readonly fault = undefined;
  #client: FxdeskClient;
  readonly #closing: Promise<void>[] = [];

  constructor(private readonly connect: () => FxdeskClient) {
    this.#client = this.#start();
  }

  kill(): void {
    this.kills += 1;
    this.#closing.push(this.#client.close());
    this.#client = this.#start();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#closing, this.#client.close()]);
  }

  #start(): FxdeskClient {
    const client = this.connect();
    void client.orders.start();
    return client;
  }
}

/** An executor in a separate process, like `fxdesk releases run`. */
class ProcessBooker implements Booker {
  kills = 0;
  fault: string | undefined;
  #isClosed = false;
  #child: ChildProcess;

  constructor(private readonly environment: Readonly<Record<string, string | undefined>>) {
    this.#child = this.#start();
  }

  kill(): void {
    this.kills += 1;
    this.#child.kill("SIGKILL");
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const ended = once(this.#child, "exit");
    if (this.#child.kill("SIGKILL")) await ended;
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, [program, "releases", "run"], {
      env: this.environment as NodeJS.ProcessEnv,
      stdio: ["ignore", "ignore", "ignore"],
    });
    child.once("exit", (code) => {
      // A killed process has no exit code.
      if (code !== null) this.fault = `An executor process exited with code ${code}`;
      else if (!this.#isClosed) this.#child = this.#start();
    });
    return child;
  }
}

/** The sandbox's extra operations as a module, for a separate process to load. */
const builtExtension = join(__dirname, "../../sandbox/dist/extensions/extension.js");

const pairs = [
  ["EUR", "USD"],
  ["GBP", "USD"],
  ["EUR", "GBP"],
] as const;

/** Time until an order is approved: up to an hour of the sandbox's clock, in minutes. */
const minutes = 60;

/** Returns the current market rate of a pair in the sandbox. */
const rateOf = ({ sandbox }: ReleaseFixture, symbol: string): number => {
  const toUsd = (currency: string): number =>
    currency === "USD"
      ? 1
      : sandbox.control.listRates().find((each) => each.symbol === `${currency}USD`)!.rate;
  return toUsd(symbol.slice(0, 3)) / toUsd(symbol.slice(3));
};

/** Moves the market a little up or down each minute. */
function moveMarket({ sandbox }: ReleaseFixture, chance: SeededRandom): void {
  sandbox.advance(60_000);
  for (const symbol of ["EURUSD", "GBPUSD"]) {
    const rate = sandbox.control.listRates().find((each) => each.symbol === symbol)!.rate;
    const moved = rate * (1 + (chance.next() - 0.5) * 0.004);
    sandbox.control.moveRate({ symbol, rate: Number(moved.toFixed(6)) });
  }
}

function orderOf(
  index: number,
  place: ReleaseFixture,
  chance: SeededRandom,
  [least, most]: OrderScenario["validMs"],
) {
  const [base, quoted] = pairs[chance.integer(0, pairs.length - 1)]!;
  const symbol = base + quoted;
  const isBuy = chance.next() < 0.5;
  // Most limits are near the market, above or below it; the pair may be inverted.
  const near = rateOf(place, symbol) * (1 + (chance.next() - 0.4) * 0.02 * (isBuy ? 1 : -1));
  const isTurned = chance.next() < 0.3;
  return sampleOrder({
    buy_currency: isBuy ? base : quoted,
    sell_currency: isBuy ? quoted : base,
    fixed_side: chance.next() < 0.5 ? "buy" : "sell",
    amount: String(chance.integer(1, 1_000_000) / 100),
    rate_symbol: isTurned ? quoted + base : symbol,
    worst_rate: (isTurned ? 1 / near : near).toFixed(6),
    valid_until: new Date(Date.now() + chance.integer(least, most)).toISOString(),
    ...(chance.next() < 0.5 && { reference: `ORD-${index}` }),
  });
}

interface BookedTrade {
  readonly buy_currency: string;
  readonly buy_amount: number;
  readonly sell_currency: string;
  readonly sell_amount: number;
  readonly rate: number;
  readonly rate_symbol: string;
  readonly trade_id: string;
}

/** Returns the deviations of a trade from its order, computed independently of the product code. */
function findProblems(terms: OrderTerms, trade: BookedTrade): string[] {
  const found: string[] = [];
  const { buy_currency: buy, sell_currency: sell, rate_symbol: symbol } = terms;
  if (trade.buy_currency !== buy || trade.sell_currency !== sell) found.push("is of another pair");
  const fixed = terms.fixed_side === "buy" ? trade.buy_amount : trade.sell_amount;
  if (!new Big(fixed).eq(terms.amount)) found.push(`is of ${fixed} instead of ${terms.amount}`);
  // The bought amount must not cost more than at the worst rate, except for a rounded cent.
  const worstPrice = symbol.startsWith(buy) ? Number(terms.worst_rate) : 1 / Number(terms.worst_rate);
  if (trade.sell_amount > trade.buy_amount * worstPrice + 0.0101 * Math.max(1, worstPrice))
    found.push(
      `sells ${trade.sell_amount} for ${trade.buy_amount}, worse than ${terms.worst_rate} ${symbol}`,
    );
  const price = trade.rate_symbol.startsWith(buy) ? trade.rate : 1 / trade.rate;
  if (price > worstPrice * (1 + 1e-9))
    found.push(`has the rate ${trade.rate}, worse than ${terms.worst_rate}`);
  return found;
}

const isUndecided = ({ state, progress }: Release): boolean =>
  state === "released" || state === "booking" || (state === "booked" && progress.deviations === undefined);

export async function runOrders(given: OrderScenario): Promise<OrderScenarioReport> {
  const begun = performance.now();
  const chance = seededRandom(given.seed);
  const place = await createReleaseFixture({
    store: given.store,
    // The clock advances by minutes, so a quote valid for seconds would expire immediately.
    sandbox: { quoteSeconds: 600 },
    policy: {
      people: [...people],
      rules: [{ effects: ["money"], from: ["anna", "bert"] }],
      quoteEverySeconds: 0.5,
    },
  });
  const proxy = await faultProxy(place.sandbox.baseUrl, seededRandom(given.seed + 1));
  const { clientId, contactId, accessToken, apiKey } = demo;
  const settings = {
    baseUrl: proxy.url,
    clientId,
    contactId,
    accessToken,
    apiKey,
    timeoutMs: "1000",
    queueTimeoutMs: "1500",
    store: given.store.location,
    storeKey: given.store.key!.toString("base64"),
    serviceKey: serviceKeyOf("desk"),
    policy: place.policyPath,
    people: place.peoplePath,
    extensions: builtExtension,
    extensionEffects: place.sandbox.extension.effects.join(","),
  };
  const environment = environmentOf(
    Object.fromEntries(Object.entries(settings).map(([name, value]) => [environmentName(name), value])),
  );
  const requester = place.client({ baseUrl: proxy.url, people: "/nowhere/people.json" });
  const direct = place.client();
  const before = new Set((await tradesOf(direct)).map(({ trade_id: id }) => id));
  const connect = () => place.client({ baseUrl: proxy.url, timeoutMs: 1_000, queueTimeoutMs: 1_500 });
  const newBooker = (): Booker =>
    given.areProcesses ? new ProcessBooker(environment) : new ClientBooker(connect);
  const bookers = Array.from({ length: given.bookers }, newBooker);
  const due: { readonly id: string; readonly minute: number }[] = [];
  const asked: string[] = [];
  const faultsFound: string[] = [];
  let minute = 0;
  const release = async (until: number) => {
    for (const each of due.splice(0).toSorted((one, other) => one.minute - other.minute)) {
      if (each.minute > until) due.push(each);
      else
        await place.decide(each.id, chance.next() < 0.5 ? "anna" : "bert").catch((error: Error) => {
          if (!/is expired/.test(error.message)) faultsFound.push(`${each.id}: ${error.message}`);
        });
    }
  };
  runLater(() => Promise.all(bookers.map((booker) => booker.close())));
  const perMinute = Math.max(1, Math.ceil(given.orders / minutes));
  for (let index = 0; index < given.orders; index += 1) {
    const report = await requester.orders.order(orderOf(index, place, chance, given.validMs));
    asked.push(report.release);
    due.push({ id: report.release, minute: minute + chance.integer(0, minutes) });
    if (index % given.killEvery === given.killEvery - 1)
      bookers[chance.integer(0, bookers.length - 1)]!.kill();
    if (index % perMinute !== 0) continue;
    minute += 1;
    moveMarket(place, chance);
    await release(minute);
  }
  // Remaining approvals arrive within the next hour.
  for (const end = minute + minutes; minute < end; minute += 1) {
    moveMarket(place, chance);
    await release(minute);
    await pause(Math.min(200, given.validMs[1] / minutes / 2));
  }
  proxy.stopFaults();
  // Only one executor remains, and it restarts.
  const kills = bookers.reduce((sum, booker) => sum + booker.kills, 0);
  faultsFound.push(...bookers.flatMap(({ fault }) => fault ?? []));
  await Promise.all(bookers.map((booker) => booker.close()));
  bookers.splice(0, bookers.length, newBooker());
  const all = () => place.service.list({ limit: given.orders }).then(({ releases }) => releases);
  await eventually(
    async () => {
      const open = (await all()).filter(isUndecided);
      if (open.length === 0) return true;
      await pause(500);
      return undefined;
    },
    { withinMs: given.validMs[1] + 120_000, what: "final states of all orders" },
  ).catch((error: Error) => faultsFound.push(error.message));
  const trades = (await tradesOf(direct)).filter(({ trade_id: id }) => !before.has(id));
  const released = await all();
  const verified = await withStore(given.store, (store) => verifyStore(store));
  return {
    orders: asked.length,
    kills,
    faults: proxy.faultCount(),
    byState: countsOf(released.map(({ state }) => state)),
    why: countsOf(
      released
        .filter(({ state }) => state !== "booked")
        .map(({ progress }) =>
          (progress.remark ?? "").replace(/^The request expired at \S+ /, "").slice(0, 35),
        ),
    ),
    trades: trades.length,
    quotes: released.reduce((sum, { progress }) => sum + (progress.quotes ?? 0), 0),
    seconds: Math.round((performance.now() - begun) / 1_000),
    faultsFound: [
      ...faultsFound,
      ...compareWithBooks(asked, released, trades),
      ...verified.faults.map(({ where, message }) => `${where}: ${message}`),
    ],
  };
}

async function tradesOf(client: ReturnType<ReleaseFixture["client"]>): Promise<BookedTrade[]> {
  const found: BookedTrade[] = [];
  for await (const trade of client.trades.list.all({ page_size: 500 })) found.push(trade as BookedTrade);
  return found;
}

/** Returns the violations in the orders and in the books. */
function compareWithBooks(
  asked: readonly string[],
  releases: readonly Release[],
  trades: readonly BookedTrade[],
): readonly string[] {
  const found: string[] = [];
  const byId = new Map(releases.map((release) => [release.id, release]));
  const owners = new Map<string, string>();
  for (const id of asked) {
    const release = byId.get(id);
    if (!release) {
      found.push(`${id} is missing`);
      continue;
    }
    const { state, progress, sealed } = release;
    const { identity, remark, deviations } = progress;
    if (state === "booked") {
      const trade = trades.find(({ trade_id: each }) => each === identity);
      if (!trade) found.push(`${id} is booked as ${identity}, which does not exist`);
      else
        found.push(
          ...findProblems(sealed.terms as OrderTerms, trade).map((fault) => `${id}: ${identity} ${fault}`),
        );
      if (!deviations) found.push(`${id} was not read back`);
      else if (deviations.length > 0) found.push(`${id}: ${deviations.join(" ")}`);
      if (owners.has(identity!))
        found.push(`${identity} is the trade of ${id} and of ${owners.get(identity!)}`);
      owners.set(identity!, id);
    } else if (state !== "expired" && state !== "unknown") found.push(`${id} is still ${state}`);
    else if (remark === undefined) found.push(`${id} is ${state} without a remark`);
  }
  // An order with an unknown outcome may have been booked.
  const strays = trades.filter(({ trade_id: id }) => !owners.has(id));
  const unknown = releases.filter(({ state }) => state === "unknown").length;
  if (strays.length > unknown)
    found.push(...strays.map(({ trade_id: id }) => `trade ${id} belongs to no order`));
  return found;
}
