/** The toolbox of a server that lists its tools before it loads what runs them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientCore } from "../core/client/client";
import { type Allowed, allowedTools, type ToolEntry } from "./allow";
import { instructionsFor } from "./instructions";
import { refusal, type Toolbox } from "./protocol";

/** The file that holds the tools of all operations of the contract, sorted by name; beside the built server. */
export const writtenTools = "tools.json";

export interface WrittenOptions {
  /** Gives the client when the first tool is called. What it throws is told to the one who called. */
  readonly connect: () => ClientCore | Promise<ClientCore>;
  /** What tools may do beyond reading; nothing by default. */
  readonly allow?: readonly Allowed[];
}

export function writtenToolbox({ connect, allow = [] }: WrittenOptions): Toolbox {
  const written = JSON.parse(readFileSync(join(__dirname, writtenTools), "utf8")) as ToolEntry[];
  let loading: Promise<Toolbox> | undefined;
  const load = async () => {
    const { toolbox } = require("./toolbox") as typeof import("./toolbox");
    return toolbox({ client: await connect(), allow });
  };
  return {
    tools: allowedTools(written, allow),
    instructions: instructionsFor(allow),
    async call(...args) {
      try {
        return await (await (loading ??= load())).call(...args);
      } catch (error) {
        loading = undefined;
        return refusal(`The connection to the service is not set up: ${(error as Error).message}`);
      }
    },
  };
}
