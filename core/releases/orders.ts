/** The orders of one client: asked for, looked at, taken back, and booked in the background once they are released. */
import { Big } from "big.js";
import { invalidInput } from "../client/call-errors";
import type { Pipeline } from "../client/pipeline";
import type { CallOptions } from "../client/call-options";
import { actorOf, settingsFor } from "../client/prepare";
import type { Callable, Declaration } from "../declaration/operation";
import type { Violation } from "../declaration/violation";
import { FxdeskError, NotFound } from "../errors";
import { environmentOf } from "../journal/service-inquiry";
import { openJournal } from "../journal/journal";
import { KeptStore } from "../journal/kept-store";
import { minorUnits } from "../schema/currency";
import { correlationFrom } from "./correlation";
import { NoSuchRelease, type ReleaseDesk, ReleaseRefusal, unaskable } from "./desk";
import { refused } from "./release-check";
import { peopleOf, type ReleaseStage } from "./stage";
import { forbidden, needsOf } from "./needs";
import type { OrderInput } from "./input";
import { inputFor, type Pricing, pricingOf, quotedIn, unanswered, worstFrom } from "./quote";
import type { Release, Said } from "./release";
import { type ListedReleases, type ReleaseReport, type ReleaseReports, reportOf } from "./report";
import { OrderRunner } from "./runner";
import { decideAs, type DecisionFiles } from "./decision-by-secret";
import type { OrderTerms, SealedOrder } from "./terms";

/** The procedure by which orders are asked for. */
const orderName = "trades.order";
const orderCallable = { name: orderName } as Callable;

const isOnePair = (symbol: string, one: string, other: string): boolean =>
  symbol === one + other || symbol === other + one;

const decideName = "releases.decide";
const mostListed = 1_000;

/** What a release does not allow, and files that do not fit, in the family of errors. */
async function decided(desk: ReleaseDesk, id: string, files: DecisionFiles, said: Said): Promise<Release> {
  try {
    return await decideAs(desk, id, files, said);
  } catch (error) {
    if (error instanceof NoSuchRelease) throw error;
    if (error instanceof ReleaseRefusal || error instanceof TypeError)
      throw refused(decideName, error.message);
    throw error;
  }
}

/** Longer than that nobody should be bound by. */
const longestMs = 92 * 86_400_000;

/** What is wrong with an order beyond its single fields. */
function violationsIn(input: OrderInput, pricing: Pricing): Violation[] {
  const { buy_currency, sell_currency, fixed_side, amount, worst_rate, rate_symbol, valid_until } = input;
  const found: Violation[] = [];
  const wrong = (field: string, message: string) => void found.push({ field, message });
  if (buy_currency === sell_currency) wrong("sell_currency", "must be another than buy_currency");
  const decimals = amount.split(".")[1]?.length ?? 0;
  const currency = fixed_side === "buy" ? buy_currency : sell_currency;
  if (!new Big(amount).gt(0)) wrong("amount", "must be more than zero");
  if (decimals > minorUnits(currency)) wrong("amount", `has more decimals than ${currency}`);
  if (worst_rate !== undefined && rate_symbol === undefined)
    wrong(
      "rate_symbol",
      `is needed with worst_rate: ${buy_currency}${sell_currency} or ${sell_currency}${buy_currency}`,
    );
  if (rate_symbol !== undefined && !isOnePair(rate_symbol, buy_currency, sell_currency))
    wrong("rate_symbol", `must be ${buy_currency}${sell_currency} or ${sell_currency}${buy_currency}`);
  if (input.largest_distance !== undefined && new Big(input.largest_distance).gte(100))
    wrong("largest_distance", "must be less than 100");
  if ((input.highest_fee === undefined) !== (input.fee_currency === undefined))
    wrong(
      input.highest_fee === undefined ? "highest_fee" : "fee_currency",
      "is needed beside the other of the two",
    );
  if (input.latest_value_date !== undefined && (input.value_date ?? "9") > input.latest_value_date)
    wrong("latest_value_date", "must not be before value_date, which it needs");
  const aheadMs = Date.parse(valid_until) - Date.now();
  if (!(aheadMs > 0)) wrong("valid_until", "must be in the future");
  if (aheadMs > longestMs) wrong("valid_until", "must be within 92 days");
  const { trade_type: type } = input;
  if (type !== "spot" && type !== "drawdown" && input.value_date === undefined)
    wrong("value_date", `is needed for a ${type}`);
  if ((type === "drawdown") !== (input.parent_trade_id !== undefined))
    wrong("parent_trade_id", type === "drawdown" ? "is needed for a drawdown" : "is only for drawdowns");
  if ((type === "window_forward") !== (input.window_start_date !== undefined))
    wrong(
      "window_start_date",
      type === "window_forward" ? "is needed for a window_forward" : "is only for a window_forward",
    );
  return [...found, ...unanswered(pricing, input)];
}

const notRegistered = new Set(["worst_rate", "rate_symbol", "largest_distance", "valid_until"]);

/** The order without what says how its worst rate is found. */
const fixedTerms = (input: OrderInput) =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !notRegistered.has(name))) as unknown as Omit<
    OrderTerms,
    "worst_rate" | "rate_symbol"
  >;

/** The key is that of the order. */
function unkeyed(options: CallOptions): CallOptions {
  const { key, ...rest } = options;
  return key === undefined ? options : rest;
}

const alarmed = (line: string): void =>
  process.emitWarning(line, { type: "FxdeskWarning", code: "FXDESK_ORDER_DEVIATES" });

export class Orders {
  #runner: Promise<OrderRunner | undefined> | undefined;
  #isClosed = false;
  readonly #toClose: (() => Promise<void>)[] = [];

  constructor(private readonly pipeline: Pipeline) {}

  /** Asks for an order; it is booked in the background once it is released. Throws an FxdeskError. */
  async order(input: OrderInput, options: CallOptions): Promise<ReleaseReport> {
    const pricing = this.#pricing();
    if (!pricing)
      throw refused(
        orderName,
        "The service has no operation that quotes trades: an extension adds one (FXDESK_EXTENSIONS).",
      );
    const violations = violationsIn(input, pricing);
    if (violations.length > 0) throw invalidInput(orderCallable, violations);
    const link = await this.pipeline.releases();
    const sealed = await this.#sealed(input, pricing, options);
    const authority = await link.authority(orderName, sealed);
    const { policy } = authority;
    const needs = policy ? needsOf(policy, sealed) : [];
    const reason = policy && (forbidden(policy, sealed) ?? unaskable(policy, needs, sealed.asker));
    if (reason !== undefined) throw refused(orderName, reason);
    const release = await this.#atDesk(link, (desk) =>
      desk.ask(
        { sealed, given: { ...input, clientId: sealed.client }, key: options.key, needs },
        options.mayAsk,
      ),
    );
    await this.start();
    return reportOf(release);
  }

  async get(id: string): Promise<ReleaseReport> {
    const { release } = await this.#atDesk(await this.pipeline.releases(), (desk) => desk.get(id));
    return reportOf(release);
  }

  /** Those of the environment of this client, whoever asked. */
  async list(which: ListedReleases): Promise<ReleaseReports> {
    const { connection } = this.pipeline;
    const environments = new Set(
      connection.service.operations.flatMap((operation) => environmentOf(connection, operation) ?? []),
    );
    const { releases, isComplete } = await this.#atDesk(await this.pipeline.releases(), (desk) =>
      desk.list({ ...which, environments: [...environments], limit: mostListed }),
    );
    return { releases: releases.map(reportOf), complete: isComplete };
  }

  /** Decides as the person whose secret is given. Throws an FxdeskError where that does not count. */
  async decide(id: string, said: Said): Promise<ReleaseReport> {
    const { policy, people } = this.pipeline.connection.settings;
    if (people === undefined)
      throw refused(
        decideName,
        "People names the file of those who release, with their secrets, and is not set.",
      );
    return reportOf(
      await this.#atDesk(await this.pipeline.releases(), (desk) =>
        decided(desk, id, { policy, people }, said),
      ),
    );
  }

  async cancel(id: string, options: CallOptions): Promise<ReleaseReport> {
    const by = actorOf(this.pipeline.connection, options);
    return reportOf(await this.#atDesk(await this.pipeline.releases(), (desk) => desk.cancel(id, by)));
  }

  /** Books what is released in the environment of this client from now on; nothing where it cannot. */
  async start(): Promise<void> {
    if (this.#isClosed) return;
    const runner = await (this.#runner ??= this.#opened());
    runner?.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#runner?.catch(() => undefined))?.stop();
    for (const close of this.#toClose) await close();
  }

  #operation(name: string): Declaration {
    return this.pipeline.connection.service.operations.find((each) => each.name === name)!;
  }

  #pricing(): Pricing | undefined {
    const { operations } = this.pipeline.connection.service;
    return operations.some(({ name }) => name === bookName) ? pricingOf(operations) : undefined;
  }

  async #opened(): Promise<OrderRunner | undefined> {
    const pricing = this.#pricing();
    if (!pricing) return undefined;
    const { connection } = this.pipeline;
    const book = this.#operation(bookName);
    const environment = environmentOf(connection, book);
    if (environment === undefined) return undefined;
    const [journal, store] = [await openJournal(connection.store), new KeptStore(connection.store)];
    this.#toClose.push(
      () => journal.close(),
      () => store.close(),
    );
    return new OrderRunner({
      store,
      journal,
      environment,
      pricing,
      book,
      get: this.#operation("trades.get"),
      call: (operation, input, options, clearance) =>
        this.pipeline.callFor(operation, input, options, clearance),
      authority: async (sealed) => (await this.pipeline.releases()).authority(orderName, sealed),
      isTrusted: async () => {
        const { policy, people } = connection.settings;
        return policy === undefined || (await peopleOf(people)) !== undefined;
      },
      recover: (entry) => this.pipeline.recover(entry),
      onAlarm: alarmed,
    });
  }

  async #sealed(input: OrderInput, pricing: Pricing, options: CallOptions): Promise<SealedOrder> {
    const { connection } = this.pipeline;
    const actor = actorOf(connection, options);
    const { clientId = "" } = settingsFor(connection, options);
    const release = connection.settings.policy === undefined ? options.release : "policy";
    const terms = { ...fixedTerms(input), ...(await this.#worst(input, pricing, options)) };
    return {
      kind: "order",
      operation: orderName,
      environment: environmentOf(connection, this.#operation(bookName))!,
      client: clientId,
      ...(actor !== undefined && { asker: actor }),
      ...(options.contactId !== undefined && { contactId: options.contactId }),
      surface: options.surface ?? "client",
      validUntil: Date.parse(input.valid_until),
      ...(release && { release }),
      ...correlationFrom(orderName, options.correlation),
      terms,
    };
  }

  /** The worst rate: as it is given, or so far from that of a quote that is taken now. */
  async #worst(input: OrderInput, pricing: Pricing, options: CallOptions) {
    const { largest_distance: distance, worst_rate, rate_symbol } = input;
    if (distance === undefined) return { worst_rate: worst_rate!, rate_symbol: rate_symbol! };
    const { body } = await this.pipeline.callFor(pricing, inputFor(pricing, input), unkeyed(options), {});
    const quote = quotedIn(pricing, body);
    const { rate, rate_symbol: pair } = quote ?? { rate: "", rate_symbol: "" };
    if (!isOnePair(pair, input.buy_currency, input.sell_currency))
      throw refused(
        orderName,
        "There is no quote whose rate could be compared with: give worst_rate and rate_symbol.",
      );
    return { worst_rate: worstFrom(rate, pair, input, distance), rate_symbol: pair, rate_seen: rate };
  }

  async #atDesk<T>(link: ReleaseStage, work: (desk: ReleaseDesk) => Promise<T>): Promise<T> {
    try {
      return await work(link.desk);
    } catch (error) {
      if (error instanceof NoSuchRelease)
        throw new NotFound(error.message, {
          operation: "releases.get",
          code: "not_found",
          outcome: "not-sent",
        });
      throw error instanceof FxdeskError ? error : link.asFailure(orderName, error as Error);
    }
  }
}

const bookName = "trades.book";
