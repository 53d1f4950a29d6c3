/**
 * The tools of a service: lists them before it loads what runs them, because hosts start all servers at once and only list
 * the tools of most.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientCore } from "../core/api/client-types";
import type { Requester } from "../core/people/requester";
import type { Service } from "../core/spec/service";
import { readCard } from "./cards";
import { Completions } from "./completions";
import { instructionsFor, titleFor } from "./instructions";
import { type Settings, targetOf } from "./target";
import type { Inventory } from "./inventory";
import { notOfferedError, type Offer, selectTools } from "./offered-tools";
import { promptsFor, renderPrompt } from "./prompts";
import type { Toolbox } from "./protocol";
import { errorResult, stoppingResult } from "./render/content";
import type { ToolRunner } from "./run-tool";
import { parseWatchUri, Subscriptions, watchMimeType, type WatchUpdate } from "./subscriptions";

/** The generated inventory of all tools, next to the built server. */
export const toolsFile = "tools.json";

export interface LazyToolboxOptions extends Offer {
  /** Creates the client when the first tool is called. The caller sees the message of an error. */
  readonly connect: () => ClientCore | Promise<ClientCore>;
  /** The non-secret settings of that client, which identify the connection. */
  readonly settings: Settings;
  /** The client's service if it extends the contract; its tools are then derived instead of read from the generated list. */
  readonly service?: ClientCore["service"];
}

export interface McpOptions extends Offer {
  /** Each operation, procedure and watch of its service is a tool; the everyday ones are offered by default. */
  readonly client: ClientCore;
}

/** Returns the inventory of a service; without one, the generated inventory, which needs no declarations loaded. */
export function inventoryFor(service: Service | undefined): Inventory {
  if (!service) return JSON.parse(readFileSync(join(__dirname, toolsFile), "utf8")) as Inventory;
  const { buildInventory } = require("./inventory") as typeof import("./inventory");
  return buildInventory(service);
}

export const createToolbox = ({ client, ...offer }: McpOptions): Toolbox =>
  createLazyToolbox({ connect: () => client, settings: client.settings, service: client.service, ...offer });

export function createLazyToolbox({ connect, settings, service, ...offer }: LazyToolboxOptions): Toolbox {
  const target = targetOf(settings);
  const inventory = inventoryFor(service);
  const selection = selectTools(inventory, offer);
  const subscriptions = new Subscriptions(readChanges);
  let loading: Promise<ToolRunner> | undefined;
  let runner: ToolRunner | undefined;
  let isClosed = false;

  async function load(): Promise<ToolRunner> {
    const { ToolRunner: Runner } = require("./run-tool") as typeof import("./run-tool");
    return (runner = new Runner(await connect(), selection));
  }

  /** Loads once; after a failure the next call tries again. */
  const loadOnce = () =>
    (loading ??= load()).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });

  const call: Toolbox["call"] = async (name, input, signal, caller = {}) => {
    const known = inventory.tools.find(({ tool }) => tool.name === name);
    if (!known) return undefined;
    const notOffered = notOfferedError(known, selection, inventory);
    if (notOffered) return notOffered;
    if (isClosed) return stoppingResult(name);
    let loaded: ToolRunner;
    try {
      loaded = await loadOnce();
    } catch (error) {
      return errorResult(
        `The connection to the service could not be set up: ${(error as Error).message}`,
        "Ask the operator of this server to fix it.",
      );
    }
    return isClosed ? stoppingResult(name) : loaded.run(name, input, { ...caller, signal });
  };

  /** Calls the watch at a URI. Throws an Error with the text of an error result. */
  async function readChanges(
    uri: string,
    cursor: string | undefined,
    signal: AbortSignal,
    requester?: Requester,
  ): Promise<WatchUpdate> {
    const { tool, input } = parseWatchUri(uri)!;
    const args = { ...input, ...(cursor !== undefined && { cursor }) };
    const result = (await call(tool, args, signal, { requester }))!;
    if (result.isError)
      throw new Error(result.content.map((part) => ("text" in part ? part.text : "")).join(" "));
    return result.structuredContent as WatchUpdate;
  }

  const completions = new Completions((name, input, signal) => call(name, input, signal));

  const watchAt = (uri: string) => {
    const name = parseWatchUri(uri)?.tool;
    return inventory.tools.find(({ tool }) => tool.name === name)?.resource;
  };

  async function readWatch(uri: string, requester: Requester | undefined) {
    const subscription = subscriptions.get(uri, requester);
    const update = subscription
      ? await subscription.read()
      : await readChanges(uri, undefined, new AbortController().signal, requester);
    return { contents: [{ uri, mimeType: watchMimeType, text: JSON.stringify(update) }] };
  }

  return {
    tools: selection.tools,
    resources: selection.resources,
    instructions: instructionsFor(selection, target),
    title: titleFor(target),
    call,
    prompts: promptsFor(selection),
    renderPrompt: (name, values) => renderPrompt(name, values, selection),
    complete: (argument, text) => completions.complete(argument, text),
    read: async (uri, requester) =>
      readCard(uri, target) ??
      (watchAt(uri) ? readWatch(uri, requester) : runner?.resources.of(requester?.name).read(uri)),
    subscribe(uri, onUpdated, signal, requester) {
      const watch = watchAt(uri);
      if (!watch || !selection.resources.includes(watch) || isClosed) return false;
      subscriptions.add(uri, { everyMs: watch.everyMs, requester, onUpdated }, signal);
      return true;
    },
    async close() {
      isClosed = true;
      subscriptions.closeAll();
      await loading?.catch(() => undefined);
      await runner?.close();
    },
    unfinishedCalls: () => runner?.unfinishedCalls() ?? [],
  };
}
