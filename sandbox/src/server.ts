/** The sandbox's HTTP server: one route for each operation, and the extensions. */
import type { Declaration } from "@fxdesk/toolkit/operations";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { HttpAnswer, HttpRequest } from "./http";
import { echoRequestId } from "./open-banking";
import { answer, type Pipeline } from "./pipeline";
import { doorCodes, invalidStatus, plainRefusal, Refusal, refusalAnswer, serverOfPath } from "./refusal";
import { routeOf } from "./routes";
import type { World } from "./world/world";

/** One request as the sandbox saw it. */
export interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** Why it was refused, also where the contract gives the answer no body. */
  readonly refusal?: string;
}

/** Routes that answer otherwise than an operation does: pages, forms, tokens. */
export type Extension = (app: FastifyInstance, world: World) => void;

/** What is served beyond the contract; each answer carries the mark. */
export interface Extensions {
  readonly operations: readonly Declaration[];
  readonly pages: readonly Extension[];
  readonly mark: Readonly<Record<string, string>>;
}

const largestBodyBytes = 5 * 1024 * 1024;

export function buildServer(
  operations: readonly Declaration[],
  pipeline: Pipeline,
  extensions: Extensions,
  log: LoggedRequest[],
): FastifyInstance {
  const app = fastify({
    exposeHeadRoutes: false,
    bodyLimit: largestBodyBytes,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 1_000 },
    frameworkErrors: (error, request, reply) => void refuse(request, reply, error),
  });
  const refusals = new WeakMap<FastifyRequest, Refusal>();

  /** What no operation answers: unknown paths, other methods, requests that cannot be read. */
  async function refuse(request: FastifyRequest, reply: FastifyReply, error?: Error): Promise<void> {
    const path = request.url.split("?")[0]!;
    const server = serverOfPath(path);
    const sharing = operations.filter((operation) => routeOf(operation).pattern.test(path));
    const operation = sharing.find(({ method }) => method === request.method);
    const codes = doorCodes[server];
    const refusal = error ? unreadable(error, operation, codes) : unrouted(sharing, codes);
    refusals.set(request, refusal);
    const received = receivedRequest(request, []);
    await send(
      reply,
      operation ? refusalAnswer(operation, received, refusal) : plainRefusal(server, received, refusal),
    );
  }

  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler((request, reply) => refuse(request, reply));
  app.setErrorHandler((error: Error, request, reply) => refuse(request, reply, error));
  app.addHook("onRequest", async () => {
    pipeline.world.clock.tick();
    pipeline.world.catchUp();
  });
  app.addHook("onRequest", echoRequestId);
  app.addHook("onSend", async (request, { statusCode: status }) => {
    const refusal = refusals.get(request);
    const because = refusal && { refusal: [refusal.message, refusal.details].filter(Boolean).join(" ") };
    log.push({ method: request.method, url: request.url, status, ...because });
  });

  const serve = (scope: FastifyInstance, operation: Declaration) => {
    const { url, names } = routeOf(operation);
    scope.route({
      method: operation.method,
      url,
      handler: async (request, reply) => {
        const { answer: answered, refusal } = await answer(
          operation,
          receivedRequest(request, names),
          pipeline,
        );
        if (refusal) refusals.set(request, refusal);
        return send(reply, answered);
      },
    });
  };
  for (const operation of operations) serve(app, operation);
  void app.register(async (scope) => {
    scope.addHook("onSend", async (_request, reply) => void reply.headers(extensions.mark));
    for (const operation of extensions.operations) serve(scope, operation);
    for (const extend of extensions.pages) extend(scope, pipeline.world);
  });
  return app;
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

const send = (reply: FastifyReply, { status, headers, body }: HttpAnswer) =>
  reply.code(status).headers(headers).send(body);

type Codes = (typeof doorCodes)["service"];

function unreadable(
  error: Error & { statusCode?: number },
  operation: Declaration | undefined,
  codes: Codes,
): Refusal {
  if ((error.statusCode ?? 500) < 500)
    return new Refusal(
      operation ? invalidStatus(operation) : 400,
      codes.invalid,
      "The request cannot be read.",
      error.message,
    );
  return new Refusal(500, codes.internal, "The sandbox failed.", error.message);
}

function unrouted(sharing: readonly Declaration[], codes: Codes): Refusal {
  if (sharing.length === 0) return new Refusal(404, codes.unknownPath, "There is nothing at this path.");
  const allow = sharing.map(({ method }) => method).join(", ");
  return new Refusal(405, codes.wrongMethod, "This path does not take this method.", `Allowed: ${allow}.`, {
    allow,
  });
}
