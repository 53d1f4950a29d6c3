/** Orders of one client: requests, lists, decides and cancels them, and books released ones in the background. */
import { invalidInputError } from "../call/call-errors";
import type { CallOptions } from "../call/call-options";
import { type ClientContext, environmentOf } from "../call/client-context";
import { actorOf, settingsFor } from "../call/prepare";
import { openJournal } from "../journal/journal";
import { localOrigin } from "../people/attempts";
import { PeopleRefusal } from "../people/authenticate";
import type { OrderCall } from "../orders/leased-order";
import { orderName, termsFor, validateOrder } from "../orders/order-input";
import { type OrderInput, parseCorrelation, type SealedOrder } from "../releases/terms";
import { findQuoteOperation } from "../orders/quote";
import type { QuoteOperation } from "../spec/quotes";
import { OrderWorker } from "../orders/worker";
import { type DecisionInput, type Release, ReleaseNotFound, ReleaseRefusal } from "../releases/release";
import { releaseRefusedError, requirementsOf } from "../releases/release-guard";
import { loadReadablePeople, type ReleaseMiddleware } from "../releases/release-middleware";
import type { ReleaseService } from "../releases/release-service";
import {
  type ReleaseListOptions,
  type ReleaseReport,
  type ReleaseReportList,
  toReleaseReport,
} from "../releases/report";
import { createError, FxdeskError } from "../spec/errors";
import type { Callable, Declaration } from "../spec/operation";
import { StoreSession } from "../store/session";

const bookName = "trades.book";
const decideName = "releases.decide";
const maxListed = 1_000;

/** What orders use of their client. */
interface OrderClient {
  readonly context: ClientContext;
  readonly callPreAuthorized: OrderCall;
  /** Searches for the outcome of a call. */
  recover(entry: string): Promise<unknown>;
  releaseMiddleware(): Promise<ReleaseMiddleware>;
}

const emitAlarm = (line: string): void =>
  process.emitWarning(line, { type: "FxdeskWarning", code: "FXDESK_ORDER_DEVIATES" });

export class Orders {
  #worker: Promise<OrderWorker | undefined> | undefined;
  #isClosed = false;
  readonly #closers: (() => Promise<void>)[] = [];

  constructor(private readonly client: OrderClient) {}

  /** Requests an order, which is booked in the background once released. Throws an FxdeskError. */
  async order(input: OrderInput, options: CallOptions): Promise<ReleaseReport> {
    const quoteOperation = this.#quoteOperation();
    if (!quoteOperation)
      throw releaseRefusedError(
        orderName,
        "The service has no quote operation. Add one with an extension (FXDESK_EXTENSIONS).",
      );
    const violations = validateOrder(input, quoteOperation);
    if (violations.length > 0) throw invalidInputError({ name: orderName } as Callable, violations);
    const middleware = await this.client.releaseMiddleware();
    const sealed = await this.#sealOrder(input, quoteOperation, options);
    const { policy } = await middleware.loadAuthority(orderName, sealed);
    const requirements = requirementsOf(policy, sealed);
    const given = { ...input, clientId: sealed.client };
    const release = await this.#withService((service) =>
      service.request({ sealed, given, key: options.key, requirements }, options.confirmRelease),
    );
    await this.start();
    return toReleaseReport(release);
  }

  async get(id: string): Promise<ReleaseReport> {
    const { release } = await this.#withService((service) => service.get(id));
    return toReleaseReport(release);
  }

  /** Lists the releases of this client's environment, of all requesters. */
  async list(filter: ReleaseListOptions): Promise<ReleaseReportList> {
    const { context } = this.client;
    const environments = new Set(
      context.service.operations.flatMap((operation) => environmentOf(context, operation) ?? []),
    );
    const { releases, isComplete } = await this.#withService((service) =>
      service.list({ ...filter, environments: [...environments], limit: maxListed }),
    );
    return { releases: releases.map(toReleaseReport), complete: isComplete };
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
    return toReleaseReport(await this.#withService(decide));
  }

  async cancel(id: string, options: CallOptions): Promise<ReleaseReport> {
    const by = actorOf(this.client.context, options);
    return toReleaseReport(await this.#withService((service) => service.cancel(id, by)));
  }

  /** Starts booking released orders of this client's environment, if the service can quote. */
  async start(): Promise<void> {
    if (this.#isClosed) return;
    const worker = await (this.#worker ??= this.#createWorker());
    worker?.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#worker?.catch(() => undefined))?.stop();
    for (const close of this.#closers) await close();
  }

  #operation(name: string): Declaration {
    return this.client.context.service.operations.find((each) => each.name === name)!;
  }

  #quoteOperation(): QuoteOperation | undefined {
    const { operations } = this.client.context.service;
    return operations.some(({ name }) => name === bookName) ? findQuoteOperation(operations) : undefined;
  }

  async #createWorker(): Promise<OrderWorker | undefined> {
    const { client } = this;
    const { context } = client;
    const quoteOperation = this.#quoteOperation();
    if (!quoteOperation) return undefined;
    const bookOperation = this.#operation(bookName);
    const environment = environmentOf(context, bookOperation);
    if (environment === undefined) return undefined;
    const [journal, store] = [await openJournal(context.store), new StoreSession(context.store)];
    this.#closers.push(
      () => journal.close(),
      () => store.close(),
    );
    return new OrderWorker({
      store,
      journal,
      environment,
      quoteOperation,
      bookOperation,
      getOperation: this.#operation("trades.get"),
      call: (...call) => client.callPreAuthorized(...call),
      authority: async (sealed) => (await client.releaseMiddleware()).loadAuthority(orderName, sealed),
      canReadPeople: async () => {
        const { policy, people } = context.settings;
        return policy === undefined || (await loadReadablePeople(people)) !== undefined;
      },
      recover: (entry) => client.recover(entry),
      onAlarm: emitAlarm,
    });
  }

  async #sealOrder(
    input: OrderInput,
    quoteOperation: QuoteOperation,
    options: CallOptions,
  ): Promise<SealedOrder> {
    const { client } = this;
    const { context } = client;
    const actor = actorOf(context, options);
    const { clientId = "" } = settingsFor(context, options);
    const terms = await termsFor(input, quoteOperation, {
      call: (...call) => client.callPreAuthorized(...call),
      options,
    });
    return {
      kind: "order",
      operation: orderName,
      environment: environmentOf(context, this.#operation(bookName))!,
      client: clientId,
      ...(actor !== undefined && { requester: actor }),
      ...(options.contactId !== undefined && { contactId: options.contactId }),
      surface: options.surface ?? "client",
      validUntil: Date.parse(input.valid_until),
      ...(options.release && { release: options.release }),
      ...(context.settings.policy !== undefined && { underPolicy: true }),
      ...parseCorrelation(orderName, options.correlation),
      terms,
    };
  }

  /** Runs `work` with the releases of the store, and converts its failures to FxdeskErrors. */
  async #withService<T>(work: (service: ReleaseService) => Promise<T>): Promise<T> {
    const middleware = await this.client.releaseMiddleware();
    try {
      return await work(middleware.service);
    } catch (error) {
      if (error instanceof ReleaseNotFound)
        throw createError("releases.get", "not_found", "not-sent", error.message);
      throw error instanceof FxdeskError ? error : middleware.toError(orderName, error as Error);
    }
  }
}
