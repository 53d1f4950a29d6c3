/** HTTP server of the sandbox: one route per operation, plus the extensions. */
import type { Declaration, Service } from "@fxdesk/toolkit/operations";
import { setTimeout as wait } from "node:timers/promises";
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestAsyncHookHandler,
} from "fastify";
import {
  type ErrorCodes,
  dialectOf,
  serverOfPath,
  toErrorResponse,
  openBankingServer,
} from "../calls/dialects";
import { toHttpError, invalidRequestStatus, HttpError } from "../http/http-error";
import { faultEffectOf } from "../session/fault-queue";
import { extensionHeader, header, type HttpResponse, type HttpRequest, send } from "../http/http";
import { respond, type Pipeline } from "./pipeline";
import { isUntracked, recordRequest } from "./request-log";
import { type InvalidPathValue, findInvalidPathValue, routeOf } from "./routes";
import type { SandboxSession } from "../session/sandbox-session";

/** Registers routes that are not operations: pages, forms, tokens. */
export type RoutePlugin = (app: FastifyInstance, session: SandboxSession, service: Service) => void;

/** Operations and routes beyond the contract. Their responses carry the extension header. */
export interface ExtensionSet {
  readonly service: Service;
  readonly plugins: readonly RoutePlugin[];
  /** Throws an HttpError to refuse a request. */
  readonly guard?: (request: FastifyRequest) => void;
  /** True for requests outside the simulated service. They are not logged and do not move the clock. */
  readonly untracked?: true;
  /** Size limit of a request body, in bytes. */
  readonly bodyLimit?: number;
}

const maxBodyBytes = 5 * 1024 * 1024;
/** Time limit for receiving a request; then the response is 408. */
const requestTimeoutMs = 60_000;

/** Keeps fastify from loading its schema compilers, which takes long. The declarations validate requests instead. */
const noCompiler = () => () => {
  throw new Error("Routes have no schema.");
};

export function buildServer(pipeline: Pipeline, extensions: readonly ExtensionSet[]): FastifyInstance {
  const { service, session } = pipeline;

  const errorHandlerFor =
    (served: Service) => async (request: FastifyRequest, reply: FastifyReply, error?: Error) => {
      const { httpError, response } = resolveError(served, request, error);
      recordRequest(session, request, { response, httpError });
      await send(reply, response);
    };
  const handleError = errorHandlerFor(service);

  const app = fastify({
    exposeHeadRoutes: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    forceCloseConnections: true,
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    routerOptions: { maxParamLength: 1_000 },
    frameworkErrors: (error, request, reply) => void handleError(request, reply, error),
  });
  app.decorateRequest("number", 0);
  app.decorateRequest("isRecorded", false);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler((request, reply) => handleError(request, reply));
  app.setErrorHandler((error: Error, request, reply) => handleError(request, reply, error));
  app.addHook("onRequest", async (request) => {
    if (!isUntracked(request)) {
      request.number = session.countRequest();
      if (!request.routeOptions.config?.readOnly) session.undoHistory.markChanged();
      session.world.clock.tick();
    }
    session.world.runDueEvents();
  });
  app.addHook("onRequest", requestIdHook(service));
  app.addHook("onRequest", rateLimitHook(session));
  app.addHook("onSend", async (request, reply, body) => {
    reply.header("date", session.world.now.toUTCString());
    recordRequest(session, request, {
      response: { status: reply.statusCode, headers: reply.getHeaders(), body },
    });
  });

  const registerOperation = (scope: FastifyInstance, operation: Declaration, served: Pipeline) => {
    const { url, names } = routeOf(operation);
    scope.route({
      method: operation.method,
      url,
      config: { readOnly: operation.effect === "read" && operation.server !== openBankingServer },
      handler: async (request, reply) => {
        const fault = session.faults.take(operation);
        const faultEffect = faultEffectOf(fault);
        const received = toHttpRequest(request, names);
        const { response, httpError } = await respond(operation, received, served, faultEffect);
        recordRequest(session, request, { response, httpError, fault });
        return (faultEffect.sendResponse ?? send)(reply, response);
      },
    });
  };
  for (const operation of service.operations) registerOperation(app, operation, pipeline);
  for (const {
    service: extensionService,
    plugins,
    guard,
    untracked = false,
    bodyLimit = maxBodyBytes,
  } of extensions)
    void app.register(async (scope) => {
      scope.setErrorHandler((error: Error, request, reply) =>
        errorHandlerFor(extensionService)(request, reply, error),
      );
      scope.addHook("onRoute", (route) => {
        route.config = { ...route.config, untracked };
        route.bodyLimit ??= bodyLimit;
      });
      scope.addHook("onRequest", async (request) => guard?.(request));
      scope.addHook("onSend", async (_request, reply) => void reply.headers(extensionHeader));
      for (const operation of extensionService.operations)
        registerOperation(scope, operation, { ...pipeline, service: extensionService });
      for (const registerRoutes of plugins) registerRoutes(scope, session, service);
    });
  return app;
}

/** Applies the world's rate limit and latency. Untracked requests are exempt. */
function rateLimitHook(session: SandboxSession): onRequestAsyncHookHandler {
  return async (request) => {
    if (isUntracked(request)) return;
    const { now, settings } = session.world;
    const second = Math.floor(now.getTime() / 1_000);
    session.pace = { second, count: (second === session.pace.second ? session.pace.count : 0) + 1 };
    if (session.pace.count > settings.requestsPerSecond)
      throw new HttpError(
        429,
        "too_many_requests",
        "Too many requests.",
        `At most ${settings.requestsPerSecond} a second.`,
        {
          "retry-after": "1",
        },
      );
    if (settings.latencyMs > 0) await wait(settings.latencyMs, undefined, { ref: false });
  };
}

/** Echoes the request ID in the response. */
function requestIdHook(service: Service): onRequestAsyncHookHandler {
  const { requestIdHeader: name } = service;
  const serverOf = serverOfPath(service);
  return async (request, reply) => {
    if (name === undefined) return;
    const id = dialectOf(serverOf(request.url)).requestId(header(request, name));
    if (id !== undefined) reply.header(name, id);
  };
}

/** Responds to requests that reach no operation: unknown paths, wrong methods, unreadable or refused requests. */
function resolveError(
  service: Service,
  request: FastifyRequest,
  error: Error | undefined,
): { readonly httpError: HttpError; readonly response: HttpResponse } {
  const path = request.url.split("?")[0]!;
  const { operations } = service;
  const matchingOperations = operations.filter((operation) => routeOf(operation).pattern.test(path));
  const operation = matchingOperations.find(({ method }) => method === request.method);
  const server = operation?.server ?? serverOfPath(service)(path);
  const dialect = dialectOf(server);
  const { codes } = dialect;
  const invalidValue = operations
    .map((each) => findInvalidPathValue(each, path))
    .find((each) => each !== undefined);
  const httpError = error
    ? toRequestError(error, operation, codes)
    : toRoutingError(matchingOperations, invalidValue, codes);
  const received = toHttpRequest(request, []);
  const response = operation
    ? toErrorResponse(operation, received, httpError, service)
    : dialect.toErrorResponse(httpError, received, service);
  return { httpError, response };
}

function toHttpRequest(request: FastifyRequest, names: readonly string[]): HttpRequest {
  const parameters = request.params as Record<string, string>;
  return {
    method: request.method,
    url: request.url,
    path: Object.fromEntries(names.map((name, index) => [name, parameters[index]])),
    query: request.query as HttpRequest["query"],
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  };
}

/** Codes of the open-banking standard for invalid path parameters. */
const codesByPathParameter: Readonly<Record<string, string>> = {
  "payment-service": "PRODUCT_UNKNOWN",
  "payment-product": "PRODUCT_UNKNOWN",
};

function toRequestError(
  thrown: Error & { statusCode?: number },
  operation: Declaration | undefined,
  codes: ErrorCodes,
): HttpError {
  const error = toHttpError(thrown) as typeof thrown;
  if (error instanceof HttpError) return error;
  if ((error.statusCode ?? 500) < 500)
    return new HttpError(
      operation ? invalidRequestStatus(operation) : 400,
      codes.invalid,
      "The request cannot be read.",
      error.message,
    );
  return new HttpError(500, codes.internal, "The sandbox failed.", error.message);
}

function toRoutingError(
  matchingOperations: readonly Declaration[],
  invalidValue: InvalidPathValue | undefined,
  codes: ErrorCodes,
): HttpError {
  if (matchingOperations.length === 0 && invalidValue)
    return new HttpError(
      404,
      codesByPathParameter[invalidValue.name] ?? codes.unknownPath,
      `The ${invalidValue.name} ${invalidValue.value} is unknown.`,
      `It must be one of ${invalidValue.options.join(", ")}.`,
    );
  if (matchingOperations.length === 0) return new HttpError(404, codes.unknownPath, "The path is unknown.");
  const allow = matchingOperations.map(({ method }) => method).join(", ");
  return new HttpError(
    405,
    codes.wrongMethod,
    "The path does not support this method.",
    `Allowed: ${allow}.`,
    {
      allow,
    },
  );
}
