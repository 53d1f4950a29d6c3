/** The connections of one client. */
import { Client } from "undici";
import type { Deadline } from "./deadline";
import { TransportError } from "./error";
import { Exchange, type OutgoingRequest, type Reading, type Received } from "./exchange";
import { Dialler, type Line } from "./line";
import type { TlsOptions } from "./tls";

/** How a request is sent. */
export interface Sending extends Reading {
  /**
   * On a connection of its own, which the caller's signal cannot close once the request has left: an idle connection may
   * be closing at the other end, and then nobody knows whether the request was taken.
   */
  readonly alone: boolean;
}

/** Some runtimes put something else in the place of undici, and nobody can tell what left. */
export const isUndici = typeof Client.prototype.dispatch === "function";

/** Sends requests, each once, and keeps the connections of reads. */
export class Transport {
  readonly #diallers = new Map<string, Dialler>();
  readonly #idle = new Map<string, Line[]>();
  #closed = false;

  constructor(private readonly tls: TlsOptions | undefined) {
    if (!isUndici)
      throw new TypeError(
        "fxdesk needs Node.js: this runtime replaces undici, and nobody could tell which requests left.",
      );
  }

  /** Sends a request once. Throws a TransportError that says whether it left, or what the deadline ended it with. */
  async send(request: OutgoingRequest, deadline: Deadline, sending: Sending): Promise<Received> {
    const line =
      this.#idleLine(request.origin, sending) ?? (await this.#open(request.origin, deadline, sending));
    let exchange: Exchange | undefined;
    try {
      return await deadline.step<Received>((resolve, reject) => {
        exchange = new Exchange(request, line, sending, {
          resolve,
          reject,
          done: () => this.#keep(request.origin, line),
          leaving: () => sending.alone && deadline.heedCaller(false),
        });
        line.send(exchange);
        return (reason) => line.destroy(reason);
      });
    } catch (error) {
      line.destroy(error as Error);
      throw new TransportError(error as Error, line.sent, exchange?.status);
    }
  }

  /** Closes the connections that are idle; the others when their response is there. */
  close(): void {
    this.#closed = true;
    for (const lines of this.#idle.values()) for (const line of lines) line.destroy(new Error("Closed."));
    this.#idle.clear();
  }

  #idleLine(origin: string, { alone }: Sending): Line | undefined {
    const lines = alone ? undefined : this.#idle.get(origin);
    let line = lines?.pop();
    while (line && !line.isOpen) line = lines!.pop();
    return line;
  }

  async #open(origin: string, deadline: Deadline, { alone }: Sending): Promise<Line> {
    try {
      return await this.#dialler(origin).open(deadline, !alone);
    } catch (error) {
      throw new TransportError(error as Error, false);
    }
  }

  #dialler(origin: string): Dialler {
    let dialler = this.#diallers.get(origin);
    if (!dialler) this.#diallers.set(origin, (dialler = new Dialler(origin, this.tls)));
    return dialler;
  }

  /** The last one used is the first one taken: the others grow old and close. */
  #keep(origin: string, line: Line): void {
    if (!line.keep || this.#closed) return;
    const idle = this.#idle.get(origin);
    if (idle) idle.push(line);
    else this.#idle.set(origin, [line]);
  }
}
