/** What every call goes through, from input to response. */
import { Aborted, FxdeskError } from "../errors";
import { createdBy, endedBy } from "../declaration/created";
import type { Declaration } from "../declaration/operation";
import { Deadline } from "../transport/deadline";
import { Sender } from "./sender";
import { channels } from "./channels";
import type { Connection } from "./connection";
import type { CreatedIds } from "./created-ids";
import type { Guard } from "../journal/entry";
import type { JournalStage } from "../journal/stage";
import type { Cleared, ReleaseStage } from "../releases/stage";
import type { CallOptions } from "./call-options";
import { errorFrom } from "./call-errors";
import { ReceivedFile } from "./file";
import { CallState } from "./call-state";
import { intercepted, type Interceptor } from "./interceptors";
import type { Clearance } from "./clearance";
import { prepareCall } from "./prepare";
import type { PreparedCall } from "./prepared-call";
import { readResponse } from "./read-response";
import type { CreatedId, Recovered, ServiceResponse } from "./response";
import type { Values } from "../declaration/fields";

/** How long the end of a client waits for the store to note what calls created: as long as for its journal. */
const notesMs = 5_000;

/** Carries the calls of one connection: prepared, through the interceptors, released and journaled where need be, sent and read. */
export class Pipeline {
  readonly #sender: Sender;
  readonly #intercepted: (call: PreparedCall) => Promise<ServiceResponse>;
  /** Calls whose end is still to come, files that still arrive included. */
  #underWay = 0;
  #waiting: (() => void)[] = [];
  /** Files that still arrive. */
  readonly #files = new Set<ReceivedFile>();
  #closed = false;
  /** Loaded with the first call that commits money. */
  #journal: Promise<JournalStage> | undefined;
  /** Loaded with the first call that may need a release. */
  #releases: Promise<ReleaseStage> | undefined;
  /** Loaded with the first call that creates or ends something, without money. */
  #created: Promise<CreatedIds> | undefined;
  /** What is looked at when calls leave that belong to an order: they need no release of their own. */
  readonly #clearances = new WeakMap<PreparedCall, Clearance>();

  constructor(
    readonly connection: Connection,
    interceptors: readonly Interceptor[],
  ) {
    this.#sender = new Sender(connection);
    this.#intercepted = intercepted(interceptors, (call) => this.#leave(call));
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
  call(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    target?: string,
  ): Promise<ServiceResponse> {
    return this.#call(operation, input, options, { target });
  }

  /** Makes a call that belongs to an order, which was released itself. */
  callFor(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    clearance: Clearance,
  ): Promise<ServiceResponse> {
    return this.#call(operation, input, options, { clearance });
  }

  async #call(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    { target, clearance }: { readonly target?: string | undefined; readonly clearance?: Clearance },
  ): Promise<ServiceResponse> {
    if (this.#closed) throw closed(operation);
    this.#underWay += 1;
    try {
      const call = this.prepare(operation, input, options);
      if (clearance) this.#clearances.set(call, clearance);
      const response = await this.#traced(target === undefined ? call : { ...call, target });
      if (response.body instanceof ReceivedFile) this.#untilClosed(response.body);
      return response;
    } finally {
      this.#ended();
    }
  }

  /** Throws an Error where the store cannot be used, or there is no such entry to look for. */
  async recover(entry: string | undefined): Promise<Recovered[]> {
    if (this.#closed) throw closed({ name: "client.recover" });
    const looked = await (await this.#journalStage()).recover(entry);
    return looked.map(({ entry: { id, operation, state, ending }, remark }) => ({
      entry: id,
      operation,
      state: state as Recovered["state"],
      identity: ending?.identity,
      remark,
    }));
  }

  /** Takes no more calls, and closes the connections when those under way have ended. A file that nobody reads is let go. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { stream, operation } of this.#files)
      if (!stream.readableDidRead) stream.destroy(unread(operation));
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await this.connection.tokens?.settled();
    await (await this.#created?.catch(() => undefined))?.close(notesMs);
    await (await this.#journal)?.close();
    await (await this.#releases)?.close();
    await this.connection.halts.close();
    await this.connection.pacing.close?.();
    this.connection.transport.close();
  }

  #traced(call: PreparedCall): Promise<ServiceResponse> {
    const { name, effect } = call.operation;
    return channels.call.hasSubscribers
      ? channels.call.tracePromise(() => this.#intercepted(call), { operation: name, effect })
      : this.#intercepted(call);
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

  #stateOf(call: PreparedCall, guard?: Guard): CallState {
    const { options, values } = call;
    const { queueTimeoutMs, service } = this.connection;
    const requestId = service.requestIdHeader && values[service.requestIdHeader];
    const deadline = new Deadline(options.queueTimeoutMs ?? queueTimeoutMs, options.signal);
    return new CallState(call, deadline, typeof requestId === "string" ? requestId : undefined, guard);
  }

  /** Behind the interceptors: the call goes to the service. */
  #leave(call: PreparedCall): Promise<ServiceResponse> {
    return call.operation.effect === "read" ? this.#send(this.#stateOf(call)) : this.#leaveCleared(call);
  }

  /** What changes something may need a release; what commits money goes through the journal. */
  async #leaveCleared(prepared: PreparedCall): Promise<ServiceResponse> {
    const { operation } = prepared;
    const { call, guard } = await this.#cleared(prepared);
    const state = this.#stateOf(call, guard);
    if (operation.effect === "money") return this.#sendOnce(state);
    // Named before it is assigned: see `Exchange`.
    const beforeHead = async () => {
      await this.connection.halts.assertNone(operation);
      if (guard) await (await this.releases()).leave(guard);
    };
    state.beforeHead = beforeHead;
    const response = await this.#send(state);
    if (createdBy(operation) !== undefined || endedBy(operation) !== undefined)
      await this.#createdIds().then(
        (ids) => ids.note(call, response.body),
        (error: Error) => process.emitWarning(error),
      );
    return response;
  }

  /** What needs a release goes on its way when it has one. */
  async #cleared(call: PreparedCall): Promise<Cleared> {
    const clearance = this.#clearances.get(call);
    if (clearance) return { call, ...clearance };
    if (this.connection.settings.policy === undefined && call.options.release !== "needed") return { call };
    return (await this.releases()).clear(call);
  }

  /** What calls created of the kind that an operation creates, newest first. */
  async created(operation: Declaration): Promise<readonly CreatedId[]> {
    return (await this.#createdIds()).list(operation);
  }

  #createdIds(): Promise<CreatedIds> {
    this.#created ??= import("./created-ids.js").then(({ CreatedIds }) => new CreatedIds(this.connection));
    return this.#created;
  }

  releases(): Promise<ReleaseStage> {
    this.#releases ??= import("../releases/stage.js").then(
      ({ ReleaseStage }) => new ReleaseStage(this.connection),
    );
    return this.#releases;
  }

  async #sendOnce(state: CallState): Promise<ServiceResponse> {
    try {
      return await (await this.#journalStage()).call(state, (claimed) => this.#send(claimed));
    } catch (error) {
      state.deadline.release();
      throw errorFrom(state.call.operation, error, state);
    }
  }

  #journalStage(): Promise<JournalStage> {
    this.#journal ??= import("../journal/stage.js").then(
      ({ JournalStage }) =>
        new JournalStage(this.connection, {
          prepare: (operation, input, options) => this.prepare(operation, input, options),
          send: (call) => this.#sendAside(call),
        }),
    );
    return this.#journal;
  }

  /** Sends a call for the journal: a read, which nobody waits for, or a call that commits money once more. */
  #sendAside(call: PreparedCall): Promise<ServiceResponse> {
    const state = this.#stateOf(call);
    state.deadline.isInBackground = call.operation.effect === "read";
    return this.#send(state);
  }

  async #send(state: CallState): Promise<ServiceResponse> {
    const { operation } = state.call;
    try {
      const received = await this.#sender.sendWithRetries(state);
      const response = readResponse(state, received, this.connection);
      // Mostly it is there, and a wait for nothing costs as well.
      return response instanceof Promise ? await response : response;
    } catch (error) {
      state.deadline.release();
      state.permit?.release();
      throw errorFrom(operation, error, state);
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

const closed = ({ name }: Pick<Declaration, "name">) =>
  new FxdeskError(`${name}: The client is closed. Nothing was sent.`, {
    operation: name,
    code: "no_connection",
    outcome: "not-sent",
  });
