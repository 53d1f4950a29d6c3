/** Connections of one client. */
import { Client } from "undici";
import type { Deadline, DeadlineEnded } from "./deadline";
import { TransportError } from "./transport-errors";
import { Exchange, type RawResponse, type SendOptions } from "./exchange";
import { Connector, type HttpConnection, type OutgoingRequest } from "./http-connection";
import { directNetwork, type Network } from "./network";

/** Some runtimes replace undici by a substitute that does not show whether a request was written. */
const isUndici = typeof Client.prototype.dispatch === "function";

/** Sends requests without retries, and pools the connections of reads. */
export class Transport {
  readonly #connectors = new Map<string, Connector>();
  readonly #idle = new Map<string, HttpConnection[]>();
  #closed = false;

  constructor(private readonly network: Network = directNetwork) {
    if (!isUndici)
      throw new TypeError(
        "fxdesk requires Node.js: this runtime replaces undici, so it is impossible to detect which requests were sent.",
      );
  }

  /**
   * Sends a request once. Throws a TransportError, which tells whether anything was written. `beforeWrite` is awaited after
   * connecting; if it throws, the request is not sent.
   */
  async send(
    request: OutgoingRequest,
    deadline: Deadline,
    sendOptions: SendOptions,
    beforeWrite?: () => Promise<void>,
  ): Promise<RawResponse> {
    const { useOwnConnection, useNewConnection } = sendOptions;
    const idle = useOwnConnection || useNewConnection ? undefined : this.#idleConnection(request.origin);
    const connection = idle ?? (await this.#open(request.origin, deadline, sendOptions));
    if (beforeWrite) await this.#runBeforeWrite(beforeWrite, connection, deadline);
    if (deadline.ended) throw notSentError(deadline.ended, connection);
    return runExchange(connection, request, deadline, sendOptions);
  }

  /** Closes idle connections now, and the others after their response. */
  close(): void {
    this.#closed = true;
    for (const connections of this.#idle.values())
      for (const connection of connections) connection.destroy(new Error("Closed."));
    this.#idle.clear();
  }

  #idleConnection(origin: string): HttpConnection | undefined {
    const connections = this.#idle.get(origin);
    let connection = connections?.pop();
    while (connection && !connection.isOpen) connection = connections!.pop();
    return connection;
  }

  async #open(
    origin: string,
    deadline: Deadline,
    { useOwnConnection }: SendOptions,
  ): Promise<HttpConnection> {
    try {
      const connection = await this.#connector(origin).open(deadline, !useOwnConnection);
      connection.onFree = () => this.#returnToPool(origin, connection);
      return connection;
    } catch (error) {
      throw new TransportError(error as Error, false);
    }
  }

  async #runBeforeWrite(
    beforeWrite: () => Promise<void>,
    connection: HttpConnection,
    deadline: Deadline,
  ): Promise<void> {
    try {
      await deadline.race(beforeWrite());
    } catch (error) {
      connection.destroy(error as Error);
      throw error;
    }
  }

  #connector(origin: string): Connector {
    let connector = this.#connectors.get(origin);
    if (!connector) {
      const { tls, proxyFor } = this.network;
      this.#connectors.set(origin, (connector = new Connector(origin, tls, proxyFor(origin))));
    }
    return connector;
  }

  /** Last in, first out, so that surplus connections time out. */
  #returnToPool(origin: string, connection: HttpConnection): void {
    if (!connection.keepAlive || this.#closed) return;
    const idle = this.#idle.get(origin);
    if (idle) idle.push(connection);
    else this.#idle.set(origin, [connection]);
  }
}

/** Returns the error for a call that ended after its connection was ready. Closes the connection. */
function notSentError(ended: DeadlineEnded, connection: HttpConnection): TransportError {
  connection.destroy(ended);
  return new TransportError(ended, false);
}

const runExchange = (
  connection: HttpConnection,
  request: OutgoingRequest,
  deadline: Deadline,
  sendOptions: SendOptions,
): Promise<RawResponse> =>
  new Promise<RawResponse>((resolve, reject) => {
    deadline.assertOpen();
    const exchange = new Exchange(request, connection, sendOptions, deadline, resolve, reject);
    try {
      connection.send(exchange);
    } catch (error) {
      exchange.fail(error as Error);
    }
    if (deadline.isInBackground) connection.socket.unref();
  });
