/** One call, from input to response. */
import { Aborted, FxdeskError } from "../errors";
import type { Values } from "../operations/check";
import type { Declaration } from "../operations/declaration";
import { Deadline } from "../transport/deadline";
import { Attempts } from "./attempts";
import { channels } from "./channels";
import type { Connection } from "./connection";
import type { CallOptions } from "./options";
import { failureOf } from "./failure";
import { ReceivedFile } from "./file";
import type { Journey } from "./journey";
import { chain, type Interceptor, type PreparedCall } from "./pipeline";
import { prepared } from "./prepare";
import { read } from "./reading";
import type { Reply } from "./reply";

/** Runs the calls of one connection. */
export class Caller {
  readonly #attempts: Attempts;
  readonly #send: (call: PreparedCall) => Promise<Reply>;
  /** Calls whose end is still to come, files that still arrive included. */
  #underWay = 0;
  #waiting: (() => void)[] = [];
  /** Files that still arrive. */
  readonly #files = new Set<ReceivedFile>();
  #closed = false;

  constructor(
    readonly connection: Connection,
    interceptors: readonly Interceptor[],
  ) {
    this.#attempts = new Attempts(connection);
    this.#send = chain(interceptors, (call) => this.#leave(call));
  }

  /** Throws an FxdeskError, also for input that throws while it is looked at. */
  prepare(operation: Declaration, input: Values, options: CallOptions): PreparedCall {
    try {
      return prepared(operation, input, this.connection, options);
    } catch (error) {
      throw failureOf(operation, error, { attempts: 0, sent: false });
    }
  }

  /** `target` stands in place of the path and query that the input makes, as the link to a page has them. */
  async call(operation: Declaration, input: Values, options: CallOptions, target?: string): Promise<Reply> {
    if (this.#closed) throw closed(operation);
    this.#underWay += 1;
    try {
      const call = this.prepare(operation, input, options);
      const reply = await this.#traced(target === undefined ? call : { ...call, target });
      if (reply.body instanceof ReceivedFile) this.#untilClosed(reply.body);
      return reply;
    } finally {
      this.#ended();
    }
  }

  /** Takes no more calls, and closes the connections when those under way have ended. A file that nobody reads is let go. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { stream, operation } of this.#files)
      if (!stream.readableDidRead) stream.destroy(unread(operation));
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await this.connection.tokens?.settled();
    this.connection.transport.close();
  }

  #traced(call: PreparedCall): Promise<Reply> {
    const { name, effect } = call.operation;
    return channels.call.hasSubscribers
      ? channels.call.tracePromise(() => this.#send(call), { operation: name, effect })
      : this.#send(call);
  }

  #untilClosed(file: ReceivedFile): void {
    const { stream } = file;
    if (stream.closed) return;
    this.#underWay += 1;
    this.#files.add(file);
    stream.once("close", () => {
      this.#files.delete(file);
      this.#ended();
    });
  }

  #ended(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Where the chain ends: the call goes to the service. */
  async #leave(call: PreparedCall): Promise<Reply> {
    const { options, values } = call;
    const { queueTimeoutMs, service } = this.connection;
    const requestId = service.requestIdHeader && values[service.requestIdHeader];
    const journey: Journey = {
      call,
      deadline: new Deadline(options.queueTimeoutMs ?? queueTimeoutMs, options.signal),
      permit: () => undefined,
      attempts: 0,
      sent: false,
      status: undefined,
      requestId: typeof requestId === "string" ? requestId : undefined,
    };
    try {
      const received = await this.#attempts.received(journey);
      return await read(journey, received, this.connection);
    } catch (error) {
      journey.deadline.release();
      journey.permit();
      throw failureOf(call.operation, error, journey);
    }
  }
}

const unread = (operation: string) =>
  new Aborted(`${operation}: The client was closed before the file was read.`, {
    operation,
    code: "aborted",
    outcome: "unknown",
    attempts: 1,
  });

const closed = ({ name }: Declaration) =>
  new FxdeskError(`${name}: The client is closed. Nothing was sent.`, {
    operation: name,
    code: "no_connection",
    outcome: "not-sent",
  });
