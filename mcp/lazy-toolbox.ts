/** The toolbox of a server that lists its tools before it loads what runs them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { declarationsOf, type Service } from "../core/declaration/service";
import type { ToolEntry } from "./allow";
import { isBeside, type Offer, offeredResources, offeredTools, type Offered, offeredOf } from "./offer";
import { targetOf, type Settings } from "./target";
import { instructionsFor, titleFor } from "./instructions";
import { watchAt } from "./watch-resources";
import { errorResult, stoppingResult, type Toolbox } from "./protocol";
import type { ClientCore } from "../core/client/methods";

/** The file that holds the tools of all that is declared, sorted by name; beside the built server. */
export const toolsFile = "tools.json";

/** What is in it: the tools, and what is told of their service without loading it. */
export interface ToolsFile {
  readonly tools: readonly ToolEntry[];
  /** The names of the tools that are offered by default. */
  readonly daily: readonly string[];
  /** Whether there are watches among them. */
  readonly hasWatches: boolean;
}

export interface LazyToolboxOptions extends Offer {
  /** Gives the client when the first tool is called; the server closes it. What it throws is told to the caller. */
  readonly connect: () => ClientCore | Promise<ClientCore>;
  /** The settings of that client as far as they are no secrets, to say which connection it is. */
  readonly settings: Settings;
  /** The client's service, where it is not the contract alone: its tools are written nowhere. */
  readonly service?: Service;
}

const toolsOfContract = () => JSON.parse(readFileSync(join(__dirname, toolsFile), "utf8")) as ToolsFile;

function toolsOfService(service: Service): readonly ToolEntry[] {
  const { toolsOf } = require("./tools") as typeof import("./tools");
  return toolsOf(declarationsOf(service));
}

interface Listed {
  readonly tools: readonly ToolEntry[];
  readonly offered: Offered;
}

/** What is offered by default is written down; to choose otherwise needs the service. */
function listed(service: Service | undefined, offer: Offer): Listed {
  if (service) return { tools: toolsOfService(service), offered: offeredOf(service, offer) };
  const { tools, daily, hasWatches } = toolsOfContract();
  if (offer.toolsets || offer.tools) {
    const { fxdeskService } = require("../core/service") as typeof import("../core/service");
    return { tools, offered: offeredOf(fxdeskService, offer) };
  }
  const allow = offer.readOnly ? [] : (offer.allow ?? []);
  const beside = tools.filter((each) => isBeside(each, allow)).map(({ tool }) => tool.name);
  const names = new Set([...daily, ...beside]);
  const hasMore = daily.length < tools.length;
  const isReleased = offer.release === "never";
  return { tools, offered: { allow, names, hasMore, hasWatches, isReleased } };
}

interface Loaded {
  readonly client: ClientCore;
  readonly toolbox: Toolbox;
}

export function lazyToolbox({ connect, settings, service, ...offer }: LazyToolboxOptions): Toolbox {
  const target = targetOf(settings);
  const { tools, offered } = listed(service, offer);
  let loading: Promise<Loaded> | undefined;
  let loaded: Loaded | undefined;
  let closed = false;

  async function load(): Promise<Loaded> {
    const { toolbox } = require("./toolbox") as typeof import("./toolbox");
    const client = await connect();
    return (loaded = { client, toolbox: toolbox({ client, ...offer }) });
  }

  /** The next one tries again where it failed. */
  const loadOnce = () =>
    (loading ??= load()).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });

  async function subscribeOnce(...args: Parameters<Toolbox["subscribe"]>): Promise<void> {
    const { toolbox } = await loadOnce();
    toolbox.subscribe(...args);
  }

  const isWatched = (uri: string) => {
    const { tool } = watchAt(uri) ?? {};
    return tool !== undefined && offered.names.has(tool);
  };

  return {
    tools: offeredTools(tools, offered),
    resources: offeredResources(tools, offered),
    instructions: instructionsFor(offered, target),
    title: titleFor(target),
    async call(...args) {
      if (closed) return stoppingResult(args[0]);
      try {
        return await (await loadOnce()).toolbox.call(...args);
      } catch (error) {
        return errorResult(
          `The connection to the service is not set up: ${(error as Error).message}`,
          "Ask the operator of this server.",
        );
      }
    },
    read: async (uri) => (isWatched(uri) ? (await loadOnce()).toolbox.read(uri) : loaded?.toolbox.read(uri)),
    subscribe(uri, updated, signal) {
      if (closed || !isWatched(uri)) return false;
      subscribeOnce(uri, updated, signal).catch((error: Error) => console.error(error.message));
      return true;
    },
    async close() {
      closed = true;
      await loading?.catch(() => undefined);
      await loaded?.toolbox.close();
      await loaded?.client.close();
    },
    unfinished: () => loaded?.toolbox.unfinished() ?? [],
  };
}
