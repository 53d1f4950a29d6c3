/** The path of every call, from input to response. */
import { Aborted, FxdeskError } from "../spec/errors";
import { createdIdName, deletedIdField } from "../spec/created-resources";
import type { Declaration } from "../spec/operation";
import { Deadline } from "../http/deadline";
import { Sender } from "../call/sender";
import { channels } from "../call/diagnostics-channels";
import type { ClientContext } from "../call/client-context";
import type { ResourceIds } from "./resource-ids";
import type { SendGuard } from "../store/database";
import type { IdempotencyMiddleware } from "../journal/idempotency";
import type { PreAuthorizedCall, ReleaseMiddleware } from "../releases/release-middleware";
import type { CallOptions } from "../call/call-options";
import { toFxdeskError } from "../call/call-errors";
import { ReceivedFile } from "../call/received-file";
import { CallContext } from "../call/call-context";
import { composeInterceptors, type Interceptor } from "../call/interceptors";
import type { PreAuthorization } from "../call/pre-authorization";
import { prepareCall } from "../call/prepare";
import type { PreparedCall } from "../call/prepared-call";
import { readResponse } from "../call/read-response";
import type { CreatedResource, RecoveredCall, ServiceResponse } from "../call/response";
import type { Values } from "../spec/fields";

/** Time that `close` waits for created IDs to be stored. The same as for the journal. */
const recordTimeoutMs = 5_000;

/** Runs the calls of one client: prepare, intercept, release, journal, send and read. */
export class Pipeline {
  readonly #sender: Sender;
  readonly #sendThroughInterceptors: (call: PreparedCall) => Promise<ServiceResponse>;
  /** Number of calls in progress, including files still being received. */
  #inFlight = 0;
  #idleWaiters: (() => void)[] = [];
  readonly #openFiles = new Set<ReceivedFile>();
  #closed = false;
  /** Loaded with the first call that commits money. */
  #idempotency: Promise<IdempotencyMiddleware> | undefined;
  /** Loaded with the first call that may need a release. */
  #releaseMiddleware: Promise<ReleaseMiddleware> | undefined;
  /** Loaded with the first non-money call that creates or deletes a resource. */
  #resourceIds: Promise<ResourceIds> | undefined;
  /** Guards of calls that belong to a released order and need no release of their own. */
  readonly #preAuthorizations = new WeakMap<PreparedCall, PreAuthorization>();

  constructor(
    readonly context: ClientContext,
    interceptors: readonly Interceptor[],
  ) {
    this.#sender = new Sender(context);
    this.#sendThroughInterceptors = composeInterceptors(interceptors, (call) => this.#dispatch(call));
  }

  /** Throws an FxdeskError, also if reading the input throws. */
  prepare(operation: Declaration, input: Values, options: CallOptions): PreparedCall {
    try {
      return prepareCall(operation, input, this.context, options);
    } catch (error) {
      throw toFxdeskError(operation, error, { attempts: 0, sent: false });
    }
  }

  /** Makes a call. `target` replaces the path and query derived from the input, for links to further pages. */
  call(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    target?: string,
  ): Promise<ServiceResponse> {
    return this.#call(operation, input, options, { target });
  }

  /** Makes a call that belongs to a released order. */
  callPreAuthorized(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    preAuthorization: PreAuthorization,
  ): Promise<ServiceResponse> {
    return this.#call(operation, input, options, { preAuthorization });
  }

  async #call(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    {
      target,
      preAuthorization,
    }: { readonly target?: string | undefined; readonly preAuthorization?: PreAuthorization },
  ): Promise<ServiceResponse> {
    if (this.#closed) throw clientClosedError(operation);
    this.#inFlight += 1;
    try {
      const call = this.prepare(operation, input, options);
      if (preAuthorization) this.#preAuthorizations.set(call, preAuthorization);
      const response = await this.#trace(target === undefined ? call : { ...call, target });
      if (response.body instanceof ReceivedFile) this.#trackFile(response.body);
      return response;
    } finally {
      this.#callEnded();
    }
  }

  /** Throws an Error if the store cannot be used or the entry does not exist. */
  async recover(entry: string | undefined): Promise<RecoveredCall[]> {
    if (this.#closed) throw clientClosedError({ name: "client.recover" });
    const results = await (await this.#idempotencyMiddleware()).recover(entry);
    return results.map(({ entry: { id, operation, state, ending }, remark }) => ({
      entry: id,
      operation,
      state: state as RecoveredCall["state"],
      identity: ending?.identity,
      remark,
    }));
  }

  /** Refuses new calls, waits for calls in progress and closes the connections. Unread files are abandoned. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { stream, operation } of this.#openFiles)
      if (!stream.readableDidRead) stream.destroy(unreadFileError(operation));
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
    await this.context.tokens?.whenIdle();
    await (await this.#resourceIds?.catch(() => undefined))?.close(recordTimeoutMs);
    await (await this.#idempotency)?.close();
    await (await this.#releaseMiddleware)?.close();
    await this.context.haltChecker.close();
    await this.context.pacing.close?.();
    this.context.transport.close();
  }

  #trace(call: PreparedCall): Promise<ServiceResponse> {
    const { name, effect } = call.operation;
    return channels.call.hasSubscribers
      ? channels.call.tracePromise(() => this.#sendThroughInterceptors(call), { operation: name, effect })
      : this.#sendThroughInterceptors(call);
  }

  #trackFile(file: ReceivedFile): void {
    const { stream } = file;
    if (stream.closed) return;
    this.#inFlight += 1;
    this.#openFiles.add(file);
    stream.once("close", () => {
      this.#openFiles.delete(file);
      this.#callEnded();
    });
  }

  #callEnded(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  #createCallContext(call: PreparedCall, guard?: SendGuard): CallContext {
    const { options, values } = call;
    const { queueTimeoutMs, service } = this.context;
    const requestId = service.requestIdHeader && values[service.requestIdHeader];
    const deadline = new Deadline(options.queueTimeoutMs ?? queueTimeoutMs, options.signal);
    return new CallContext(call, deadline, typeof requestId === "string" ? requestId : undefined, guard);
  }

  /** Innermost step: sends the call to the service. */
  #dispatch(call: PreparedCall): Promise<ServiceResponse> {
    return call.operation.effect === "read"
      ? this.#send(this.#createCallContext(call))
      : this.#dispatchChange(call);
  }

  /** Sends a call that changes something: after its release if one is needed, and through the journal if it commits money. */
  async #dispatchChange(prepared: PreparedCall): Promise<ServiceResponse> {
    const { operation } = prepared;
    const { call, guard } = await this.#authorize(prepared);
    const callContext = this.#createCallContext(call, guard);
    if (operation.effect === "money") return this.#sendIdempotently(callContext);
    const beforeWrite = async () => {
      await this.context.haltChecker.assertNotHalted(operation);
      if (guard) await (await this.releaseMiddleware()).markSent(guard);
    };
    callContext.beforeWrite = beforeWrite;
    const response = await this.#send(callContext);
    if (createdIdName(operation) !== undefined || deletedIdField(operation) !== undefined)
      await this.#loadResourceIds().then(
        (ids) => ids.record(call, response.body),
        (error: Error) => process.emitWarning(error),
      );
    return response;
  }

  /** Checks whether the call needs a release and has it. */
  async #authorize(call: PreparedCall): Promise<PreAuthorizedCall> {
    const preAuthorization = this.#preAuthorizations.get(call);
    if (preAuthorization) return { call, ...preAuthorization };
    if (this.context.settings.policy === undefined && call.options.release !== "needed") return { call };
    return (await this.releaseMiddleware()).preAuthorize(call);
  }

  /** Lists IDs created by earlier calls, of the kind the operation creates or takes. Newest first. */
  async listCreatedResources(operation: Declaration): Promise<readonly CreatedResource[]> {
    return (await this.#loadResourceIds()).list(operation);
  }

  #loadResourceIds(): Promise<ResourceIds> {
    this.#resourceIds ??= import("./resource-ids.js").then(
      ({ ResourceIds }) => new ResourceIds(this.context),
    );
    return this.#resourceIds;
  }

  releaseMiddleware(): Promise<ReleaseMiddleware> {
    this.#releaseMiddleware ??= import("../releases/release-middleware.js").then(
      ({ ReleaseMiddleware }) => new ReleaseMiddleware(this.context),
    );
    return this.#releaseMiddleware;
  }

  async #sendIdempotently(callContext: CallContext): Promise<ServiceResponse> {
    try {
      return await (await this.#idempotencyMiddleware()).call(callContext, (claimed) => this.#send(claimed));
    } catch (error) {
      callContext.deadline.release();
      throw toFxdeskError(callContext.call.operation, error, callContext);
    }
  }

  #idempotencyMiddleware(): Promise<IdempotencyMiddleware> {
    this.#idempotency ??= import("../journal/idempotency.js").then(
      ({ IdempotencyMiddleware }) =>
        new IdempotencyMiddleware(this.context, {
          prepare: (operation, input, options) => this.prepare(operation, input, options),
          send: (call) => this.#sendForJournal(call),
        }),
    );
    return this.#idempotency;
  }

  /** Sends a call for the journal: a lookup in the background, or a money call for the second time. */
  #sendForJournal(call: PreparedCall): Promise<ServiceResponse> {
    const callContext = this.#createCallContext(call);
    callContext.deadline.isInBackground = call.operation.effect === "read";
    return this.#send(callContext);
  }

  async #send(callContext: CallContext): Promise<ServiceResponse> {
    const { operation } = callContext.call;
    try {
      const received = await this.#sender.sendWithRetries(callContext);
      const response = readResponse(callContext, received, this.context);
      // Usually available synchronously; a needless await costs time.
      return response instanceof Promise ? await response : response;
    } catch (error) {
      callContext.deadline.release();
      callContext.permit?.release();
      throw toFxdeskError(operation, error, callContext);
    }
  }
}

const unreadFileError = (operation: string) =>
  new Aborted(`${operation}: The client was closed before the file was read.`, {
    operation,
    code: "aborted",
    outcome: "unknown",
    attempts: 1,
  });

const clientClosedError = ({ name }: Pick<Declaration, "name">) =>
  new FxdeskError(`${name}: The client is closed. Nothing was sent.`, {
    operation: name,
    code: "no_connection",
    outcome: "not-sent",
  });
