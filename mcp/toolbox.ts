/** The tools of a service, on a client that calls it. */
import type { Reply } from "../core/client/reply";
import type { ClientCore } from "../core/client/client";
import { failureOf } from "../core/client/failure";
import { outcomeLine } from "../core/client/outcome";
import { FxdeskError } from "../core/errors";
import type { Declaration } from "../core/operations/declaration";
import { type Allowed, allowedTools, isAllowed } from "./allow";
import { Calls } from "./calls";
import { broken, failed, unshown } from "./failure";
import { instructionsFor } from "./instructions";
import { present } from "./present";
import { type JsonObject, refusal, stopping, type Toolbox, type ToolResult } from "./protocol";
import { toolsOf } from "./tools";

export interface McpOptions {
  /** One tool for each operation of its service. */
  readonly client: ClientCore;
  /** What tools may do beyond reading; nothing by default. */
  readonly allow?: readonly Allowed[];
}

/** For the model a closed door: who holds the key, not how to turn it. */
const switchedOff = ({ tool, effect }: Declaration): ToolResult =>
  refusal(
    `${tool} is switched off on this server, and nothing was sent.`,
    `Only the person who runs the server can switch it on, by starting it with --allow ${effect}.`,
  );

/** The error for a call of which nobody can say what became of it. */
const lost = (operation: Declaration, error: unknown): FxdeskError =>
  failureOf(operation, error, { attempts: 1, sent: true });

const line = (operation: Declaration, ended: Reply | FxdeskError) =>
  `fxdesk: ${outcomeLine(operation, ended)}`;

/** Whoever stopped waiting, the log has the outcome of each call that commits money. */
function log(operation: Declaration, ended: Reply | FxdeskError): void {
  if (operation.effect === "money") console.error(line(operation, ended));
}

export function toolbox({ client, allow = [] }: McpOptions): Toolbox {
  const { operations } = client.service;
  const byTool = new Map(operations.map((operation) => [operation.tool, operation]));
  const calls = new Calls();

  function failure(operation: Declaration, error: unknown): ToolResult {
    if (error instanceof FxdeskError) {
      log(operation, error);
      return failed(operation, error, operations);
    }
    console.error(error);
    log(operation, lost(operation, error));
    return broken(operation, operations);
  }

  async function run(operation: Declaration, input: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    let reply: Reply;
    try {
      reply = await client.call(operation, input, { signal });
    } catch (error) {
      return failure(operation, error);
    }
    try {
      log(operation, reply);
      return await present(operation, input, reply);
    } catch (error) {
      console.error(error);
      return unshown(operation, reply.status);
    }
  }

  return {
    tools: allowedTools(toolsOf(operations), allow),
    instructions: instructionsFor(allow),
    async call(name, input, signal) {
      const operation = byTool.get(name);
      if (!operation) return undefined;
      if (!isAllowed(operation.effect, allow)) return switchedOff(operation);
      if (calls.closed) return stopping(name);
      return calls.run(operation, signal, (either) => run(operation, input, either));
    },
    close: () => calls.close(),
    unfinished: () =>
      calls.money().map((operation) => line(operation, lost(operation, new Error("the server was stopped")))),
  };
}
