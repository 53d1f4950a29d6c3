/** Defines createClient: one typed method per operation, procedure and watch, grouped by section. */
import { Lazy } from "../values/lazy";
import type { Callable, Declaration } from "../spec/operation";
import { isProcedure, type Procedure } from "../spec/procedure";
import type { Watch } from "../spec/watch";
import type { operations } from "../contract/all";
import type { procedures } from "../procedures/all";
import type { watches } from "../watches/all";
import type { SinceOptions, WatchOptions } from "../api/watch-options";
import { callablesOf, type Service } from "../spec/service";
import { fxdeskService } from "./fxdesk-service";
import { splitName } from "../spec/sections";
import { Pipeline } from "./pipeline";
import { createClientContext, type Settings } from "../call/client-context";
import type { CallOptions } from "../call/call-options";
import type { ClientOptions } from "../call/client-options";
import type { ExtendedService } from "./extensions";
import type { FxdeskClient } from "./fxdesk-client";
import { isPaged, joinPages, fetchPages } from "../call/pages";
import type { ServiceResponse } from "../call/response";
import { type RunClientFactory, runProcedure, validateProcedure } from "./run-procedure";
import { createUndeclaredOperation } from "./undeclared-operation";
import { ClientWatches } from "./client-watches";
import type { Values } from "../spec/fields";
import type { Client, ClientCore, KnownEntries, ClientOrders, Sections } from "../api/client-types";

function createMethod(core: ClientCore, declaration: Callable) {
  const hasSeveralResponses = Object.keys(declaration.responses).length > 1;
  const response = (input: Values = {}, options?: CallOptions) => core.call(declaration, input, options);
  const result = hasSeveralResponses
    ? ({ status, body }: ServiceResponse) => ({ status, body })
    : ({ body }: ServiceResponse) => body;
  const method = (input?: Values, options?: CallOptions) => response(input, options).then(result);
  if (!isPaged(declaration)) return Object.assign(method, { response });
  async function* pages(input: Values = {}, options?: CallOptions) {
    for await (const { body } of core.pages(declaration, input, options)) yield body;
  }
  async function* all(input?: Values, options?: CallOptions) {
    for await (const page of pages(input, options)) yield* page as unknown[];
  }
  async function whole(input: Values = {}, options?: CallOptions) {
    const responses: ServiceResponse[] = [];
    for await (const page of core.pages(declaration, input, options)) responses.push(page);
    return joinPages(declaration, responses).body;
  }
  return Object.assign(method, { response, pages, ...(declaration.pages ? { all } : { whole }) });
}

function createWatchMethod(core: ClientCore, watch: Watch) {
  const changes = (input: Values = {}, options?: WatchOptions) => core.changes(watch, input, options);
  const since = (input: Values = {}, options?: SinceOptions) => core.changesSince(watch, input, options);
  return Object.assign(changes, { since });
}

const publicSettings = (service: Service, settings: Settings): Record<string, string> =>
  Object.fromEntries(
    service.settings.flatMap(({ name, secret }) => {
      const value = settings[name];
      return secret || value === undefined ? [] : [[name, value] as const];
    }),
  );

async function* observePages(
  pages: AsyncGenerator<ServiceResponse, void, void>,
  onResponse: (response: ServiceResponse) => void,
): AsyncGenerator<ServiceResponse, void, void> {
  for await (const page of pages) {
    onResponse(page);
    yield page;
  }
}

function addSections(core: ClientCore, service: Service): ClientCore {
  const sections: Record<string, Record<string, unknown>> = {};
  for (const callable of callablesOf(service)) {
    const [section, method] = splitName(callable);
    (sections[section] ??= {})[method] = createMethod(core, callable);
  }
  for (const watch of service.watches ?? []) {
    const [section, method] = splitName(watch);
    (sections[section] ??= {})[method] = createWatchMethod(core, watch);
  }
  return { ...core, ...sections };
}

/**
 * Creates a client of the service. Throws a TypeError for an invalid option. Every failure of a call is an FxdeskError.
 *
 * @example
 * const client = createClient({ domain: "example.com", clientId: "…", credentials: { accessToken: "…" } });
 * for await (const trade of client.trades.list.all({ trade_type: ["forward"] })) console.log(trade.trade_id);
 */
export function createClient(options: ClientOptions): FxdeskClient;
export function createClient<const More extends readonly Declaration[]>(
  options: ClientOptions,
  service: Service<readonly [...typeof operations, ...More], typeof procedures, typeof watches>,
): FxdeskClient & Sections<More>;
export function createClient<
  const Ops extends readonly Declaration[],
  const Procedures extends readonly Procedure[] = readonly [],
  const Watches extends readonly Watch[] = readonly [],
>(
  options: ClientOptions,
  service: Service<Ops, Procedures, Watches>,
): Client<readonly [...Ops, ...KnownEntries<Procedures>, ...KnownEntries<Watches>]>;
export function createClient(options: ClientOptions, service: ExtendedService = fxdeskService): ClientCore {
  const interceptors = [...(service.interceptors ?? []), ...(options.interceptors ?? [])];
  const pipeline = new Pipeline(createClientContext(service, options), interceptors, () => startExecutor());
  /** Loaded with the first order or release. */
  const orders = new Lazy(async () => {
    const { Orders } = await import("./orders.js");
    return new Orders(pipeline);
  });
  /** Carries out released requests of this client while it is open. A failure of the store is reported by the calls. */
  const startExecutor = () => void core.orders.start().catch(() => undefined);
  let isClosed = false;
  const core: ClientCore = {
    service,
    settings: publicSettings(service, pipeline.context.settings),
    connections: pipeline.context.connections,
    prepare: (declaration, input, callOptions = {}) => pipeline.prepare(declaration, input, callOptions),
    call: (callable, input, callOptions = {}) =>
      isProcedure(callable)
        ? runProcedure(callable, input, callOptions, clientFor)
        : pipeline.call(callable as Declaration, input, callOptions),
    preview: async (procedure, input) => {
      const values = validateProcedure(procedure, input);
      await procedure.check?.(core as never, values as never);
      return values;
    },
    pages: (callable, input, callOptions = {}) =>
      fetchPages(callable as Declaration, input, pipeline, callOptions),
    request: async (request, callOptions = {}) =>
      pipeline.call(
        createUndeclaredOperation(service, request),
        { ...request.query, ...request.body },
        callOptions,
      ),
    recover: (entry) => pipeline.recover(entry),
    reconcileJournal: (period = {}) => pipeline.reconcileJournal(period),
    listCreatedResources: (declaration) => pipeline.listCreatedResources(declaration),
    listEarlierCalls: (operations, since, callOptions = {}) =>
      pipeline.listEarlierCalls(operations, since, callOptions),
    exclusively: (operation, work, callOptions = {}) => pipeline.exclusively(operation, work, callOptions),
    changes: (watch, input, watchOptions) => clientWatches.changes(watch, input, watchOptions),
    changesSince: (watch, input, watchOptions) => clientWatches.since(watch, input, watchOptions),
    readInitialChanges: (watch, input, watchOptions) =>
      clientWatches.readInitialChanges(watch, input, watchOptions),
    orders: {
      check: async (input) => void (await orders.get()).check(input),
      order: async (input, callOptions = {}) => (await orders.get()).order(input, callOptions),
      get: async (id, callOptions = {}) => (await orders.get()).get(id, callOptions),
      list: async (listOptions = {}, callOptions = {}) => (await orders.get()).list(listOptions, callOptions),
      findOutcomes: async (query = {}, callOptions = {}) =>
        (await orders.get()).findOutcomes(query, callOptions),
      estimateRate: async (query, callOptions = {}) => (await orders.get()).estimateRate(query, callOptions),
      decide: async (id, input, from) => (await orders.get()).decide(id, input, from),
      cancel: async (id, callOptions = {}) => (await orders.get()).cancel(id, callOptions),
      start: async (startOptions) => {
        if (!isClosed) await (await orders.get()).start(startOptions);
      },
    },
    close: async () => {
      isClosed = true;
      // Orders first: an order in progress still needs the pipeline.
      if (orders.started) await (await orders.started).close();
      // In parallel, so that both stop accepting work at the same moment.
      await Promise.all([clientWatches.close(), pipeline.close()]);
    },
  };
  const clientFor: RunClientFactory = (defaults, onResponse) => {
    const call: ClientCore["call"] = async (callable, input, callOptions) => {
      const response = await core.call(callable, input, { ...defaults, ...callOptions });
      onResponse(callable.name, response);
      return response;
    };
    const pages: ClientCore["pages"] = (declaration, input, callOptions) =>
      observePages(core.pages(declaration, input, { ...defaults, ...callOptions }), (page) =>
        onResponse(declaration.name, page),
      );
    const listEarlierCalls: ClientCore["listEarlierCalls"] = (operations, since, callOptions) =>
      core.listEarlierCalls(operations, since, { ...defaults, ...callOptions });
    const exclusively: ClientCore["exclusively"] = (operation, work, callOptions) =>
      core.exclusively(operation, work, { ...defaults, ...callOptions });
    const order: ClientOrders["order"] = (input, callOptions) =>
      core.orders.order(input, { ...defaults, ...callOptions });
    const get: ClientOrders["get"] = (id, callOptions) =>
      core.orders.get(id, { ...defaults, ...callOptions });
    const list: ClientOrders["list"] = (listOptions, callOptions) =>
      core.orders.list(listOptions, { ...defaults, ...callOptions });
    const findOutcomes: ClientOrders["findOutcomes"] = (query, callOptions) =>
      core.orders.findOutcomes(query, { ...defaults, ...callOptions });
    const estimateRate: ClientOrders["estimateRate"] = (query, callOptions) =>
      core.orders.estimateRate(query, { ...defaults, ...callOptions });
    const cancel: ClientOrders["cancel"] = (id, callOptions) =>
      core.orders.cancel(id, { ...defaults, ...callOptions });
    return addSections(
      {
        ...core,
        call,
        pages,
        listEarlierCalls,
        exclusively,
        orders: { ...core.orders, order, get, list, findOutcomes, estimateRate, cancel },
      },
      service,
    );
  };
  const clientWatches = new ClientWatches(pipeline.context, clientFor);
  return addSections(core, service);
}
