/** The path of every call of a client, from input to response. */
import { createError } from "../spec/errors";
import { Lazy } from "../values/lazy";
import { createdIdName, deletedIdField } from "../spec/created-resources";
import type { Values } from "../spec/fields";
import type { Declaration } from "../spec/operation";
import type { CallOptions } from "../call/call-options";
import type { ClientContext } from "../call/client-context";
import { InFlight } from "../call/in-flight";
import type { Interceptor } from "../call/client-options";
import { userInterceptors } from "../call/interceptors";
import {
  type CallRequest,
  composeMiddleware,
  createRequest,
  limitTime,
  type Middleware,
  type Handler,
  type PreAuthorization,
  trace,
} from "../call/middleware";
import { prepareCall } from "../call/prepare";
import type { PreparedCall } from "../call/prepared-call";
import type { CreatedResource, EarlierCalls, RecoveredCall, ServiceResponse } from "../call/response";
import { Sender } from "../call/send";
import type { JournalReconciliation, PartialPeriod } from "../journal/reconciliation";
import type { ReleaseMiddleware } from "../releases/release-middleware";

/** Time that `close` waits for created IDs to be stored. The same as for the journal. */
const recordTimeoutMs = 5_000;

/** Runs the calls of one client. */
export class Pipeline {
  readonly #sender: Sender;
  readonly #run: Handler;
  readonly #inFlight = new InFlight();
  #closed = false;
  /** Loaded with the first call that commits money. */
  readonly #idempotency = new Lazy(async () => {
    const { IdempotencyMiddleware } = await import("../journal/idempotency.js");
    return new IdempotencyMiddleware(this.context, this.#sender.send);
  });
  /** Loaded with the first call that may need a release. */
  readonly #releases = new Lazy(async () => {
    const { ReleaseMiddleware } = await import("../releases/release-middleware.js");
    return new ReleaseMiddleware(this.context, this.onReleaseNeeded, async (call) =>
      (await this.#idempotency.get()).findEarlierResponse(call),
    );
  });
  /** Loaded with the first call that creates or deletes a resource and commits no money. */
  readonly #resourceIds = new Lazy(async () => {
    const { ResourceIds } = await import("./resource-ids.js");
    return new ResourceIds(this.context);
  });

  constructor(
    readonly context: ClientContext,
    interceptors: readonly Interceptor[],
    /** Called when a call waits for release. */
    private readonly onReleaseNeeded: () => void,
  ) {
    this.#sender = new Sender(context);
    this.#run = composeMiddleware(
      [
        trace,
        userInterceptors(interceptors, context),
        context.haltChecker.stopIfHalted,
        this.#requireRelease,
        limitTime(context),
        this.#rememberQuote,
        this.#recordResourceId,
        this.#sendOnce,
      ],
      this.#sender.send,
    );
  }

  /** Throws an FxdeskError. */
  prepare(operation: Declaration, input: Values, options: CallOptions): PreparedCall {
    return prepareCall(operation, input, this.context, options);
  }

  /** Makes a call. `target` replaces the path and query derived from the input, for links to further pages. */
  call(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    target?: string,
  ): Promise<ServiceResponse> {
    return this.#start(operation, () => {
      const call = prepareCall(operation, input, this.context, options, target);
      return createRequest(call, this.context.service);
    });
  }

  /** Makes a call that belongs to a released order. */
  callPreAuthorized(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    { guard }: PreAuthorization,
  ): Promise<ServiceResponse> {
    return this.#start(operation, () => {
      const call = this.prepare(operation, input, options);
      return createRequest(call, this.context.service, { isReleased: true, guard });
    });
  }

  /** Makes the call of a released request, if it is exactly the released one. */
  callReleased(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    release: string,
  ): Promise<ServiceResponse> {
    return this.#start(operation, () => {
      const call = this.prepare(operation, input, options);
      return createRequest(call, this.context.service, { isReleased: false, release });
    });
  }

  /** Throws an Error if the store cannot be used or the entry does not exist. */
  async recover(entry: string | undefined): Promise<RecoveredCall[]> {
    if (this.#closed) throw clientClosedError("client.recover");
    const results = await (await this.#idempotency.get()).recover(entry);
    return results.map(({ entry: { id, operation, state, ending }, remark }) => ({
      entry: id,
      operation,
      state: state as RecoveredCall["state"],
      identity: ending?.identity,
      remark,
    }));
  }

  /** Throws a TypeError for an invalid period, an Error if the store cannot be used. */
  async reconcileJournal(period: PartialPeriod): Promise<JournalReconciliation> {
    if (this.#closed) throw clientClosedError("client.reconcileJournal");
    const { reconcileJournal } = await import("../journal/reconciliation.js");
    return reconcileJournal(this.context, this.#sender.send, period);
  }

  /** Lists IDs created by earlier calls, of the kind the operation creates or takes. Newest first. */
  async listCreatedResources(operation: Declaration): Promise<readonly CreatedResource[]> {
    return (await this.#resourceIds.get()).list(operation);
  }

  /** Throws an Error if the store cannot be read. */
  async listEarlierCalls(
    operations: readonly Declaration[],
    since: number,
    options: CallOptions,
  ): Promise<EarlierCalls> {
    const { listEarlierCalls } = await import("./earlier-calls.js");
    return listEarlierCalls(this.context, await this.#releases.get(), { operations, since, options });
  }

  /** Runs work while no other process of the store does so for the operation, environment and client. */
  async exclusively<T>(operation: Declaration, work: () => Promise<T>, options: CallOptions): Promise<T> {
    const { workExclusively } = await import("./exclusive-work.js");
    return workExclusively(this.context, operation, options, work);
  }

  releaseMiddleware(): Promise<ReleaseMiddleware> {
    return this.#releases.get();
  }

  /** Refuses new calls, waits for calls in progress and closes the connections. Unread files are abandoned. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#inFlight.whenIdle();
    await this.context.tokens?.whenIdle();
    await (await this.#resourceIds.started?.catch(() => undefined))?.close(recordTimeoutMs);
    await (await this.#idempotency.started)?.close();
    await (await this.#releases.started)?.close();
    await this.context.haltChecker.close();
    await this.context.pacing.close?.();
    this.context.transport.close();
  }

  async #start(operation: Declaration, prepare: () => CallRequest): Promise<ServiceResponse> {
    if (this.#closed) throw clientClosedError(operation.name);
    return this.#inFlight.track(async () => this.#run(prepare()));
  }

  /** Middleware: holds a change until it is released, if a policy or the caller requires it. */
  readonly #requireRelease: Middleware = async (request, next) => {
    const { operation, options } = request.call;
    const mayNeedRelease =
      this.context.settings.policy !== undefined ||
      this.context.settings.people !== undefined ||
      this.context.requester?.keyHash !== undefined ||
      options.release === "needed" ||
      request.release !== undefined;
    if (operation.effect === "read" || request.isReleased || !mayNeedRelease) return next(request);
    return (await this.releaseMiddleware()).requireRelease(request, next);
  };

  /** Middleware: sends a call that commits money or was released at most once, through the journal. */
  readonly #sendOnce: Middleware = async (request, next) =>
    request.call.operation.effect === "money" || request.guard
      ? (await this.#idempotency.get()).sendOnce(request, next)
      : next(request);

  readonly #rememberQuote: Middleware = async (request, next) => {
    const response = await next(request);
    this.context.quotes.remember(request.call, response);
    return response;
  };

  /** Middleware: stores the ID of a created resource that the service cannot list. Those of money calls are in the journal. */
  readonly #recordResourceId: Middleware = async (request, next) => {
    const response = await next(request);
    const { call } = request;
    const { operation } = call;
    const isRecorded = createdIdName(operation) !== undefined || deletedIdField(operation) !== undefined;
    if (operation.effect === "change" && isRecorded)
      await this.#resourceIds.get().then(
        (ids) => ids.record(call, response.body),
        (error: Error) => process.emitWarning(error),
      );
    return response;
  };
}

const clientClosedError = (operation: string) =>
  createError(
    operation,
    "no_connection",
    "not-sent",
    `${operation}: The client is closed. Nothing was sent.`,
  );
