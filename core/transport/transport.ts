/** The connections of one client. */
import { Client } from "undici";
import type { Deadline } from "./deadline";
import { TransportError } from "./error";
import { Exchange, type OutgoingRequest, type ReadOptions, type RawResponse } from "./exchange";
import { Connector, type HttpConnection } from "./http-connection";
import type { TlsOptions } from "./tls";

/** How a request is sent. */
export interface SendOptions extends ReadOptions {
  /**
   * On a connection of its own, which the caller's signal cannot close once the request has left: an idle connection may
   * be closing at the other end, and then nobody knows whether the request was taken.
   */
  readonly alone: boolean;
  /** Waited for once there is a connection; where it throws, the request does not leave. */
  readonly beforeHead?: (() => Promise<void>) | undefined;
}

/** Some runtimes put something else in the place of undici, and nobody can tell what left. */
export const isUndici = typeof Client.prototype.dispatch === "function";

/** Sends requests, each once, and keeps the connections of reads. */
export class Transport {
  readonly #connectors = new Map<string, Connector>();
  readonly #idle = new Map<string, HttpConnection[]>();
  #closed = false;

  constructor(private readonly tls: TlsOptions | undefined) {
    if (!isUndici)
      throw new TypeError(
        "fxdesk needs Node.js: this runtime replaces undici, and nobody could tell which requests left.",
      );
  }

  /** Sends a request once. Throws a TransportError that says whether it left, or what the deadline ended it with. */
  async send(request: OutgoingRequest, deadline: Deadline, sendOptions: SendOptions): Promise<RawResponse> {
    const connection =
      this.#idleConnection(request.origin, sendOptions) ??
      (await this.#open(request.origin, deadline, sendOptions));
    if (sendOptions.beforeHead) await this.#beforeHead(sendOptions.beforeHead, connection, deadline);
    let exchange: Exchange | undefined;
    try {
      return await deadline.waitFor<RawResponse>((resolve, reject) => {
        exchange = new Exchange(request, connection, sendOptions, {
          resolve,
          reject,
          done: () => this.#keep(request.origin, connection),
          headLeaves: () => sendOptions.alone && deadline.heedCaller(false),
        });
        connection.send(exchange);
        if (deadline.isInBackground) connection.socket.unref();
        return (reason) => connection.destroy(reason);
      });
    } catch (error) {
      connection.destroy(error as Error);
      throw new TransportError(error as Error, connection.sent, exchange?.status);
    }
  }

  /** Closes the connections that are idle; the others when their response is there. */
  close(): void {
    this.#closed = true;
    for (const connections of this.#idle.values())
      for (const connection of connections) connection.destroy(new Error("Closed."));
    this.#idle.clear();
  }

  #idleConnection(origin: string, { alone }: SendOptions): HttpConnection | undefined {
    const connections = alone ? undefined : this.#idle.get(origin);
    let connection = connections?.pop();
    while (connection && !connection.isOpen) connection = connections!.pop();
    return connection;
  }

  async #open(origin: string, deadline: Deadline, { alone }: SendOptions): Promise<HttpConnection> {
    try {
      return await this.#connector(origin).open(deadline, !alone);
    } catch (error) {
      throw new TransportError(error as Error, false);
    }
  }

  async #beforeHead(
    beforeHead: () => Promise<void>,
    connection: HttpConnection,
    deadline: Deadline,
  ): Promise<void> {
    try {
      await deadline.race(beforeHead());
    } catch (error) {
      connection.destroy(error as Error);
      throw error;
    }
  }

  #connector(origin: string): Connector {
    let connector = this.#connectors.get(origin);
    if (!connector) this.#connectors.set(origin, (connector = new Connector(origin, this.tls)));
    return connector;
  }

  /** The last one used is the first one taken: the others grow old and close. */
  #keep(origin: string, connection: HttpConnection): void {
    if (!connection.keep || this.#closed) return;
    const idle = this.#idle.get(origin);
    if (idle) idle.push(connection);
    else this.#idle.set(origin, [connection]);
  }
}
