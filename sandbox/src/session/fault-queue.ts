/** Faults to inject into calls: a status, a delay, or a lost or broken response. */
import { setTimeout as wait } from "node:timers/promises";
import { type Declaration, errorDescription } from "@fxdesk/toolkit/operations";
import type { FastifyReply } from "fastify";
import type { Result } from "../calls/behaviour";
import { dialectOf } from "../calls/dialects";
import { exampleResult } from "../calls/responses";
import { type HttpResponse, send } from "../http/http";
import { HttpError } from "../http/http-error";

export const faultKinds = [
  "status",
  "latency",
  "reset-before",
  "reset-after",
  "cut-off",
  "throttle",
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** Documented status of the response. */
  readonly status?: number | undefined;
  /** Delay of the response. */
  readonly milliseconds?: number | undefined;
  /** Value of the Retry-After header, in seconds. */
  readonly retryAfter?: number | undefined;
}

/** Effect of a fault on a call. */
export interface FaultEffect {
  /** Replaces the operation. If undefined, the operation runs normally. */
  readonly substitute?: (operation: Declaration) => Result;
  /** Sends the response. If undefined, the response is sent normally. */
  readonly sendResponse?: (
    reply: FastifyReply,
    response: HttpResponse,
  ) => FastifyReply | Promise<FastifyReply>;
}

/** Returns an example of the documented response. Throws an HttpError if the status is an error. */
function documentedResult(operation: Declaration, { status }: Fault): Result {
  if (operation.responses[status!]) return exampleResult(operation, status!);
  const failure = operation.errors[status!]!;
  const message = errorDescription(failure);
  const retry = status === 429 ? { "retry-after": "0" } : {};
  const code = errorCodeOf(operation, status!, "forced");
  throw new HttpError(status!, code, message, "A fault forced this status.", retry);
}

const errorCodeOf = ({ server }: Declaration, status: number, fallback: string): string =>
  dialectOf(server).statusCodes[status] ?? fallback;

function rejectThrottled(operation: Declaration, { retryAfter }: Fault): Result {
  const code = errorCodeOf(operation, 429, "too_many_requests");
  const headers = { "retry-after": String(retryAfter) };
  throw new HttpError(429, code, "Too many requests.", `Wait ${retryAfter} s.`, headers);
}

/** The client never receives this error; it appears in the request log. */
function rejectReset(): Result {
  throw new HttpError(503, "", "The connection was reset before anything was done.");
}

function resetConnection(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.request.raw.socket.resetAndDestroy();
  return reply;
}

async function sendLate(
  reply: FastifyReply,
  response: HttpResponse,
  { milliseconds }: Fault,
): Promise<FastifyReply> {
  await wait(milliseconds, undefined, { ref: false });
  return send(reply, response);
}

/** Announces the whole body, sends half of it and closes the connection. */
function sendTruncated(reply: FastifyReply, { status, headers, body = "" }: HttpResponse): FastifyReply {
  const fullBody = Buffer.from(body);
  reply.hijack();
  reply.raw.writeHead(status, {
    ...(reply.getHeaders() as Record<string, string>),
    ...headers,
    "content-length": fullBody.length,
  });
  reply.raw.write(fullBody.subarray(0, fullBody.length >> 1), () => reply.raw.destroy());
  return reply;
}

const faultEffects: Readonly<Record<FaultKind, (fault: Fault) => FaultEffect>> = {
  status: (fault) => ({ substitute: (operation) => documentedResult(operation, fault) }),
  throttle: (fault) => ({ substitute: (operation) => rejectThrottled(operation, fault) }),
  latency: (fault) => ({ sendResponse: (reply, response) => sendLate(reply, response, fault) }),
  "reset-before": () => ({ substitute: rejectReset, sendResponse: resetConnection }),
  "reset-after": () => ({ sendResponse: resetConnection }),
  "cut-off": () => ({ sendResponse: sendTruncated }),
};

export const faultEffectOf = (fault: Fault | undefined): FaultEffect =>
  fault ? faultEffects[fault.kind](fault) : {};

/** Pending faults by operation, in the order of the calls they apply to. */
export type PendingFaults = Map<string, Fault[]>;

/** Queue of pending faults. Each fault applies to one call. */
export class FaultQueue {
  state: PendingFaults = new Map();

  constructor(readonly supportedOperations: readonly Declaration[]) {}

  /**
   * Adds a fault for the next calls. Throws a TypeError if the operation is unknown or does not document the status.
   */
  add(name: string, fault: Fault, times: number): void {
    const operation = this.supportedOperations.find((each) => each.name === name);
    if (!operation) throw new TypeError(`There is no operation ${name}.`);
    const { kind, status = 0 } = fault;
    if (kind === "status" && !(status in operation.responses) && !(status in operation.errors))
      throw new TypeError(`${name} does not document status ${status}.`);
    const added = Array.from({ length: times }, () => fault);
    this.state.set(name, [...(this.state.get(name) ?? []), ...added]);
  }

  take({ name }: Declaration): Fault | undefined {
    return this.state.get(name)?.shift();
  }

  /** Pending faults, in the order of the calls they apply to. */
  get pending(): { operation: string; fault: Fault }[] {
    return [...this.state].flatMap(([operation, faults]) => faults.map((fault) => ({ operation, fault })));
  }

  clear(): void {
    this.state.clear();
  }
}
