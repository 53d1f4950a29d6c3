/** The toolbox of a server that lists its tools before it loads what runs them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Service } from "../core/declaration/service";
import { type Allowed, allowedTools, type ToolEntry } from "./allow";
import { targetOf, type Settings } from "./target";
import { instructionsFor, titleFor } from "./instructions";
import { errorResult, stoppingResult, type Toolbox } from "./protocol";
import type { ClientCore } from "../core/client/methods";

/** The file that holds the tools of all operations of the contract, sorted by name; beside the built server. */
export const toolsFile = "tools.json";

export interface LazyToolboxOptions {
  /** Gives the client when the first tool is called; the server closes it. What it throws is told to the caller. */
  readonly connect: () => ClientCore | Promise<ClientCore>;
  /** The settings of that client as far as they are no secrets, to say which connection it is. */
  readonly settings: Settings;
  /** The client's service, where it is not the contract alone: its tools are written nowhere. */
  readonly service?: Service;
  /** What tools may do beyond reading; nothing by default. */
  readonly allow?: readonly Allowed[];
}

const toolsOfContract = () => JSON.parse(readFileSync(join(__dirname, toolsFile), "utf8")) as ToolEntry[];

function toolsOfService({ operations }: Service): ToolEntry[] {
  const { toolsOf } = require("./tools") as typeof import("./tools");
  return toolsOf(operations);
}

interface Loaded {
  readonly client: ClientCore;
  readonly toolbox: Toolbox;
}

export function lazyToolbox({ connect, settings, service, allow = [] }: LazyToolboxOptions): Toolbox {
  const target = targetOf(settings);
  const tools = service ? toolsOfService(service) : toolsOfContract();
  let loading: Promise<Loaded> | undefined;
  let loaded: Loaded | undefined;
  let closed = false;

  async function load(): Promise<Loaded> {
    const { toolbox } = require("./toolbox") as typeof import("./toolbox");
    const client = await connect();
    return (loaded = { client, toolbox: toolbox({ client, allow }) });
  }

  return {
    tools: allowedTools(tools, allow),
    instructions: instructionsFor(allow, target),
    title: titleFor(target),
    async call(...args) {
      if (closed) return stoppingResult(args[0]);
      try {
        return await (await (loading ??= load())).toolbox.call(...args);
      } catch (error) {
        loading = undefined;
        return errorResult(
          `The connection to the service is not set up: ${(error as Error).message}`,
          "Ask the operator of this server.",
        );
      }
    },
    read: (uri) => loaded?.toolbox.read(uri),
    async close() {
      closed = true;
      await loading?.catch(() => undefined);
      await loaded?.toolbox.close();
      await loaded?.client.close();
    },
    unfinished: () => loaded?.toolbox.unfinished() ?? [],
  };
}
