/** Orders and releases of one client: requests, lists, decides and cancels them, and carries out released ones. */
import { invalidInputError } from "../call/call-errors";
import type { CallOptions } from "../call/call-options";
import { type ClientContext, environmentOf } from "../call/client-context";
import { normalizeInput } from "../call/normalize-input";
import { actorOf, settingsFor } from "../call/prepare";
import { openJournal } from "../journal/journal";
import { localOrigin } from "../people/attempts";
import { PeopleRefusal } from "../people/authenticate";
import { ReleaseExecutor } from "../orders/executor";
import type { OrderCall, OrderOperations } from "../orders/leased-release";
import { fetchEstimate, viewMarket } from "../orders/market";
import { orderName, termsFor, validateOrder } from "../orders/order-input";
import { type OrderInput, parseCorrelation, type SealedOrder } from "../releases/terms";
import { findQuoteOperation } from "../orders/quote";
import { expiryOf } from "../orders/valid-until";
import type { QuoteOperation } from "../spec/quotes";
import {
  type Call,
  type DecisionInput,
  type Release,
  ReleaseNotFound,
  ReleaseRefusal,
} from "../releases/release";
import type { ApprovalRequirement } from "../releases/policy-evaluation";
import { releaseRefusedError, requirementsOf } from "../releases/release-guard";
import { loadReadablePeople, type ReleaseMiddleware, signerFor } from "../releases/release-middleware";
import type { IsVisible } from "../releases/repository";
import type { ReleaseService, SignRequest } from "../releases/release-service";
import { callOptionsFor } from "../releases/sealed-call";
import {
  type ReleaseListOptions,
  type ReleaseReport,
  type ReleaseReportList,
  toReleaseReport,
  withReleasePage,
  withJournal,
} from "../releases/report";
import { createError, FxdeskError } from "../spec/errors";
import { checkInput } from "../spec/check";
import type { Values } from "../spec/fields";
import type { Callable, Declaration } from "../spec/operation";
import type { EstimateQuery, OutcomeList, OutcomeQuery } from "../api/client-types";
import { StoreSession } from "../store/session";
import { storeExists } from "../store/settings";
import { findOutcomes } from "./find-outcomes";
import { recreateUndeclaredOperation } from "./undeclared-operation";

const bookName = "trades.book";
const decideName = "releases.decide";
const maxListed = 1_000;

/** What orders use of their client. */
interface OrderClient {
  readonly context: ClientContext;
  readonly callPreAuthorized: OrderCall;
  /** Makes the call of a released request, if it is exactly the released one. */
  callReleased(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    release: string,
  ): Promise<unknown>;
  /** Searches for the outcome of a call. */
  recover(entry: string): Promise<unknown>;
  releaseMiddleware(): Promise<ReleaseMiddleware>;
}

const emitAlarm = (line: string): void =>
  process.emitWarning(line, { type: "FxdeskWarning", code: "FXDESK_ORDER_DEVIATES" });

/** Throws InvalidInput, also for values that the types exclude. */
function assertValid(procedure: Callable, input: OrderInput, quoteOperation: QuoteOperation): void {
  const violations = checkInput(procedure, normalizeInput(procedure, { ...input }), new Date());
  // The second check relies on the first one.
  if (violations.length === 0) violations.push(...validateOrder(input, quoteOperation));
  if (violations.length > 0) throw invalidInputError(procedure, violations);
}

export class Orders {
  /** "needed" if this process sends nothing without a release, whatever a stored request says. */
  #release: CallOptions["release"];
  #executor: Promise<ReleaseExecutor> | undefined;
  #isClosed = false;
  readonly #closers: (() => Promise<void>)[] = [];

  readonly #call: OrderCall = (...call) => this.client.callPreAuthorized(...call);

  constructor(private readonly client: OrderClient) {}

  /** Checks the input of an order. Returns the operation that quotes it. Throws an FxdeskError. */
  check(input: OrderInput): QuoteOperation {
    const quoteOperation = this.#quoteOperation();
    if (!quoteOperation)
      throw releaseRefusedError(
        orderName,
        "The service has no quote operation. Add one with an extension (FXDESK_EXTENSIONS).",
      );
    assertValid(this.#orderProcedure(), input, quoteOperation);
    return quoteOperation;
  }

  /** Requests an order, which is booked in the background once released. Throws an FxdeskError. */
  async order(input: OrderInput, options: CallOptions): Promise<ReleaseReport> {
    const quoteOperation = this.check(input);
    const middleware = await this.client.releaseMiddleware();
    const { context } = this.client;
    const { policy, people } = context.settings;
    // With a people file, an order without a policy is signed as well, so that no row can say that none is needed.
    const hasKey = (options.requester ?? context.requester)?.keyHash !== undefined;
    const isSigned = policy !== undefined || people !== undefined || options.release !== undefined || hasKey;
    const requester = isSigned ? middleware.requesterOf(orderName, options) : undefined;
    const sealed = await this.#sealOrder(input, quoteOperation, options);
    const given = { ...input, clientId: sealed.client };
    const find = () =>
      this.#withService(
        (service) => service.find({ sealed, given, key: options.key, requirements: [] }),
        options.key,
      );
    const isOwn = async (earlier: Release) =>
      !requester || (await middleware.ownReleases(orderName, options))(earlier);
    let requirements: readonly ApprovalRequirement[];
    let sign: SignRequest | undefined;
    try {
      const authority = await middleware.loadAuthority(orderName, sealed);
      requirements = requirementsOf(authority, sealed, requester);
      sign = requester && signerFor(orderName, requester, authority.people);
    } catch (error) {
      // An earlier order under the key keeps its state.
      const earlier = await find();
      if (earlier && (await isOwn(earlier).catch(() => false))) return this.#report(earlier);
      throw error;
    }
    const { operations } = context.service;
    const complete = () => this.#viewMarket(sealed, quoteOperation, options);
    const release = await this.#withService(
      (service) =>
        service.request(
          { sealed, given, key: options.key, requirements, operations, sign, complete },
          options.confirmRelease,
        ),
      options.key,
    );
    if (!(await isOwn(release)))
      throw releaseRefusedError(
        orderName,
        `The same order was signed with another key of ${sealed.requester}. Repeat it with that key, or use another idempotency key.`,
      );
    await this.start();
    return this.#report(release);
  }

  async get(id: string, options: CallOptions): Promise<ReleaseReport> {
    const isVisible = await this.#visibleTo("releases.get", options);
    const middleware = await this.client.releaseMiddleware();
    return this.#withService(async (service) => {
      const { release } = await service.get(id, isVisible);
      const entry = await service.findEntry(release);
      const report = this.#report(release);
      return entry ? withJournal(report, middleware.outcomeOf(entry)) : report;
    });
  }

  /** Lists the releases of this client's environments that its requester may see. */
  async list(filter: ReleaseListOptions, options: CallOptions): Promise<ReleaseReportList> {
    const isVisible = await this.#visibleTo("releases.list", options);
    const { releases, isComplete } = await this.#withService((service) =>
      service.list({ ...filter, environments: this.#environments(), limit: maxListed, isVisible }),
    );
    return { releases: releases.map((release) => this.#report(release)), complete: isComplete };
  }

  /** Finds what became of calls of this client's environments that its requester may see. */
  async estimateRate(
    { currency, amount, into }: EstimateQuery,
    options: CallOptions,
  ): Promise<string | undefined> {
    const operation = findQuoteOperation(this.client.context.service.operations);
    if (!operation) return undefined;
    const isOwed = amount.startsWith("-");
    const [buy_currency, sell_currency] = isOwed ? [currency, into] : [into, currency];
    const terms = {
      trade_type: "spot",
      fixed_side: isOwed ? "buy" : "sell",
      amount: amount.replace("-", ""),
      buy_currency,
      sell_currency,
    } as const;
    try {
      return await fetchEstimate(operation, terms, currency + into, { call: this.#call, options });
    } catch (error) {
      if (!(error instanceof FxdeskError) || error.code === "aborted") throw error;
      return undefined;
    }
  }

  async findOutcomes(query: OutcomeQuery, options: CallOptions): Promise<OutcomeList> {
    const middleware = await this.client.releaseMiddleware();
    const { service, store } = this.client.context;
    // A search does not create the store.
    if (!storeExists(store)) return { outcomes: [], complete: true };
    const environments = this.#environments();
    return this.#withService((releases) =>
      findOutcomes({ middleware, releases, service, environments, options }, query),
    );
  }

  /** Records the decision of the person whose secret is given. Throws an FxdeskError if it is not allowed. */
  async decide(
    id: string,
    input: DecisionInput,
    { surface = "client" }: Pick<CallOptions, "surface"> = {},
  ): Promise<ReleaseReport> {
    const {
      service: declarations,
      settings: { policy, people },
    } = this.client.context;
    if (people === undefined)
      throw releaseRefusedError(
        decideName,
        "The people file is not set. Set FXDESK_PEOPLE to the file with the people who release and their secrets.",
      );
    const decide = async (service: ReleaseService): Promise<Release> => {
      try {
        return await service.decide(
          id,
          { policy, people, service: declarations },
          input,
          localOrigin(surface),
        );
      } catch (error) {
        if (error instanceof ReleaseNotFound) throw error;
        if (error instanceof ReleaseRefusal || error instanceof PeopleRefusal || error instanceof TypeError)
          throw releaseRefusedError(decideName, error.message);
        throw error;
      }
    };
    return this.#report(await this.#withService(decide));
  }

  async cancel(id: string, options: CallOptions): Promise<ReleaseReport> {
    const by = actorOf(this.client.context, options);
    const isVisible = await this.#visibleTo("releases.cancel", options);
    return this.#report(await this.#withService((service) => service.cancel(id, by, isVisible)));
  }

  #report(release: Release): ReleaseReport {
    return withReleasePage(toReleaseReport(release), this.client.context.settings.releasesPage);
  }

  async #visibleTo(operation: string, options: CallOptions): Promise<IsVisible | undefined> {
    return (await this.client.releaseMiddleware()).visibleTo(operation, options);
  }

  /** Starts carrying out released requests of this client's environments. */
  async start({ release }: Pick<CallOptions, "release"> = {}): Promise<void> {
    this.#release ??= release;
    if (this.#isClosed || this.#environments().length === 0) return;
    const executor = await (this.#executor ??= this.#createExecutor());
    // Closed meanwhile: `close` has stopped it.
    executor.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#executor?.catch(() => undefined))?.stop();
    for (const close of this.#closers) await close();
  }

  #environments(): readonly string[] {
    const { context } = this.client;
    return [
      ...new Set(context.service.operations.flatMap((operation) => environmentOf(context, operation) ?? [])),
    ];
  }

  #operation(name: string): Declaration {
    const operation = this.client.context.service.operations.find((each) => each.name === name);
    if (!operation) throw new TypeError(`The service of this process has no operation ${name}.`);
    return operation;
  }

  #orderProcedure(): Callable {
    const { procedures = [], quoteProcedures = [] } = this.client.context.service;
    const found = [...procedures, ...quoteProcedures].find(({ name }) => name === orderName);
    if (!found) throw new TypeError(`The service of this process has no procedure ${orderName}.`);
    return found;
  }

  #quoteOperation(): QuoteOperation | undefined {
    const { operations } = this.client.context.service;
    return operations.some(({ name }) => name === bookName) ? findQuoteOperation(operations) : undefined;
  }

  /** Returns the operations with which orders are booked, or undefined if the service cannot quote. */
  #orderOperations(): OrderOperations | undefined {
    const quoteOperation = this.#quoteOperation();
    if (!quoteOperation) return undefined;
    const [bookOperation, getOperation] = [this.#operation(bookName), this.#operation("trades.get")];
    return { quoteOperation, bookOperation, getOperation };
  }

  async #createExecutor(): Promise<ReleaseExecutor> {
    const { client } = this;
    const { context } = client;
    const [journal, store] = [await openJournal(context.store), new StoreSession(context.store)];
    this.#closers.push(
      () => journal.close(),
      () => store.close(),
    );
    return new ReleaseExecutor({
      store,
      journal,
      environments: this.#environments(),
      operations: this.#orderOperations(),
      call: this.#call,
      sendReleased: (release) => this.#sendReleased(release),
      findOrderProblem: (sealed) => this.#findOrderProblem(sealed),
      authority: async (sealed) =>
        (await client.releaseMiddleware()).loadAuthority(sealed.operation, {
          ...sealed,
          release: this.#release ?? sealed.release,
        }),
      canReadPeople: async () => {
        const { policy, people } = context.settings;
        const hasKey = context.requester?.keyHash !== undefined;
        const isUnprotected = policy === undefined && people === undefined && !hasKey;
        return isUnprotected || (await loadReadablePeople(people).catch(() => undefined)) !== undefined;
      },
      recover: (entry) => client.recover(entry),
      onAlarm: emitAlarm,
    });
  }

  /** Prepares a released call again from its fields, and sends it if it equals the released request. */
  async #sendReleased({ id, sealed }: Call): Promise<unknown> {
    const { given, request } = sealed.terms;
    const operation = request
      ? recreateUndeclaredOperation(this.client.context.service, sealed.terms, request)
      : this.#operation(sealed.operation);
    return this.client.callReleased(operation, given, callOptionsFor(operation, sealed), id);
  }

  /**
   * Returns why a stored order is none that this client would request and send, or undefined. Rules, scopes and limits read these
   * facts from the row, so they must be those with which the order is booked.
   */
  #findOrderProblem({ operation, environment, client, terms, validUntil }: SealedOrder): string | undefined {
    const { context } = this.client;
    const facts = {
      operation: [operation, orderName],
      environment: [environment, environmentOf(context, this.#operation(bookName))],
      client: [client, client || (context.settings.clientId ?? "")],
    };
    const other = Object.entries(facts).find(([, [stored, own]]) => stored !== own);
    if (other) return `The ${other[0]} of the order is not that with which this process would book it.`;
    const { rate_seen: _, ...input } = terms;
    try {
      // The executor ends an order whose time is over, with the reason why it was not booked before.
      const valid_until = new Date(Math.max(validUntil, Date.now() + 60_000)).toISOString();
      assertValid(this.#orderProcedure(), { ...input, valid_until }, this.#quoteOperation()!);
      return undefined;
    } catch (error) {
      return `The order is not valid: ${(error as Error).message}`;
    }
  }

  async #sealOrder(
    input: OrderInput,
    quoteOperation: QuoteOperation,
    options: CallOptions,
  ): Promise<SealedOrder> {
    const { client } = this;
    const { context } = client;
    const requester = actorOf(context, options);
    const { clientId = "" } = settingsFor(context, options);
    const terms = await termsFor(input, quoteOperation, { call: this.#call, options });
    return {
      kind: "order",
      operation: orderName,
      environment: environmentOf(context, this.#operation(bookName))!,
      client: clientId,
      ...(requester !== undefined && { requester }),
      ...(options.contactId !== undefined && { contactId: options.contactId }),
      surface: options.surface ?? "client",
      requestedAt: Date.now(),
      validUntil: expiryOf(input.valid_until),
      ...(options.release && { release: options.release }),
      ...(context.settings.policy !== undefined && { underPolicy: true }),
      ...parseCorrelation(orderName, options.correlation),
      terms,
    };
  }

  /** Adds the rate and the warnings that people see before they decide. Throws an FxdeskError if the service refuses such a trade. */
  async #viewMarket(
    sealed: SealedOrder,
    quoteOperation: QuoteOperation,
    options: CallOptions,
  ): Promise<SealedOrder> {
    const { terms } = sealed;
    const { warnings, ...seen } = await viewMarket(terms, quoteOperation, { call: this.#call, options });
    return { ...sealed, ...(warnings && { warnings }), terms: { ...terms, ...seen } };
  }

  /** Runs `work` with the releases of the store, and converts its failures to FxdeskErrors. `key` is that of the order. */
  async #withService<T>(work: (service: ReleaseService) => Promise<T>, key?: string): Promise<T> {
    const middleware = await this.client.releaseMiddleware();
    try {
      return await work(middleware.service);
    } catch (error) {
      if (error instanceof ReleaseNotFound)
        throw createError("releases.get", "not_found", "not-sent", error.message);
      const warning =
        key === undefined ? "" : "An earlier order with this key may have been booked: keep the key. ";
      throw error instanceof FxdeskError ? error : middleware.toError(orderName, error as Error, warning);
    }
  }
}
