/** One connection to a server, and one request at a time on it. */
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";
import { Client, type Dispatcher } from "undici";
import { withoutBrackets } from "../schema/host";
import type { Deadline } from "./deadline";
import type { Exchange } from "./exchange";
import type { TlsOptions } from "./tls";

/** How connections to one origin are opened; sessions are taken up again. */
export class Connector {
  readonly #url: URL;
  readonly #secureContext: SecureContext | undefined;
  #tlsSession: Buffer | undefined;

  constructor(
    readonly origin: string,
    readonly tls: TlsOptions = {},
  ) {
    this.#url = new URL(origin);
    if (this.#url.protocol === "https:") this.#secureContext = createSecureContext(tls);
  }

  /** Opens a connection; `keep` is for more than one request. */
  async open(deadline: Deadline, keepAlive: boolean): Promise<HttpConnection> {
    return new HttpConnection(this.origin, await this.#openSocket(deadline), keepAlive);
  }

  /** undici connects by itself only within half a second of a limit: a socket of one's own ends at once. */
  #openSocket(deadline: Deadline): Promise<Socket> {
    return deadline.waitFor((resolve, reject) => {
      const socket = this.#secureContext
        ? this.#connectOverTls(this.#secureContext)
        : connectTcp(this.#address);
      socket.setNoDelay(true).setKeepAlive(true, 60_000);
      if (deadline.isInBackground) socket.unref();
      socket.once("error", reject);
      socket.once(this.#secureContext ? "secureConnect" : "connect", () => {
        socket.off("error", reject);
        resolve(socket);
      });
      return () => void socket.destroy();
    });
  }

  get #address() {
    const { hostname, port, protocol } = this.#url;
    const defaultPort = protocol === "https:" ? 443 : 80;
    return { host: withoutBrackets(hostname), port: port ? Number(port) : defaultPort };
  }

  #connectOverTls(secureContext: SecureContext): Socket {
    const address = this.#address;
    const hasHostName = /[a-z]/i.test(address.host) && !address.host.includes(":");
    const socket = connectTls({
      ...this.tls,
      ...address,
      ...(hasHostName && { servername: address.host }),
      ...(this.#tlsSession && { session: this.#tlsSession }),
      secureContext,
      ALPNProtocols: ["http/1.1"],
    });
    return socket.on("session", (session) => (this.#tlsSession = session));
  }
}

/** How the last of what a stream is given is told to be written. */
type WriteCallback = (error?: Error | null) => void;

interface WritableInternals {
  _write(chunk: unknown, encoding: BufferEncoding, written: WriteCallback): void;
  _writev(chunks: readonly unknown[], written: WriteCallback): void;
}

/** A connection that is open. undici reads and writes HTTP on it; what left is seen here. */
export class HttpConnection {
  /** Whether anything of the request under way may have left this machine. */
  sent = false;
  /** Whether nothing more is read for now: who reads the response is slower than it comes. */
  isPaused = false;
  /** Told when a response has arrived and the connection may take another request. */
  onFree: (() => void) | undefined;
  #exchange: Exchange | undefined;
  /** While the first write of a request is made. */
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
        // In the same tick it would hang; a second time there is no other socket to give.
        queueMicrotask(() => {
          if (isHandedOver || socket.destroyed) callback(new Error("The connection is closed."), null);
          else callback(null, socket);
          isHandedOver = true;
        }),
    });
    // Nobody hears of a connection that breaks while it is idle.
    socket.on("error", () => undefined);
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.writable && this.socket.readable;
  }

  /** Whether the other end has closed, or the connection has broken. */
  get isClosing(): boolean {
    return this.socket.readableEnded || this.socket.destroyed;
  }

  /** Begins a request; the exchange hears how it goes. */
  send(exchange: Exchange): void {
    this.sent = false;
    this.isPaused = false;
    this.#exchange = exchange;
    this.#client.dispatch(exchange.request as Dispatcher.DispatchOptions, exchange);
  }

  destroy(reason: Error): void {
    this.#client.destroy(reason).catch(() => undefined);
    this.socket.destroy();
  }

  /** The reader of the response wants more. */
  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.socket.emit("readable");
  }

  /**
   * undici can be told to pause, but a connection that ends or breaks while it does makes it throw where nobody can catch
   * it. So it is given nothing to read instead: what comes stays with the system, and the sender waits.
   */
  #interceptReads(): void {
    const { socket } = this;
    const read = socket.read.bind(socket);
    socket.read = (size) => (this.isPaused ? null : (read(size) as unknown));
  }

  /**
   * A request has left once the socket is written to. A first write that fails while it is made was refused by the
   * kernel: then nothing left. With TLS a failed write may be a later one's, and proves nothing.
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
    this.#exchange?.onHeadWritten();
    return (error) => {
      if (error && this.#isFirstWrite && !("encrypted" in this.socket)) this.sent = false;
      onWritten(error);
    };
  }
}
