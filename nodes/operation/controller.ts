/** Controller of an operation node: receives messages, makes the calls and sends the results. */
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import { intoPath } from "../../core/call/file-delivery";
import { inSpan, propagateContext } from "../../core/call/spans";
import type { Callable } from "../../core/spec/operation";
import type { Progress } from "../../core/spec/procedure";
import { listNamesOf } from "../../core/spec/result-list";
import { defaultCapacity } from "../connection/connection-node";
import { findConnection, operationKind, resolveTarget, type Target } from "../connection/target";
import { catchErrors, reportError, type ErrorReport, withoutStacks } from "../shared/errors";
import { type InputDef, createInputReader } from "../shared/input";
import type { ReleaseFollower } from "../shared/release-status";
import type { Translate } from "../shared/status";
import { createSource, type TypedValue } from "../shared/typed-values";
import { createCancelMatcher, createKeyReader, correlationOf, readTimeLimit } from "./call-options";
import { callAndSend, type ResultMode } from "./output";
import type { Backpressure } from "./output/backpressure";
import { type CallOutcome, createResultProperty, type NodeCall } from "./output/node-call";
import { type Cancellation, MessageQueue, refusalError } from "./queue";
import type { DeployHandover } from "./redeploy";
import { type InputCallbacks, NodeOutput, Reply, type ReplyingNode } from "./reply";
import { OperationStatus } from "./status";

/** Stored properties of the node. */
export interface OperationDef extends NodeDef, InputDef {
  readonly connection: string;
  /** Name of the operation, if the node type does not determine it. */
  readonly operation?: string;
  /** Source of the idempotency key of calls that commit money. Default: msg.fxdesk.key. */
  readonly requestKey?: TypedValue;
  /** Time limit of a call in milliseconds. Empty: the limit of the connection. */
  readonly timeoutMs?: string;
  /** Conversion of the result to messages. */
  readonly results?: ResultMode;
  /** List of the result that has the entries. Empty: the main list. */
  readonly list?: string;
  /** Path for received files. Empty: the file is put into the message. */
  readonly saveTo?: TypedValue;
  /** Message property for the result. Default: payload. */
  readonly resultTo?: string;
  /** True to handle messages one at a time, in order of arrival. */
  readonly inOrder?: boolean;
  /** Number of outputs: 2 if errors have their own. */
  readonly outputs?: number;
}

/** Objects shared by all operation nodes of a runtime. */
export interface OperationRuntime {
  readonly RED: NodeAPI;
  readonly translate: Translate;
  readonly handover: DeployHandover<NodeOutput>;
  readonly backpressure: Backpressure;
  readonly releases: ReleaseFollower;
}

/** Prepares the readers of the form, once for all messages. Throws an Error if the result property is invalid. */
function prepareForm({ operation, client }: Target, RED: NodeAPI, node: Node, config: OperationDef) {
  const host = { RED, node };
  const { requestKey, resultTo, saveTo } = config;
  return {
    operation,
    client,
    readPath: saveTo?.value ? createSource(saveTo, host) : undefined,
    readKey: createKeyReader(operation, requestKey, host),
    readInput: createInputReader(operation, config, host),
    result: createResultProperty(RED, node, resultTo || undefined),
    lists: listNamesOf(operation),
  };
}

/** Returns the object that has the trace context of a message: the message, or the headers of the HTTP request it came with. */
const traceContextOf = (
  msg: NodeMessage & { traceparent?: unknown; req?: { headers?: object } },
): object | undefined => (msg.traceparent === undefined ? msg.req?.headers : msg);

/** Runs one node between two deploys. */
export class OperationController {
  readonly #status: OperationStatus;
  readonly #replying: ReplyingNode;
  readonly #queue: MessageQueue<Reply>;
  readonly #form: ReturnType<typeof prepareForm> | undefined;
  /** Reason why the node is not usable. */
  readonly #unusable: unknown;

  constructor(
    private readonly runtime: OperationRuntime,
    private readonly node: Node,
    private readonly config: OperationDef,
    name: string,
  ) {
    const { RED, translate, handover, releases } = runtime;
    const chosen = findConnection(RED, config.connection);
    this.#status = new OperationStatus(node, translate, releases);
    this.#replying = { node, name, handover, output: new NodeOutput(node, config.outputs === 2) };
    handover.register(node, this.#replying.output);
    // An invalid connection logs its own error.
    if ("missing" in chosen) node.error(chosen.missing);
    try {
      this.#form = prepareForm(resolveTarget(name, chosen, operationKind), RED, node, config);
      this.#status.resumeRelease(this.#form.client);
    } catch (error) {
      this.#unusable = error;
      this.#status.setUnusable(error);
    }
    const capacity = "connection" in chosen ? chosen.connection.capacity : undefined;
    const { maxInFlight, maxQueued } = capacity ?? defaultCapacity;
    this.#queue = new MessageQueue<Reply>(
      { maxInFlight: config.inOrder ? 1 : maxInFlight, maxWaiting: maxQueued },
      {
        handle: (reply, cancellation) =>
          catchErrors(this.#reportOf(reply), () => this.onInput(reply, cancellation)),
        refuse: (reply, reason) => {
          const error = withoutStacks(() => refusalError(name, reason, maxQueued));
          reportError(this.#reportOf(reply), error);
        },
        onChanged: () => this.#status.setSending(this.#queue),
      },
    );
  }

  /** Queues a message, or cancels others if it has `msg.cancel`. */
  receive(msg: NodeMessage, callbacks: InputCallbacks): void {
    const reply = new Reply(this.#replying, msg, callbacks);
    try {
      const matches = this.#form && createCancelMatcher(this.#form.operation, msg);
      if (!matches) return this.#queue.add(reply);
      this.#queue.cancel((each) => matches(each.msg));
      reply.complete();
    } catch (error) {
      reportError(this.#reportOf(reply), error);
    }
  }

  /** Reads the call from the form and the message, makes it and sends the result. */
  async onInput(reply: Reply, cancellation: Cancellation): Promise<void> {
    if (!this.#form) throw this.#unusable;
    const { operation, client, readPath, readKey, readInput, result, lists } = this.#form;
    const { timeoutMs, results = "all", list = "" } = this.config;
    const { msg } = reply;
    const saveTo = (await readPath?.(msg)) as string | undefined;
    const limit = readTimeLimit(operation, timeoutMs, msg);
    const key = await readKey?.(msg);
    const input = await readInput(msg);
    const common: NodeCall["options"] = {
      get signal() {
        return cancellation.signal;
      },
      onProgress: this.#onProgress,
      user: this.node.id,
      surface: "node-red",
    };
    const files = saveTo && operation.deliversFiles ? { deliver: intoPath(saveTo) } : undefined;
    // Spreading would create a new hidden class with every call.
    const options = Object.assign(common, correlationOf(msg), limit, files, key);
    const call: Omit<NodeCall, "list"> = {
      operation,
      client,
      input,
      options,
      saveTo,
      msg,
      result,
      send: (each: NodeMessage) => {
        propagateContext((header, value) => Object.assign(each, { [header]: value }));
        reply.send(each);
      },
      trackSent: () => this.runtime.backpressure.track(this.node, msg),
      onOutcome: (called: Callable, outcome: CallOutcome) =>
        reply.recordOutcome(called, outcome, this.#queue.isClosed),
    };
    // The call is validated in the synchronous part.
    const success = await inSpan(
      () => ({
        name: `node ${operation.name}`,
        kind: "CONSUMER",
        attributes: { "fxdesk.operation": operation.name, "node_red.node.id": this.node.id },
        parent: traceContextOf(msg),
      }),
      () => withoutStacks(() => callAndSend(call, { results, list, lists })),
    );
    const { release: report } = success;
    if (report) this.#status.setRelease({ client, report });
    else this.#status.setSuccess(success);
    reply.complete();
  }

  /**
   * Cancels waiting messages and reads. Calls that commit money and were sent finish. Resolves when all messages are
   * finished.
   */
  close({ isRemoved }: { readonly isRemoved: boolean }): Promise<void> {
    this.runtime.handover.unregister(this.node);
    this.#status.close({ isRemoved });
    return this.#queue.close();
  }

  readonly #onProgress = (progress: Progress): void => this.#status.setProgress(progress);

  #reportOf(reply: Reply): ErrorReport {
    return { status: this.#status, fail: (failure) => reply.fail(failure) };
  }
}
