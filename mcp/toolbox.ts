/** The tools of a service, on a client that calls it. */
import type { ClientCore } from "../core/api/client-types";
import { declarationsOf } from "../core/spec/service";
import { isWatch } from "../core/spec/watch";
import { Continuations } from "./continuations";
import { notOfferedError, type Offer, selectTools } from "./offered-tools";
import { InFlightCalls } from "./in-flight";
import { instructionsFor, titleFor } from "./instructions";
import { buildInventory } from "./inventory";
import type { Toolbox } from "./protocol";
import { type JsonObject, stoppingResult } from "./render/content";
import { Resources } from "./render/links";
import { runTool, type ToolContext } from "./run-tool";
import { parseWatchUri, Subscriptions, watchMimeType, type WatchUpdate } from "./subscriptions";
import { targetOf } from "./target";

export interface McpOptions extends Offer {
  /** Each operation, procedure and watch of its service is a tool; the everyday ones are offered by default. */
  readonly client: ClientCore;
}

export function createToolbox({ client, ...offer }: McpOptions): Toolbox {
  const { service, settings } = client;
  const selection = selectTools(buildInventory(service), offer);
  const callables = declarationsOf(service);
  const byTool = new Map(callables.map((callable) => [callable.tool, callable]));
  const target = targetOf(settings);
  const resources = new Resources();
  const context: ToolContext = {
    client,
    callables,
    target,
    skipsRelease: selection.skipsRelease,
    continuations: new Continuations(),
    resources,
  };
  const calls = new InFlightCalls();
  const subscriptions = new Subscriptions();

  const call: Toolbox["call"] = async (name, input, signal, caller = {}) => {
    const operation = byTool.get(name);
    if (!operation) return undefined;
    const notOffered = notOfferedError(operation, selection);
    if (notOffered) return notOffered;
    if (calls.isClosed) return stoppingResult(name);
    return calls.run(operation, signal, (combinedSignal) =>
      runTool(operation, input, context, { ...caller, signal: combinedSignal }),
    );
  };

  /** Calls the watch at a URI. Throws an Error with the text of an error result. */
  async function readChangesAt(
    uri: string,
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<WatchUpdate> {
    const { tool, input } = parseWatchUri(uri)!;
    const result = (await call(tool, { ...input, ...(cursor !== undefined && { cursor }) }, signal))!;
    if (result.isError)
      throw new Error(result.content.map((part) => ("text" in part ? part.text : "")).join(" "));
    return result.structuredContent as WatchUpdate;
  }

  const watchAt = (uri: string) => {
    const watch = byTool.get(parseWatchUri(uri)?.tool ?? "");
    return watch && isWatch(watch) ? watch : undefined;
  };

  async function readWatch(uri: string): Promise<JsonObject> {
    const subscription = subscriptions.get(uri);
    const update = subscription
      ? ((await subscription.read()) ?? { count: 0, changes: [] })
      : await readChangesAt(uri, undefined, new AbortController().signal);
    return { contents: [{ uri, mimeType: watchMimeType, text: JSON.stringify(update) }] };
  }

  return {
    tools: selection.tools,
    resources: selection.resources,
    instructions: instructionsFor(selection, target),
    title: titleFor(target),
    call,
    read: async (uri) => resources.read(uri) ?? (watchAt(uri) ? readWatch(uri) : undefined),
    subscribe(uri, onUpdated, signal) {
      const watch = watchAt(uri);
      if (!watch || !selection.names.has(watch.tool) || calls.isClosed) return false;
      const readAfter = (cursor: string | undefined, stopSignal: AbortSignal) =>
        readChangesAt(uri, cursor, stopSignal);
      subscriptions.add(uri, { readAfter, everyMs: watch.everyMs, onUpdated }, signal);
      return true;
    },
    async close() {
      subscriptions.closeAll();
      await calls.close();
    },
    unfinishedCalls: () => calls.unfinished(),
  };
}
