/** The runtime of every operation's node. */
import { setMaxListeners } from "node:events";
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage, NodeStatus } from "node-red";
import type { ClientCore } from "../../core/client/client";
import { FxdeskError } from "../../core/errors";
import type { Declaration } from "../../core/operations/declaration";
import type { ConnectionNode } from "../connection/connection";
import { answersTo, type PageMode } from "./answers";
import { failureOf } from "./failure";
import { type InputDef, inputReader } from "./input";
import { sourceOf, type TypedValue } from "./sources";
import { answered, calling, failed, unconnected, wordsOf } from "./status";

/** What the editor keeps of a node. */
export interface OperationDef extends NodeDef, InputDef {
  readonly connection: string;
  /** Time limit of a call in milliseconds; the connection's when empty. */
  readonly timeoutMs?: string;
  /** How a list that comes in pages is answered. */
  readonly pages?: PageMode;
  /** Path for a file that comes; it goes into the message when empty. */
  readonly saveTo?: TypedValue;
}

const noConnection = (operation: Declaration, because: string) =>
  new FxdeskError(`${operation.name}: ${because}`, {
    operation: operation.name,
    code: "no_connection",
    outcome: "not-sent",
  });

function clientOf(operation: Declaration, connection: ConnectionNode | null): ClientCore {
  if (!connection) throw noConnection(operation, "Choose a connection in the node.");
  if (!connection.client)
    throw noConnection(operation, `The connection is not usable: ${connection.problem}`);
  return connection.client;
}

/** Calls under way: what the status counts, and what closing waits for. */
class UnderWay {
  readonly #calls = new Set<Promise<void>>();
  readonly #abort = new AbortController();

  constructor() {
    // Every call listens to the one signal.
    setMaxListeners(0, this.#abort.signal);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Runs a call and counts it until it ends. `report` hears how many are under way, before and after. */
  run(call: () => Promise<void>, report: (count: number) => void): void {
    const counted = call().finally(() => {
      this.#calls.delete(counted);
      report(this.#calls.size);
    });
    this.#calls.add(counted);
    report(this.#calls.size);
  }

  /** Ends reads and requests. A call that commits money is let finish, so that its outcome is known. */
  async end({ effect }: Declaration): Promise<void> {
    if (effect !== "money") this.#abort.abort();
    await Promise.all(this.#calls);
  }
}

/** The runtime of the node of one operation. Every failure reaches Catch nodes, with the message that came. */
export function operationNode(
  RED: NodeAPI,
  operation: Declaration,
): NodeConstructor<Node, OperationDef, object> {
  const words = wordsOf(RED);
  return function OperationNode(this: Node, config: OperationDef) {
    RED.nodes.createNode(this, config);
    const host = { RED, node: this };
    const connection = RED.nodes.getNode(config.connection) as ConnectionNode | null;
    const readInput = inputReader(operation, config, host);
    const readPath = config.saveTo?.value ? sourceOf(config.saveTo, host) : () => undefined;
    const timeoutMs = Number(config.timeoutMs) || undefined;
    const calls = new UnderWay();
    let ended: NodeStatus = {};

    const answer = async (msg: NodeMessage, send: (msg: NodeMessage) => void): Promise<NodeStatus> => {
      const call = {
        operation,
        client: clientOf(operation, connection),
        input: await readInput(msg),
        options: { signal: calls.signal, ...(timeoutMs && { timeoutMs }) },
        saveTo: (await readPath(msg)) as string | undefined,
        msg,
        copy: () => RED.util.cloneMessage({ ...msg, payload: undefined }),
      };
      let entries = 0;
      let last: NodeMessage = msg;
      for await (last of answersTo(call, config.pages ?? "all")) {
        if (Array.isArray(last.payload)) entries += last.payload.length;
        send(last);
      }
      return answered(words, last, entries);
    };

    if (!connection?.client) this.status(unconnected(words));

    this.on("input", (msg, send, done) => {
      const call = async () => {
        try {
          ended = await answer(msg, send);
          done();
        } catch (error) {
          const failure = failureOf(error);
          ended = failed(failure);
          done(failure);
        }
      };
      calls.run(call, (count) => this.status(count > 0 ? calling(words, count) : ended));
    });

    const close = async (done: () => void) => {
      await calls.end(operation);
      done();
    };
    this.on("close", (done: () => void) => void close(done));
  };
}
