/** HTTP connections that know whether a request was written. One request at a time. */
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";
import { Client, type Dispatcher } from "undici";
import { withoutBrackets } from "../values/host";
import type { Deadline } from "./deadline";
import { openTunnel, portOf, type Proxy } from "./proxy";
import { explainTlsError, type TlsOptions } from "./tls";

/** Opens connections to one origin, directly or through a proxy, and resumes TLS sessions. */
export class Connector {
  readonly #url: URL;
  readonly #secureContext: SecureContext | undefined;
  #tlsSession: Buffer | undefined;

  constructor(
    readonly origin: string,
    readonly tls: TlsOptions = {},
    readonly proxy?: Proxy,
  ) {
    this.#url = new URL(origin);
    if (this.#url.protocol === "https:") this.#secureContext = createSecureContext(tls);
  }

  /** Opens a connection; `keepAlive` allows more than one request. */
  async open(deadline: Deadline, keepAlive: boolean): Promise<HttpConnection> {
    return new HttpConnection(this.origin, await this.#openSocket(deadline), keepAlive);
  }

  /** Opens the socket here, because undici's connect timeout is inexact by half a second. */
  async #openSocket(deadline: Deadline): Promise<Socket> {
    const tunnel = this.proxy && (await this.#openTunnel(this.proxy, deadline));
    return deadline.waitFor((resolve, reject) => {
      const socket = this.#secureContext
        ? this.#connectOverTls(this.#secureContext, tunnel)
        : (tunnel ?? connectTcp(this.#address));
      socket.setNoDelay(true).setKeepAlive(true, 60_000);
      if (deadline.isInBackground) socket.unref();
      const fail = (error: Error) => reject(explainTlsError(error, this.#url.host));
      const succeed = () => {
        socket.off("error", fail);
        resolve(socket);
      };
      socket.once("error", fail);
      if (tunnel && socket === tunnel) succeed();
      else socket.once(this.#secureContext ? "secureConnect" : "connect", succeed);
      return () => void socket.destroy();
    });
  }

  #openTunnel(proxy: Proxy, deadline: Deadline): Promise<Socket> {
    return deadline.waitFor((resolve, reject) => {
      const tunnel = openTunnel(proxy, this.#url, this.tls, deadline.isInBackground);
      tunnel.socket.then(resolve, reject);
      return () => tunnel.destroy();
    });
  }

  get #address() {
    return { host: withoutBrackets(this.#url.hostname), port: portOf(this.#url) };
  }

  #connectOverTls(secureContext: SecureContext, tunnel: Socket | undefined): Socket {
    const address = this.#address;
    const hasHostName = /[a-z]/i.test(address.host) && !address.host.includes(":");
    const socket = connectTls({
      ...this.tls,
      ...address,
      ...(tunnel && { socket: tunnel }),
      ...(hasHostName && { servername: address.host }),
      ...(this.#tlsSession && { session: this.#tlsSession }),
      secureContext,
      ALPNProtocols: ["http/1.1"],
    });
    return socket.on("session", (session) => (this.#tlsSession = session));
  }
}

/** Completion callback of a stream write. */
type WriteCallback = (error?: Error | null) => void;

interface WritableInternals {
  _write(chunk: unknown, encoding: BufferEncoding, written: WriteCallback): void;
  _writev(chunks: readonly unknown[], written: WriteCallback): void;
}

/** A request to send. */
export interface OutgoingRequest {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body: string | null;
}

/** Handles the response to a request. */
export interface RequestHandler extends Dispatcher.DispatchHandler {
  readonly request: OutgoingRequest;
  /** Called when the request is being written. */
  onHeadWritten(): void;
}

/** An open connection. undici handles HTTP; this class observes the writes. */
export class HttpConnection {
  /** True if any byte of the current request may have been written. */
  sent = false;
  /** True while reading is paused because the consumer of the response is slow. */
  isPaused = false;
  /** Called when a response is complete and the connection can be reused. */
  onFree: (() => void) | undefined;
  #handler: RequestHandler | undefined;
  /** True during the first write of a request. */
  #isFirstWrite = false;
  readonly #client: Client;

  constructor(
    origin: string,
    readonly socket: Socket,
    readonly keepAlive: boolean,
  ) {
    this.#interceptWrites();
    this.#interceptReads();
    let isHandedOver = false;
    this.#client = new Client(origin, {
      pipelining: keepAlive ? 1 : 0,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) =>
        // undici hangs if called back in the same tick. It must not reconnect: there is only this socket.
        queueMicrotask(() => {
          if (isHandedOver || socket.destroyed) callback(new Error("The connection is closed."), null);
          else callback(null, socket);
          isHandedOver = true;
        }),
    });
    // Errors of idle connections are ignored; the connection is discarded on next use.
    socket.on("error", () => undefined);
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.writable && this.socket.readable;
  }

  /** True after the server closed the connection, or after it failed. */
  get isClosing(): boolean {
    return this.socket.readableEnded || this.socket.destroyed;
  }

  /** Sends a request and reports its progress to the handler. */
  send(handler: RequestHandler): void {
    this.sent = false;
    this.isPaused = false;
    this.#handler = handler;
    this.#client.dispatch(handler.request as Dispatcher.DispatchOptions, handler);
  }

  destroy(reason: Error): void {
    this.#client.destroy(reason).catch(() => undefined);
    this.socket.destroy();
  }

  /** Continues reading the response. */
  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.socket.emit("readable");
  }

  /**
   * Pauses by returning no data from `read`, so that TCP flow control stops the sender. undici's own pause throws an
   * uncatchable error if the connection ends meanwhile.
   */
  #interceptReads(): void {
    const { socket } = this;
    const read = socket.read.bind(socket);
    socket.read = (size) => (this.isPaused ? null : (read(size) as unknown));
  }

  /**
   * A request counts as sent once the socket is written to. If the first write fails synchronously, the kernel refused it and
   * nothing was sent. With TLS a failed write may belong to later data and proves nothing.
   */
  #interceptWrites(): void {
    const socket = this.socket as unknown as WritableInternals;
    const write = socket._write.bind(socket);
    const writeAll = socket._writev.bind(socket);
    socket._write = (chunk, encoding, onWritten) => {
      write(chunk, encoding, this.#observeWrite(onWritten));
      this.#isFirstWrite = false;
    };
    socket._writev = (chunks, onWritten) => {
      writeAll(chunks, this.#observeWrite(onWritten));
      this.#isFirstWrite = false;
    };
  }

  #observeWrite(onWritten: WriteCallback): WriteCallback {
    if (this.sent) return onWritten;
    this.sent = true;
    this.#isFirstWrite = true;
    this.#handler?.onHeadWritten();
    return (error) => {
      if (error && this.#isFirstWrite && !("encrypted" in this.socket)) this.sent = false;
      onWritten(error);
    };
  }
}
