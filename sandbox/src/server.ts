/** The sandbox's HTTP server: one route for each operation, and the extensions. */
import type { Declaration, Service } from "@fxdesk/toolkit/operations";
import { setTimeout as wait } from "node:timers/promises";
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestAsyncHookHandler,
} from "fastify";
import type { DoorCodes } from "./dialect";
import { dialectOf, serverOfPath } from "./dialects";
import { answered } from "./domain-answers";
import { playOf } from "./faults";
import { extensionMark, header, type HttpResponse, type HttpRequest, send } from "./http";
import { openBankingServer } from "./open-banking/server";
import { respond, type Pipeline } from "./pipeline";
import { invalidStatus, Refusal } from "./refusal";
import { plainRefusal, refusalResponseFor } from "./refused";
import { isAside, RequestLog } from "./request-log";
import { type Misnamed, misnamed, routeOf } from "./routes";
import type { Stage } from "./stage";

/** Routes that response otherwise than an operation does: pages, forms, tokens. */
export type Extension = (app: FastifyInstance, stage: Stage, service: Service) => void;

/** What is served beyond the contract; each response carries a mark. */
export interface Extensions {
  readonly service: Service;
  readonly pages: readonly Extension[];
  /** Throws a Refusal when a request may not come in. */
  readonly guard?: (request: FastifyRequest) => void;
  /** Stands beside what is played: its requests do not move the clock and are not logged. */
  readonly aside?: true;
  /** How long the body of a request may be. */
  readonly bodyLimit?: number;
}

const largestBodyBytes = 5 * 1024 * 1024;
/** How long a request may take to arrive; then it is answered 408. */
const arrivalMs = 60_000;

export function buildServer(pipeline: Pipeline, extensions: readonly Extensions[]): FastifyInstance {
  const { service, stage } = pipeline;
  const app = fastify({
    exposeHeadRoutes: false,
    bodyLimit: largestBodyBytes,
    requestTimeout: arrivalMs,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 1_000 },
    frameworkErrors: (error, request, reply) => void refuse(request, reply, error),
  });
  const log = new RequestLog(stage);

  const refuserFor =
    (served: Service) => async (request: FastifyRequest, reply: FastifyReply, error?: Error) => {
      const { refusal, response } = refused(served, request, error);
      log.note(request, { response, refusal });
      await send(reply, response);
    };
  const refuse = refuserFor(service);

  app.decorateRequest("number", 0);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler((request, reply) => refuse(request, reply));
  app.setErrorHandler((error: Error, request, reply) => refuse(request, reply, error));
  app.addHook("onRequest", async (request) => {
    if (!isAside(request)) {
      request.number = stage.arrive();
      if (!request.routeOptions.config?.reads) stage.history.change();
      stage.world.clock.tick();
    }
    stage.world.catchUp();
  });
  app.addHook("onRequest", requestIdEcho(service));
  app.addHook("onRequest", pacing(stage));
  app.addHook("onSend", async (request, reply, body) => {
    reply.header("date", stage.world.now.toUTCString());
    log.note(request, { response: { status: reply.statusCode, headers: reply.getHeaders(), body } });
  });

  const serve = (scope: FastifyInstance, operation: Declaration, served: Pipeline) => {
    const { url, names } = routeOf(operation);
    scope.route({
      method: operation.method,
      url,
      config: { reads: operation.effect === "read" && operation.server !== openBankingServer },
      handler: async (request, reply) => {
        const fault = stage.faults.take(operation);
        const play = playOf(fault);
        const received = receivedRequest(request, names);
        const { response, refusal } = await respond(operation, received, served, play);
        log.note(request, { response, refusal, fault });
        return (play.deliver ?? send)(reply, response);
      },
    });
  };
  for (const operation of service.operations) serve(app, operation, pipeline);
  for (const { service: more, pages, guard, aside = false, bodyLimit = largestBodyBytes } of extensions)
    void app.register(async (scope) => {
      scope.setErrorHandler((error: Error, request, reply) => refuserFor(more)(request, reply, error));
      scope.addHook("onRoute", (route) => {
        route.config = { ...route.config, aside };
        route.bodyLimit ??= bodyLimit;
      });
      scope.addHook("onRequest", async (request) => guard?.(request));
      scope.addHook("onSend", async (_request, reply) => void reply.headers(extensionMark));
      for (const operation of more.operations) serve(scope, operation, { ...pipeline, service: more });
      for (const extend of pages) extend(scope, stage, service);
    });
  return app;
}

/** Lets requests in as many a second as the world allows, as late as it says. What stands aside is not paced. */
function pacing(stage: Stage): onRequestAsyncHookHandler {
  return async (request) => {
    if (isAside(request)) return;
    const { now, settings } = stage.world;
    const second = Math.floor(now.getTime() / 1_000);
    stage.pace = { second, count: (second === stage.pace.second ? stage.pace.count : 0) + 1 };
    if (stage.pace.count > settings.requestsPerSecond)
      throw new Refusal(
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

/** Responses repeat the identifier of their request. */
function requestIdEcho(service: Service): onRequestAsyncHookHandler {
  const { requestIdHeader: name } = service;
  const serverOf = serverOfPath(service);
  return async (request, reply) => {
    if (name === undefined) return;
    const id = dialectOf(serverOf(request.url)).requestId(header(request, name));
    if (id !== undefined) reply.header(name, id);
  };
}

/** What no operation responds: unknown paths, other methods, requests that cannot be read or may not come in. */
function refused(
  service: Service,
  request: FastifyRequest,
  error: Error | undefined,
): { readonly refusal: Refusal; readonly response: HttpResponse } {
  const path = request.url.split("?")[0]!;
  const { operations } = service;
  const sharing = operations.filter((operation) => routeOf(operation).pattern.test(path));
  const operation = sharing.find(({ method }) => method === request.method);
  const server = operation?.server ?? serverOfPath(service)(path);
  const { codes } = dialectOf(server);
  const near = operations.map((each) => misnamed(each, path)).find((each) => each !== undefined);
  const refusal = error ? unreadable(error, operation, codes) : unrouted(sharing, near, codes);
  const received = receivedRequest(request, []);
  const response = operation
    ? refusalResponseFor(operation, received, refusal, service)
    : plainRefusal(server, received, refusal, service);
  return { refusal, response };
}

function receivedRequest(request: FastifyRequest, names: readonly string[]): HttpRequest {
  const numbered = request.params as Record<string, string>;
  return {
    method: request.method,
    url: request.url,
    path: Object.fromEntries(names.map((name, index) => [name, numbered[index]])),
    query: request.query as HttpRequest["query"],
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  };
}

/** What the open-banking standard says of a value that is not there, by the parameter of the path. */
const codesOfMisnamed: Readonly<Record<string, string>> = {
  "payment-service": "PRODUCT_UNKNOWN",
  "payment-product": "PRODUCT_UNKNOWN",
};

function unreadable(
  thrown: Error & { statusCode?: number },
  operation: Declaration | undefined,
  codes: DoorCodes,
): Refusal {
  const error = answered(thrown) as typeof thrown;
  if (error instanceof Refusal) return error;
  if ((error.statusCode ?? 500) < 500)
    return new Refusal(
      operation ? invalidStatus(operation) : 400,
      codes.invalid,
      "The request cannot be read.",
      error.message,
    );
  return new Refusal(500, codes.internal, "The sandbox failed.", error.message);
}

function unrouted(sharing: readonly Declaration[], near: Misnamed | undefined, codes: DoorCodes): Refusal {
  if (sharing.length === 0 && near)
    return new Refusal(
      404,
      codesOfMisnamed[near.name] ?? codes.unknownPath,
      `There is no ${near.name} ${near.value}.`,
      `It is one of ${near.options.join(", ")}.`,
    );
  if (sharing.length === 0) return new Refusal(404, codes.unknownPath, "There is nothing at this path.");
  const allow = sharing.map(({ method }) => method).join(", ");
  return new Refusal(405, codes.wrongMethod, "This path does not take this method.", `Allowed: ${allow}.`, {
    allow,
  });
}
