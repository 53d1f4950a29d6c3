/** The tools of a list of operations, on a client that calls them. */
import type { Reply } from "../core/client/reply";
import type { ClientCore } from "../core/client/client";
import { FxdeskError } from "../core/errors";
import { operations as allOperations } from "../core/operations";
import type { Declaration } from "../core/operations/declaration";
import { type Allowed, allowedTools, isAllowed } from "./allow";
import { broken, failed, unshown } from "./failure";
import { instructionsFor } from "./instructions";
import { present } from "./present";
import { type JsonObject, refusal, type Toolbox, type ToolResult } from "./protocol";
import { toolsOf } from "./tools";

export interface McpOptions {
  readonly client: ClientCore;
  /** One tool for each; all operations of the contract by default. */
  readonly operations?: readonly Declaration[];
  /** What tools may do beyond reading; nothing by default. */
  readonly allow?: readonly Allowed[];
}

/** For the model a closed door: who holds the key, not how to turn it. */
const switchedOff = ({ tool, effect }: Declaration): ToolResult =>
  refusal(
    `${tool} is switched off on this server, and nothing was sent.`,
    `Only the person who runs the server can switch it on, by starting it with --allow ${effect}.`,
  );

export function toolbox({ client, operations = allOperations, allow = [] }: McpOptions): Toolbox {
  const byTool = new Map(operations.map((operation) => [operation.tool, operation]));

  async function run(operation: Declaration, input: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    let reply: Reply;
    try {
      reply = await client.call(operation, input, { signal });
    } catch (error) {
      if (error instanceof FxdeskError) return failed(operation, error, operations);
      console.error(error);
      return broken(operation, operations);
    }
    return present(operation, input, reply).catch((error: unknown) => {
      console.error(error);
      return unshown(operation, reply.status);
    });
  }

  return {
    tools: allowedTools(toolsOf(operations), allow),
    instructions: instructionsFor(allow),
    async call(name, input, signal) {
      const operation = byTool.get(name);
      if (!operation) return undefined;
      return isAllowed(operation.effect, allow) ? run(operation, input, signal) : switchedOff(operation);
    },
  };
}
