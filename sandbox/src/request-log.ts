/** Notes on the stage what was asked, and how it was answered. */
import type { FastifyRequest } from "fastify";
import { type Headers, said } from "./exchange";
import type { Fault } from "./faults";
import type { Refusal } from "./refusal";
import type { Stage } from "./stage";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Stands beside what is played: such requests do not move the clock and are not logged. */
    aside?: boolean;
    /** Changes nothing but what time has brought. */
    reads?: boolean;
  }
  interface FastifyRequest {
    /** In the log, from 1. */
    number: number;
  }
}

/** A request that matched no route has no configuration. */
export const isAside = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config?.aside ?? false;

/** What became of a request. */
interface Outcome {
  readonly response: { readonly status: number; readonly headers: Headers; readonly body: unknown };
  readonly refusal?: Refusal | undefined;
  readonly fault?: Fault | undefined;
}

export class RequestLog {
  readonly #noted = new WeakSet<FastifyRequest>();

  constructor(private readonly stage: Stage) {}

  /** Notes a request once: who knows more of it comes first. */
  note(request: FastifyRequest, { response, refusal, fault }: Outcome): void {
    if (isAside(request) || this.#noted.has(request)) return;
    this.#noted.add(request);
    const { method, url } = request;
    const { status } = response;
    const message = refusal ? [refusal.message, refusal.details].filter(Boolean).join(" ") : request.refusal;
    this.stage.record(
      {
        // One that cannot be routed, such as one whose path is too long, has not come through the hooks.
        number: request.number || this.stage.arrive(),
        time: this.stage.world.now.toISOString(),
        method,
        url,
        status,
        ...(message !== undefined && { refusal: message }),
        ...(fault && { fault: fault.kind }),
      },
      {
        request: said(request.headers, request.body),
        response: said(response.headers, response.body),
      },
    );
  }
}
