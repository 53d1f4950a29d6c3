/** The toolbox of a server that lists its tools before it loads what runs them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientCore } from "../core/api/client-types";
import type { Service } from "../core/spec/service";
import { type Offer, selectTools } from "./offered-tools";
import { instructionsFor, titleFor } from "./instructions";
import type { Inventory } from "./inventory";
import type { Toolbox } from "./protocol";
import { errorResult, stoppingResult } from "./render/content";
import { parseWatchUri } from "./subscriptions";
import { type Settings, targetOf } from "./target";

/** The generated inventory of all tools, next to the built server. */
export const toolsFile = "tools.json";

export interface LazyToolboxOptions extends Offer {
  /** Creates the client when the first tool is called; the server closes it. The caller sees the message of an error. */
  readonly connect: () => ClientCore | Promise<ClientCore>;
  /** The non-secret settings of that client, which identify the connection. */
  readonly settings: Settings;
  /** The client's service if it extends the contract; its tools are then derived instead of read from the generated list. */
  readonly service?: Service;
}

/** Returns the inventory of a service; without one, the generated inventory, which needs no declarations loaded. */
export function inventoryFor(service: Service | undefined): Inventory {
  if (!service) return JSON.parse(readFileSync(join(__dirname, toolsFile), "utf8")) as Inventory;
  const { buildInventory } = require("./inventory") as typeof import("./inventory");
  return buildInventory(service);
}

interface Loaded {
  readonly client: ClientCore;
  readonly toolbox: Toolbox;
}

export function createLazyToolbox({ connect, settings, service, ...offer }: LazyToolboxOptions): Toolbox {
  const target = targetOf(settings);
  const selection = selectTools(inventoryFor(service), offer);
  let loading: Promise<Loaded> | undefined;
  let loaded: Loaded | undefined;
  let closed = false;

  async function load(): Promise<Loaded> {
    const { createToolbox } = require("./toolbox") as typeof import("./toolbox");
    const client = await connect();
    return (loaded = { client, toolbox: createToolbox({ client, ...offer }) });
  }

  /** Loads once; after a failure the next call tries again. */
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
    const { tool } = parseWatchUri(uri) ?? {};
    return selection.resources.some(({ name }) => name === tool);
  };

  return {
    tools: selection.tools,
    resources: selection.resources,
    instructions: instructionsFor(selection, target),
    title: titleFor(target),
    async call(...args) {
      if (closed) return stoppingResult(args[0]);
      try {
        return await (await loadOnce()).toolbox.call(...args);
      } catch (error) {
        return errorResult(
          `The connection to the service could not be set up: ${(error as Error).message}`,
          "Ask the operator of this server to fix it.",
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
    unfinishedCalls: () => loaded?.toolbox.unfinishedCalls() ?? [],
  };
}
