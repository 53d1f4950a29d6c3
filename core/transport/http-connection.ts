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
  #session: Buffer | undefined;

  constructor(
    readonly origin: string,
    readonly tls: TlsOptions = {},
  ) {
    this.#url = new URL(origin);
    if (this.#url.protocol === "https:") this.#secureContext = createSecureContext(tls);
  }

  /** Opens a connection; `keep` is for more than one request. */
  async open(deadline: Deadline, keep: boolean): Promise<HttpConnection> {
    return new HttpConnection(this.origin, await this.#socket(deadline), keep);
  }

  /** undici connects by itself only within half a second of a limit: a socket of one's own ends at once. */
  #socket(deadline: Deadline): Promise<Socket> {
    return deadline.waitFor((resolve, reject) => {
      const socket = this.#secureContext ? this.#overTls(this.#secureContext) : connectTcp(this.#address);
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
    const usual = protocol === "https:" ? 443 : 80;
    return { host: withoutBrackets(hostname), port: port ? Number(port) : usual };
  }

  #overTls(secureContext: SecureContext): Socket {
    const address = this.#address;
    const named = /[a-z]/i.test(address.host) && !address.host.includes(":");
    const socket = connectTls({
      ...this.tls,
      ...address,
      ...(named && { servername: address.host }),
      ...(this.#session && { session: this.#session }),
      secureContext,
      ALPNProtocols: ["http/1.1"],
    });
    return socket.on("session", (session) => (this.#session = session));
  }
}

/** How the last of what a stream is given is told to be written. */
type Written = (error?: Error | null) => void;

interface Writing {
  _write(chunk: unknown, encoding: BufferEncoding, written: Written): void;
  _writev(chunks: readonly unknown[], written: Written): void;
}

/** A connection that is open. undici reads and writes HTTP on it; what left is seen here. */
export class HttpConnection {
  /** Whether anything of the request under way may have left this machine. */
  sent = false;
  /** Whether nothing more is read for now: who reads the response is slower than it comes. */
  isHeld = false;
  /** Told when a response has arrived and the connection may take another request. */
  onFree: (() => void) | undefined;
  #exchange: Exchange | undefined;
  /** While the first write of a request is made. */
  #isFirstWrite = false;
  readonly #client: Client;

  constructor(
    origin: string,
    readonly socket: Socket,
    readonly keep: boolean,
  ) {
    this.#watchWrites();
    this.#watchReads();
    let handed = false;
    this.#client = new Client(origin, {
      pipelining: keep ? 1 : 0,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) =>
        // In the same tick it would hang; a second time there is no other socket to give.
        queueMicrotask(() => {
          if (handed || socket.destroyed) callback(new Error("The connection is closed."), null);
          else callback(null, socket);
          handed = true;
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
    this.isHeld = false;
    this.#exchange = exchange;
    this.#client.dispatch(exchange.request as Dispatcher.DispatchOptions, exchange);
  }

  destroy(reason: Error): void {
    this.#client.destroy(reason).catch(() => undefined);
    this.socket.destroy();
  }

  /** The reader of the response wants more. */
  readOn(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.socket.emit("readable");
  }

  /**
   * undici can be told to pause, but a connection that ends or breaks while it does makes it throw where nobody can catch
   * it. So it is given nothing to read instead: what comes stays with the system, and the sender waits.
   */
  #watchReads(): void {
    const { socket } = this;
    const read = socket.read.bind(socket);
    socket.read = (size) => (this.isHeld ? null : (read(size) as unknown));
  }

  /**
   * A request has left once the socket is written to. A first write that fails while it is made was refused by the
   * kernel: then nothing left. With TLS a failed write may be a later one's, and proves nothing.
   */
  #watchWrites(): void {
    const socket = this.socket as unknown as Writing;
    const write = socket._write.bind(socket);
    const writeAll = socket._writev.bind(socket);
    socket._write = (chunk, encoding, written) => {
      write(chunk, encoding, this.#observed(written));
      this.#isFirstWrite = false;
    };
    socket._writev = (chunks, written) => {
      writeAll(chunks, this.#observed(written));
      this.#isFirstWrite = false;
    };
  }

  #observed(written: Written): Written {
    if (this.sent) return written;
    this.sent = true;
    this.#isFirstWrite = true;
    this.#exchange?.headLeaves();
    return (error) => {
      if (error && this.#isFirstWrite && !("encrypted" in this.socket)) this.sent = false;
      written(error);
    };
  }
}
