/** What can be put in the way of calls: a status, a delay, a lost or broken response. */
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { type Declaration, errorDescription } from "@fxdesk/toolkit/operations";
import type { FastifyReply } from "fastify";
import type { Result } from "./result";
import { dialectOf } from "./dialects";
import { exampleResult } from "./example";
import { type HttpResponse, send } from "./http";
import { HttpError } from "./http-error";

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
  /** The documented status to respond with. */
  readonly status?: number | undefined;
  /** How much later the response comes. */
  readonly milliseconds?: number | undefined;
  /** Seconds that a throttled caller is asked to wait. */
  readonly retryAfter?: number | undefined;
}

/** How a call is played. */
export interface FaultEffect {
  /** What happens instead of the operation's work; without it the work is done. */
  readonly substitute?: (operation: Declaration) => Result;
  /** How the response leaves; without it as usual. */
  readonly sendResponse?: (
    reply: FastifyReply,
    response: HttpResponse,
  ) => FastifyReply | Promise<FastifyReply>;
}

/** The documented response with a status. Throws a Refusal where the status is an error. */
function documentedResult(operation: Declaration, { status }: Fault): Result {
  if (operation.responses[status!]) return exampleResult(operation, status!);
  const failure = operation.errors[status!]!;
  const message = errorDescription(failure);
  const retry = status === 429 ? { "retry-after": "0" } : {};
  const code = errorCodeOf(operation, status!, "forced");
  throw new HttpError(status!, code, message, "This status was asked for.", retry);
}

/** The code of a status, as the operation's server has it. */
const errorCodeOf = ({ server }: Declaration, status: number, fallback: string): string =>
  dialectOf(server).statusCodes[status] ?? fallback;

function rejectThrottled(operation: Declaration, { retryAfter }: Fault): Result {
  const code = errorCodeOf(operation, 429, "too_many_requests");
  const headers = { "retry-after": String(retryAfter) };
  throw new HttpError(429, code, "Too many requests.", `Wait ${retryAfter} s.`, headers);
}

/** Nobody receives it: it is what the log says of a call that was reset. */
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

/** Announces the whole body, sends half of it and hangs up. */
async function sendTruncated(
  reply: FastifyReply,
  { status, headers, body = "" }: HttpResponse,
): Promise<FastifyReply> {
  const fullBody = Buffer.from(body instanceof Readable ? await text(body) : body);
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

const noEffect: FaultEffect = {};

export const faultEffectOf = (fault: Fault | undefined): FaultEffect =>
  fault ? faultEffects[fault.kind](fault) : noEffect;

/** What waits, by operation, in the order in which it will be met. */
export type PendingFaults = Map<string, Fault[]>;

/** Faults that wait for calls of their operations. Each spoils one call. */
export class FaultQueue {
  #pending: PendingFaults = new Map();

  /** Takes the operations that can be spoiled. */
  constructor(readonly supportedOperations: readonly Declaration[]) {}

  get state(): PendingFaults {
    return this.#pending;
  }

  set state(state: PendingFaults) {
    this.#pending = state;
  }

  /** Throws a TypeError when there is no such operation, or it does not document the status. */
  add(name: string, fault: Fault, times: number): void {
    const operation = this.supportedOperations.find((each) => each.name === name);
    if (!operation) throw new TypeError(`There is no operation ${name}.`);
    const { kind, status = 0 } = fault;
    if (kind === "status" && !(status in operation.responses) && !(status in operation.errors))
      throw new TypeError(`${name} does not document status ${status}.`);
    const added = Array.from({ length: times }, () => fault);
    this.#pending.set(name, [...(this.#pending.get(name) ?? []), ...added]);
  }

  take({ name }: Declaration): Fault | undefined {
    return this.#pending.get(name)?.shift();
  }

  /** What still waits, in the order in which it will be met. */
  get pending(): { operation: string; fault: Fault }[] {
    return [...this.#pending].flatMap(([operation, faults]) => faults.map((fault) => ({ operation, fault })));
  }

  clear(): void {
    this.#pending.clear();
  }
}
