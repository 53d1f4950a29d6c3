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
import { Refusal } from "./refusal";

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
export interface Play {
  /** What happens instead of the operation's work; without it the work is done. */
  readonly instead?: (operation: Declaration) => Result;
  /** How the response leaves; without it as usual. */
  readonly deliver?: (reply: FastifyReply, response: HttpResponse) => FastifyReply | Promise<FastifyReply>;
}

/** The documented response with a status. Throws a Refusal where the status is an error. */
function documented(operation: Declaration, { status }: Fault): Result {
  if (operation.responses[status!]) return exampleResult(operation, status!);
  const failure = operation.errors[status!]!;
  const message = errorDescription(failure);
  const retry = status === 429 ? { "retry-after": "0" } : {};
  const code = codeOf(operation, status!, "forced");
  throw new Refusal(status!, code, message, "This status was asked for.", retry);
}

/** The code of a status, as the operation's server has it. */
const codeOf = ({ server }: Declaration, status: number, otherwise: string): string =>
  dialectOf(server).statusCodes[status] ?? otherwise;

function throttled(operation: Declaration, { retryAfter }: Fault): Result {
  const code = codeOf(operation, 429, "too_many_requests");
  const headers = { "retry-after": String(retryAfter) };
  throw new Refusal(429, code, "Too many requests.", `Wait ${retryAfter} s.`, headers);
}

/** Nobody receives it: it is what the log says of a call that was reset. */
function untouched(): Result {
  throw new Refusal(503, "", "The connection was reset before anything was done.");
}

function reset(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.request.raw.socket.resetAndDestroy();
  return reply;
}

async function late(
  reply: FastifyReply,
  response: HttpResponse,
  { milliseconds }: Fault,
): Promise<FastifyReply> {
  await wait(milliseconds, undefined, { ref: false });
  return send(reply, response);
}

/** Announces the whole body, sends half of it and hangs up. */
async function cutOff(
  reply: FastifyReply,
  { status, headers, body = "" }: HttpResponse,
): Promise<FastifyReply> {
  const whole = Buffer.from(body instanceof Readable ? await text(body) : body);
  reply.hijack();
  reply.raw.writeHead(status, {
    ...(reply.getHeaders() as Record<string, string>),
    ...headers,
    "content-length": whole.length,
  });
  reply.raw.write(whole.subarray(0, whole.length >> 1), () => reply.raw.destroy());
  return reply;
}

const plays: Readonly<Record<FaultKind, (fault: Fault) => Play>> = {
  status: (fault) => ({ instead: (operation) => documented(operation, fault) }),
  throttle: (fault) => ({ instead: (operation) => throttled(operation, fault) }),
  latency: (fault) => ({ deliver: (reply, response) => late(reply, response, fault) }),
  "reset-before": () => ({ instead: untouched, deliver: reset }),
  "reset-after": () => ({ deliver: reset }),
  "cut-off": () => ({ deliver: cutOff }),
};

const asUsual: Play = {};

export const playOf = (fault: Fault | undefined): Play => (fault ? plays[fault.kind](fault) : asUsual);

/** What waits, by operation, in the order in which it will be met. */
export type FaultsState = Map<string, Fault[]>;

/** Faults that wait for calls of their operations. Each spoils one call. */
export class Faults {
  #waiting: FaultsState = new Map();

  /** Takes the operations that can be spoiled. */
  constructor(readonly operations: readonly Declaration[]) {}

  get state(): FaultsState {
    return this.#waiting;
  }

  set state(state: FaultsState) {
    this.#waiting = state;
  }

  /** Throws a TypeError when there is no such operation, or it does not document the status. */
  add(name: string, fault: Fault, times: number): void {
    const operation = this.operations.find((each) => each.name === name);
    if (!operation) throw new TypeError(`There is no operation ${name}.`);
    const { kind, status = 0 } = fault;
    if (kind === "status" && !(status in operation.responses) && !(status in operation.errors))
      throw new TypeError(`${name} does not document status ${status}.`);
    const more = Array.from({ length: times }, () => fault);
    this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), ...more]);
  }

  take({ name }: Declaration): Fault | undefined {
    return this.#waiting.get(name)?.shift();
  }

  /** What still waits, in the order in which it will be met. */
  get waiting(): { operation: string; fault: Fault }[] {
    return [...this.#waiting].flatMap(([operation, faults]) => faults.map((fault) => ({ operation, fault })));
  }

  clear(): void {
    this.#waiting.clear();
  }
}
