/** Records requests and responses in the session. */
import type { FastifyRequest } from "fastify";
import { type Headers, toExchangeBody } from "../session/exchange";
import type { Fault } from "../session/fault-queue";
import type { HttpError } from "../http/http-error";
import type { SandboxSession } from "../session/sandbox-session";

declare module "fastify" {
  interface FastifyContextConfig {
    /** True for requests outside the simulated service. They are not logged and do not move the clock. */
    untracked?: boolean;
    /** True for requests that change only the time. */
    readOnly?: boolean;
  }
  interface FastifyRequest {
    /** Number in the log, starting at 1. */
    number: number;
    isRecorded: boolean;
  }
}

/** True for requests outside the simulated service. Unrouted requests have no configuration. */
export const isUntracked = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config?.untracked ?? false;

/** Outcome of a request. */
interface RequestOutcome {
  readonly response: { readonly status: number; readonly headers: Headers; readonly body: unknown };
  readonly httpError?: HttpError | undefined;
  readonly fault?: Fault | undefined;
}

/** Records a request once. The most informed caller comes first. */
export function recordRequest(
  session: SandboxSession,
  request: FastifyRequest,
  { response, httpError, fault }: RequestOutcome,
): void {
  if (isUntracked(request) || request.isRecorded) return;
  request.isRecorded = true;
  const { method, url, headers, body } = request;
  const refusal = httpError
    ? [httpError.message, httpError.details].filter(Boolean).join(" ")
    : request.loggedError;
  session.record(
    {
      // Requests that cannot be routed, for example because the path is too long, skip the hooks.
      number: request.number || session.countRequest(),
      time: session.world.now.toISOString(),
      method,
      url,
      status: response.status,
      ...(refusal !== undefined && { refusal }),
      ...(fault && { fault: fault.kind }),
    },
    {
      request: toExchangeBody(headers, body),
      response: toExchangeBody(response.headers, response.body),
    },
  );
}
