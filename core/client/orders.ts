/** Orders of one client: requests, lists, decides and cancels them, and books released ones in the background. */
import { Big } from "big.js";
import { invalidInputError } from "../call/call-errors";
import type { Pipeline } from "./pipeline";
import type { CallOptions } from "../call/call-options";
import { actorOf, settingsFor } from "../call/prepare";
import type { Callable, Declaration } from "../spec/operation";
import { type Violation, FxdeskError, NotFound } from "../spec/errors";
import { environmentOf } from "../journal/outcome-lookup";
import { openJournal } from "../journal/journal";
import { StoreSession } from "../store/session";
import { minorUnits } from "../values/values";
import { parseCorrelation } from "../releases/correlation";
import {
  ReleaseNotFound,
  type ReleaseService,
  ReleaseRefusal,
  findRequestProblem,
} from "../releases/release-service";
import { releaseRefusedError } from "../releases/release-guard";
import { loadReadablePeople, type ReleaseMiddleware } from "../releases/release-middleware";
import { findPolicyViolation, approvalRequirements } from "../releases/policy-evaluation";
import type { OrderInput } from "../releases/order-input";
import {
  quoteInputFor,
  type QuoteOperation,
  findQuoteOperation,
  parseQuote,
  findUnsupportedFields,
  worstRateFrom,
} from "../releases/quote";
import type { Release, DecisionInput } from "../releases/release";
import {
  type ReleaseListOptions,
  type ReleaseReport,
  type ReleaseReportList,
  toReleaseReport,
} from "../releases/report";
import { OrderExecutor } from "../releases/order-executor";
import { decideWithSecret, type DecisionFiles } from "../releases/decide-with-secret";
import type { OrderTerms, SealedOrder } from "../releases/terms";

/** Procedure that requests an order. */
const orderName = "trades.order";
const orderCallable = { name: orderName } as Callable;

const isOnePair = (symbol: string, one: string, other: string): boolean =>
  symbol === one + other || symbol === other + one;

const decideName = "releases.decide";
const maxListed = 1_000;

/** Decides, with refusals and invalid files converted to FxdeskError. */
async function decide(
  service: ReleaseService,
  id: string,
  files: DecisionFiles,
  input: DecisionInput,
): Promise<Release> {
  try {
    return await decideWithSecret(service, id, files, input);
  } catch (error) {
    if (error instanceof ReleaseNotFound) throw error;
    if (error instanceof ReleaseRefusal || error instanceof TypeError)
      throw releaseRefusedError(decideName, error.message);
    throw error;
  }
}

/** Upper bound for how long a release decision stays valid. */
const maxValidityMs = 92 * 86_400_000;

/** Returns violations that involve more than one field. */
function validateOrder(input: OrderInput, quoteOperation: QuoteOperation): Violation[] {
  const { buy_currency, sell_currency, fixed_side, amount, worst_rate, rate_symbol, valid_until } = input;
  const found: Violation[] = [];
  const addViolation = (field: string, message: string) => void found.push({ field, message });
  if (buy_currency === sell_currency) addViolation("sell_currency", "must differ from buy_currency");
  const decimals = amount.split(".")[1]?.length ?? 0;
  const currency = fixed_side === "buy" ? buy_currency : sell_currency;
  if (!new Big(amount).gt(0)) addViolation("amount", "must be greater than zero");
  if (decimals > minorUnits(currency)) addViolation("amount", `has too many decimals for ${currency}`);
  if (worst_rate !== undefined && rate_symbol === undefined)
    addViolation(
      "rate_symbol",
      `is required with worst_rate: ${buy_currency}${sell_currency} or ${sell_currency}${buy_currency}`,
    );
  if (rate_symbol !== undefined && !isOnePair(rate_symbol, buy_currency, sell_currency))
    addViolation("rate_symbol", `must be ${buy_currency}${sell_currency} or ${sell_currency}${buy_currency}`);
  if (input.largest_distance !== undefined && new Big(input.largest_distance).gte(100))
    addViolation("largest_distance", "must be less than 100");
  if ((input.highest_fee === undefined) !== (input.fee_currency === undefined))
    addViolation(
      input.highest_fee === undefined ? "highest_fee" : "fee_currency",
      "is required: highest_fee and fee_currency must be given together",
    );
  if (input.latest_value_date !== undefined && (input.value_date ?? "9") > input.latest_value_date)
    addViolation("latest_value_date", "requires value_date and must not be before it");
  const aheadMs = Date.parse(valid_until) - Date.now();
  if (!(aheadMs > 0)) addViolation("valid_until", "must be in the future");
  if (aheadMs > maxValidityMs) addViolation("valid_until", "must be within 92 days");
  const { trade_type: type } = input;
  if (type !== "spot" && type !== "drawdown" && input.value_date === undefined)
    addViolation("value_date", `is required for a ${type}`);
  if ((type === "drawdown") !== (input.parent_trade_id !== undefined))
    addViolation(
      "parent_trade_id",
      type === "drawdown" ? "is required for a drawdown" : "is allowed only for drawdowns",
    );
  if ((type === "window_forward") !== (input.window_start_date !== undefined))
    addViolation(
      "window_start_date",
      type === "window_forward" ? "is required for a window_forward" : "is allowed only for a window_forward",
    );
  return [...found, ...findUnsupportedFields(quoteOperation, input)];
}

const inputOnlyFields = new Set(["worst_rate", "rate_symbol", "largest_distance", "valid_until"]);

/** Returns the terms without the fields from which the worst rate is derived. */
const toFixedTerms = (input: OrderInput) =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !inputOnlyFields.has(name))) as unknown as Omit<
    OrderTerms,
    "worst_rate" | "rate_symbol"
  >;

/** Removes the key, which belongs to the order and not to its quotes. */
function withoutKey(options: CallOptions): CallOptions {
  const { key, ...rest } = options;
  return key === undefined ? options : rest;
}

const emitAlarm = (line: string): void =>
  process.emitWarning(line, { type: "FxdeskWarning", code: "FXDESK_ORDER_DEVIATES" });

export class Orders {
  #executor: Promise<OrderExecutor | undefined> | undefined;
  #isClosed = false;
  readonly #closers: (() => Promise<void>)[] = [];

  constructor(private readonly pipeline: Pipeline) {}

  /** Requests an order, which is booked in the background once released. Throws an FxdeskError. */
  async order(input: OrderInput, options: CallOptions): Promise<ReleaseReport> {
    const quoteOperation = this.#quoteOperation();
    if (!quoteOperation)
      throw releaseRefusedError(
        orderName,
        "The service has no quote operation. Add one with an extension (FXDESK_EXTENSIONS).",
      );
    const violations = validateOrder(input, quoteOperation);
    if (violations.length > 0) throw invalidInputError(orderCallable, violations);
    const middleware = await this.pipeline.releaseMiddleware();
    const sealed = await this.#sealOrder(input, quoteOperation, options);
    const authority = await middleware.loadAuthority(orderName, sealed);
    const { policy } = authority;
    const requirements = policy ? approvalRequirements(policy, sealed) : [];
    const reason =
      policy &&
      (findPolicyViolation(policy, sealed) ?? findRequestProblem(policy, requirements, sealed.asker));
    if (reason !== undefined) throw releaseRefusedError(orderName, reason);
    const release = await this.#withService(middleware, (service) =>
      service.request(
        { sealed, given: { ...input, clientId: sealed.client }, key: options.key, requirements },
        options.confirmRelease,
      ),
    );
    await this.start();
    return toReleaseReport(release);
  }

  async get(id: string): Promise<ReleaseReport> {
    const { release } = await this.#withService(await this.pipeline.releaseMiddleware(), (service) =>
      service.get(id),
    );
    return toReleaseReport(release);
  }

  /** Lists the releases of this client's environment, of all requesters. */
  async list(filter: ReleaseListOptions): Promise<ReleaseReportList> {
    const { context } = this.pipeline;
    const environments = new Set(
      context.service.operations.flatMap((operation) => environmentOf(context, operation) ?? []),
    );
    const { releases, isComplete } = await this.#withService(
      await this.pipeline.releaseMiddleware(),
      (service) => service.list({ ...filter, environments: [...environments], limit: maxListed }),
    );
    return { releases: releases.map(toReleaseReport), complete: isComplete };
  }

  /** Records the decision of the person whose secret is given. Throws an FxdeskError if it is not allowed. */
  async decide(id: string, input: DecisionInput): Promise<ReleaseReport> {
    const { policy, people } = this.pipeline.context.settings;
    if (people === undefined)
      throw releaseRefusedError(
        decideName,
        "The people file is not set. FXDESK_PEOPLE names the file with the people who release and their secrets.",
      );
    return toReleaseReport(
      await this.#withService(await this.pipeline.releaseMiddleware(), (service) =>
        decide(service, id, { policy, people }, input),
      ),
    );
  }

  async cancel(id: string, options: CallOptions): Promise<ReleaseReport> {
    const by = actorOf(this.pipeline.context, options);
    return toReleaseReport(
      await this.#withService(await this.pipeline.releaseMiddleware(), (service) => service.cancel(id, by)),
    );
  }

  /** Starts booking released orders of this client's environment, if the service can quote. */
  async start(): Promise<void> {
    if (this.#isClosed) return;
    const executor = await (this.#executor ??= this.#createExecutor());
    executor?.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#executor?.catch(() => undefined))?.stop();
    for (const close of this.#closers) await close();
  }

  #operation(name: string): Declaration {
    return this.pipeline.context.service.operations.find((each) => each.name === name)!;
  }

  #quoteOperation(): QuoteOperation | undefined {
    const { operations } = this.pipeline.context.service;
    return operations.some(({ name }) => name === bookName) ? findQuoteOperation(operations) : undefined;
  }

  async #createExecutor(): Promise<OrderExecutor | undefined> {
    const quoteOperation = this.#quoteOperation();
    if (!quoteOperation) return undefined;
    const { context } = this.pipeline;
    const bookOperation = this.#operation(bookName);
    const environment = environmentOf(context, bookOperation);
    if (environment === undefined) return undefined;
    const [journal, store] = [await openJournal(context.store), new StoreSession(context.store)];
    this.#closers.push(
      () => journal.close(),
      () => store.close(),
    );
    return new OrderExecutor({
      store,
      journal,
      environment,
      quoteOperation,
      bookOperation,
      getOperation: this.#operation("trades.get"),
      call: (operation, input, options, preAuthorization) =>
        this.pipeline.callPreAuthorized(operation, input, options, preAuthorization),
      authority: async (sealed) => (await this.pipeline.releaseMiddleware()).loadAuthority(orderName, sealed),
      canReadPeople: async () => {
        const { policy, people } = context.settings;
        return policy === undefined || (await loadReadablePeople(people)) !== undefined;
      },
      recover: (entry) => this.pipeline.recover(entry),
      onAlarm: emitAlarm,
    });
  }

  async #sealOrder(
    input: OrderInput,
    quoteOperation: QuoteOperation,
    options: CallOptions,
  ): Promise<SealedOrder> {
    const { context } = this.pipeline;
    const actor = actorOf(context, options);
    const { clientId = "" } = settingsFor(context, options);
    const release = context.settings.policy === undefined ? options.release : "policy";
    const terms = { ...toFixedTerms(input), ...(await this.#worstRate(input, quoteOperation, options)) };
    return {
      kind: "order",
      operation: orderName,
      environment: environmentOf(context, this.#operation(bookName))!,
      client: clientId,
      ...(actor !== undefined && { asker: actor }),
      ...(options.contactId !== undefined && { contactId: options.contactId }),
      surface: options.surface ?? "client",
      validUntil: Date.parse(input.valid_until),
      ...(release && { release }),
      ...parseCorrelation(orderName, options.correlation),
      terms,
    };
  }

  /** Returns the given worst rate, or derives it from a quote requested now. */
  async #worstRate(input: OrderInput, quoteOperation: QuoteOperation, options: CallOptions) {
    const { largest_distance: distance, worst_rate, rate_symbol } = input;
    if (distance === undefined) return { worst_rate: worst_rate!, rate_symbol: rate_symbol! };
    const { body } = await this.pipeline.callPreAuthorized(
      quoteOperation,
      quoteInputFor(quoteOperation, input),
      withoutKey(options),
      {},
    );
    const quote = parseQuote(quoteOperation, body);
    const { rate, rate_symbol: pair } = quote ?? { rate: "", rate_symbol: "" };
    if (!isOnePair(pair, input.buy_currency, input.sell_currency))
      throw releaseRefusedError(
        orderName,
        "The service gave no comparable quote. Set worst_rate and rate_symbol instead of largest_distance.",
      );
    return { worst_rate: worstRateFrom(rate, pair, input, distance), rate_symbol: pair, rate_seen: rate };
  }

  async #withService<T>(
    middleware: ReleaseMiddleware,
    work: (service: ReleaseService) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(middleware.service);
    } catch (error) {
      if (error instanceof ReleaseNotFound)
        throw new NotFound(error.message, {
          operation: "releases.get",
          code: "not_found",
          outcome: "not-sent",
        });
      throw error instanceof FxdeskError ? error : middleware.toError(orderName, error as Error);
    }
  }
}

const bookName = "trades.book";
