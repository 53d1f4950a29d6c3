/** One call, from input to response. */
import { Aborted, FxdeskError } from "../errors";
import type { Declaration } from "../declaration/operation";
import { Deadline } from "../transport/deadline";
import { Sender } from "./sender";
import { channels } from "./channels";
import type { Connection } from "./connection";
import type { CallOptions } from "./call-options";
import { errorFrom } from "./call-errors";
import { ReceivedFile } from "./file";
import type { CallState } from "./call-state";
import { chain, type Interceptor, type PreparedCall } from "./pipeline";
import { prepareCall } from "./prepare";
import { readResponse } from "./read-response";
import type { ServiceResponse } from "./response";
import type { Values } from "../declaration/fields";

/** Runs the calls of one connection. */
export class Caller {
  readonly #sender: Sender;
  readonly #send: (call: PreparedCall) => Promise<ServiceResponse>;
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
    this.#sender = new Sender(connection);
    this.#send = chain(interceptors, (call) => this.#leave(call));
  }

  /** Throws an FxdeskError, also for input that throws while it is looked at. */
  prepare(operation: Declaration, input: Values, options: CallOptions): PreparedCall {
    try {
      return prepareCall(operation, input, this.connection, options);
    } catch (error) {
      throw errorFrom(operation, error, { attempts: 0, sent: false });
    }
  }

  /** `target` stands in place of the path and query that the input makes, as the link to a page has them. */
  async call(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    target?: string,
  ): Promise<ServiceResponse> {
    if (this.#closed) throw closed(operation);
    this.#underWay += 1;
    try {
      const call = this.prepare(operation, input, options);
      const response = await this.#traced(target === undefined ? call : { ...call, target });
      if (response.body instanceof ReceivedFile) this.#untilClosed(response.body);
      return response;
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

  #traced(call: PreparedCall): Promise<ServiceResponse> {
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
  async #leave(call: PreparedCall): Promise<ServiceResponse> {
    const { options, values } = call;
    const { queueTimeoutMs, service } = this.connection;
    const requestId = service.requestIdHeader && values[service.requestIdHeader];
    const state: CallState = {
      call,
      deadline: new Deadline(options.queueTimeoutMs ?? queueTimeoutMs, options.signal),
      releaseTurn: () => undefined,
      attempts: 0,
      sent: false,
      status: undefined,
      requestId: typeof requestId === "string" ? requestId : undefined,
    };
    try {
      const received = await this.#sender.sendWithRetries(state);
      return await readResponse(state, received, this.connection);
    } catch (error) {
      state.deadline.release();
      state.releaseTurn();
      throw errorFrom(call.operation, error, state);
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
