/** createClient: one typed method for each operation, grouped by section. */
import { z } from "zod";
import { InvalidInput } from "../errors";
import { json, operation } from "../declaration/declare";
import type { Declaration } from "../declaration/operation";
import type { operations } from "../contract/all";
import { contract } from "../contract/contract";
import type { Service } from "../declaration/service";
import { splitName } from "../declaration/sections";
import { Caller } from "./call";
import { connect, type Settings } from "./connection";
import type { CallOptions } from "./call-options";
import type { ClientOptions } from "./options";
import type { ExtendedService } from "./extensions";
import type { FxdeskClient } from "./fxdesk-client";
import { comesInPages, joined, pagesOf } from "./pages";
import type { ServiceResponse } from "./response";
import type { Values } from "../declaration/fields";
import type { Client, ClientCore, Sections, UndeclaredRequest } from "./methods";

const anyJson = json(z.unknown(), "Any response.");
const successes = Object.fromEntries([200, 201, 202, 203].map((status) => [status, anyJson]));

const looseShape = (values: object = {}) =>
  Object.fromEntries(Object.keys(values).map((key) => [key, z.unknown().optional()]));

/** Throws InvalidInput when the path is none, or a field stands in query and body. */
function undeclared(service: Service, request: UndeclaredRequest): Declaration {
  try {
    return declared(service, request);
  } catch (error) {
    const message = (error as Error).message;
    throw new InvalidInput(message, {
      operation: undeclaredName,
      code: "invalid_input",
      outcome: "not-sent",
      violations: [{ field: "path", message }],
    });
  }
}

const undeclaredName = "client.request";

function declared({ servers, credentials }: Service, request: UndeclaredRequest): Declaration {
  const { method, path, server = Object.keys(servers)[0]!, query, body, effect } = request;
  return operation({
    name: undeclaredName,
    tool: "request",
    title: "Request",
    summary: `${method} ${path}`,
    effect: effect ?? (method === "GET" ? "read" : "change"),
    method,
    path,
    server,
    credentials: Object.keys(credentials).map((name) => `${name}?`),
    query: looseShape(query),
    ...(body && { body: z.object(looseShape(body)) }),
    responses: { ...successes, 204: { kind: "empty", description: "Done." } },
    errors: {},
    contract: "",
  });
}

function methodFor(core: ClientCore, declaration: Declaration) {
  const several = Object.keys(declaration.responses).length > 1;
  const response = (input: Values = {}, options?: CallOptions) => core.call(declaration, input, options);
  const result = several
    ? ({ status, body }: ServiceResponse) => ({ status, body })
    : ({ body }: ServiceResponse) => body;
  const method = (input?: Values, options?: CallOptions) => response(input, options).then(result);
  if (!comesInPages(declaration)) return Object.assign(method, { response });
  async function* pages(input: Values = {}, options?: CallOptions) {
    for await (const { body } of core.pages(declaration, input, options)) yield body;
  }
  async function* all(input?: Values, options?: CallOptions) {
    for await (const page of pages(input, options)) yield* page as unknown[];
  }
  async function whole(input: Values = {}, options?: CallOptions) {
    const responses: ServiceResponse[] = [];
    for await (const page of core.pages(declaration, input, options)) responses.push(page);
    return joined(declaration, responses).body;
  }
  return Object.assign(method, { response, pages, ...(declaration.pages ? { all } : { whole }) });
}

const openSettings = (service: Service, settings: Settings): Record<string, string> =>
  Object.fromEntries(
    service.settings.flatMap(({ name, secret }) => {
      const value = settings[name];
      return secret || value === undefined ? [] : [[name, value] as const];
    }),
  );

/**
 * A client of the service. Throws a TypeError when an option does not fit; every failure of a call is an FxdeskError.
 *
 * @example
 * const client = createClient({ domain: "example.com", clientId: "…", credentials: { accessToken: "…" } });
 * for await (const trade of client.trades.list.all({ trade_type: ["forward"] })) console.log(trade.trade_id);
 */
export function createClient(options: ClientOptions): FxdeskClient;
export function createClient<const More extends readonly Declaration[]>(
  options: ClientOptions,
  service: Service<readonly [...typeof operations, ...More]>,
): FxdeskClient & Sections<More>;
export function createClient<const Ops extends readonly Declaration[]>(
  options: ClientOptions,
  service: Service<Ops>,
): Client<Ops>;
export function createClient(options: ClientOptions, service: ExtendedService = contract): ClientCore {
  const links = [...(service.interceptors ?? []), ...(options.interceptors ?? [])];
  const caller = new Caller(connect(service, options), links);
  const core: ClientCore = {
    service,
    settings: openSettings(service, caller.connection.settings),
    prepare: (declaration, input, callOptions = {}) => caller.prepare(declaration, input, callOptions),
    call: (declaration, input, callOptions = {}) => caller.call(declaration, input, callOptions),
    pages: (declaration, input, callOptions = {}) => pagesOf(declaration, input, caller, callOptions),
    request: async (request, callOptions = {}) =>
      caller.call(undeclared(service, request), { ...request.query, ...request.body }, callOptions),
    close: () => caller.close(),
  };
  const sections: Record<string, Record<string, unknown>> = {};
  for (const declaration of service.operations) {
    const [section, method] = splitName(declaration);
    (sections[section] ??= {})[method] = methodFor(core, declaration);
  }
  return { ...core, ...sections };
}
