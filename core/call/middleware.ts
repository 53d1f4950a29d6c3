/** The path of a call: middleware around the sender, in one ordered list. */
import type { Service } from "../spec/service";
import { Deadline } from "../http/deadline";
import type { SendGuard } from "../store/database";
import { toFxdeskError } from "./call-errors";
import { channels } from "./diagnostics-channels";
import type { PreparedCall } from "./prepared-call";
import { ReceivedFile } from "./received-file";
import type { ServiceResponse } from "./response";
import { inSpan } from "./spans";

/** A call on its way to the service. Middleware passes it on as it is, or a copy with more properties. */
export interface CallRequest {
  readonly call: PreparedCall;
  /** True for a call that belongs to a released order and needs no release of its own. */
  readonly isReleased: boolean;
  /** ID of the released request that this call carries out. */
  readonly release?: string | undefined;
  /** Checks a released call again, in the transaction in which the journal records it as sent. */
  readonly guard?: SendGuard | undefined;
  /** Awaited on an open connection, before the first byte of each attempt. If it rejects, nothing is written. */
  readonly beforeWrite?: (() => Promise<void>) | undefined;
  /** Limits of the call. Idle until `limitTime`: the wait for a person's release does not count. */
  readonly deadline: Deadline;
  readonly progress: SendProgress;
}

/** Authorization of a call that belongs to a released order. The guard is checked when the call is sent. */
export type PreAuthorization = Pick<CallRequest, "guard">;

/** What a request has to do with releases. */
type RequestRelease = Pick<CallRequest, "isReleased" | "guard" | "release">;

/** Progress of a call. Only the sender and the reader of its response write it; others read it to report the true outcome. */
export interface SendProgress {
  /** Number of requests attempted. */
  attempts: number;
  /** True if any byte of a request may have been written. */
  sent: boolean;
  /** Status of the response, also if its body is incomplete. */
  status: number | undefined;
  requestId: string | undefined;
}

/** Sends a request, or runs the rest of the middleware. Rejects with an FxdeskError. */
export type Handler = (request: CallRequest) => Promise<ServiceResponse>;

export type Middleware = (request: CallRequest, next: Handler) => Promise<ServiceResponse>;

/** Returns a request for a prepared call. */
export function createRequest(
  call: PreparedCall,
  { requestIdHeader }: Pick<Service, "requestIdHeader">,
  { isReleased, guard, release }: RequestRelease = { isReleased: false },
): CallRequest {
  const requestId = requestIdHeader && call.values[requestIdHeader];
  return {
    call,
    isReleased,
    guard,
    release,
    deadline: new Deadline(),
    progress: {
      attempts: 0,
      sent: false,
      status: undefined,
      requestId: typeof requestId === "string" ? requestId : undefined,
    },
  };
}

/** Middleware that publishes each call on the TracingChannel, and as a span. */
export const trace: Middleware = (request, next) => {
  const { name, effect } = request.call.operation;
  return inSpan(
    () => ({
      name,
      kind: "INTERNAL",
      attributes: { "fxdesk.operation": name, "fxdesk.effect": effect },
    }),
    () =>
      channels.call.hasSubscribers
        ? channels.call.tracePromise(() => next(request), { operation: name, effect })
        : next(request),
  );
};

/** Starts the limits of the call, and ends them with it. A file ends them once it is received. */
export const limitTime =
  ({ queueTimeoutMs }: { readonly queueTimeoutMs: number }): Middleware =>
  async (request, next) => {
    const { call, deadline, progress } = request;
    deadline.start(call.options.queueTimeoutMs ?? queueTimeoutMs, call.options.signal);
    try {
      const response = await next(request);
      if (!(response.body instanceof ReceivedFile)) deadline.release();
      return response;
    } catch (error) {
      deadline.release();
      throw toFxdeskError(call.operation, error, progress);
    }
  };

/** Returns the request with another check before its first byte, after those it has. */
export const withBeforeWrite = (request: CallRequest, check: () => Promise<void>): CallRequest => ({
  ...request,
  async beforeWrite() {
    await request.beforeWrite?.();
    await check();
  },
});

/** Composes the middleware, the first one outermost, around `send`. */
export const composeMiddleware = (middleware: readonly Middleware[], send: Handler): Handler =>
  middleware.reduceRight<Handler>((next, each) => (request) => each(request, next), send);
