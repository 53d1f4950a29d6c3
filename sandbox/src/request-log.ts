/** Records requests and responses in the session. */
import type { FastifyRequest } from "fastify";
import { type Headers, toExchangeBody } from "./exchange";
import type { Fault } from "./fault-queue";
import type { HttpError } from "./http-error";
import type { SandboxSession } from "./sandbox-session";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Stands beside what is played: such requests do not move the clock and are not logged. */
    untracked?: boolean;
    /** Changes nothing but what time has brought. */
    readOnly?: boolean;
  }
  interface FastifyRequest {
    /** In the log, from 1. */
    number: number;
  }
}

/** A request that matched no route has no configuration. */
export const isUntracked = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config?.untracked ?? false;

/** What became of a request. */
interface RequestOutcome {
  readonly response: { readonly status: number; readonly headers: Headers; readonly body: unknown };
  readonly httpError?: HttpError | undefined;
  readonly fault?: Fault | undefined;
}

export class RequestLog {
  readonly #recorded = new WeakSet<FastifyRequest>();

  constructor(private readonly session: SandboxSession) {}

  /** Notes a request once: who knows more of it comes first. */
  record(request: FastifyRequest, { response, httpError, fault }: RequestOutcome): void {
    if (isUntracked(request) || this.#recorded.has(request)) return;
    this.#recorded.add(request);
    const { method, url } = request;
    const { status } = response;
    const message = httpError
      ? [httpError.message, httpError.details].filter(Boolean).join(" ")
      : request.loggedError;
    this.session.record(
      {
        // One that cannot be routed, such as one whose path is too long, has not come through the hooks.
        number: request.number || this.session.countRequest(),
        time: this.session.world.now.toISOString(),
        method,
        url,
        status,
        ...(message !== undefined && { refusal: message }),
        ...(fault && { fault: fault.kind }),
      },
      {
        request: toExchangeBody(request.headers, request.body),
        response: toExchangeBody(response.headers, response.body),
      },
    );
  }
}
