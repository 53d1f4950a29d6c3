/** The tools of a service, on a client that calls it. */
import { toFxdeskError, invalidInputError } from "../core/call/call-errors";
import { formatOutcomeLine } from "../core/call/outcome-line";
import type { ServiceResponse } from "../core/call/response";
import { FxdeskError, ReleaseNeeded } from "../core/spec/errors";
import type { Callable } from "../core/spec/operation";
import { declarationsOf } from "../core/spec/service";
import { isWatch } from "../core/spec/watch";
import { isAllowed } from "./allow";
import { type Offer, resolveOffer, offeredResources, offeredTools } from "./filters";
import { parseArguments } from "./arguments";
import { watchAsCallable, readChanges, splitWatchArguments } from "./watch-tool";
import { PendingCalls } from "./in-flight";
import { targetData, type Target, targetOf, describeTarget } from "./target";
import {
  failureResult,
  internalFailureResult,
  releaseNotRequestedResult,
  unreadableResult,
  waitingResult,
} from "./tool-error";
import { instructionsFor, titleFor } from "./instructions";
import { ExpiringStore } from "./render/expiring-store";
import { type FxdeskNotes, toolResultOf, type CallResponse } from "./render/result";
import {
  type Answer,
  type AskUser,
  errorResult,
  type JsonObject,
  stoppingResult,
  type Toolbox,
  type ToolResult,
} from "./protocol";
import { releaseQuestionOf } from "./release-question";
import { splitKey } from "./request-key";
import { type StoredPage, readList } from "./read-list";
import { deliverToResources } from "./render/files";
import { Resources } from "./render/links";
import { Subscription, type WatchUpdate } from "./subscriptions";
import { toolListOf } from "./inventory";
import { parseWatchUri, watchMimeType } from "./watch-uri";
import { cursorArgument, returnsRows } from "./row-range";
import type { CallOptions } from "../core/call/call-options";
import type { Values } from "../core/spec/fields";
import type { ClientCore } from "../core/api/client-types";
import type { ConfirmRelease } from "../core/call/call-options";

export interface McpOptions extends Offer {
  /** Each operation, procedure and watch of its service is a tool; the everyday ones are offered by default. */
  readonly client: ClientCore;
}

/** Refers to the operator and does not name the setting, because a model must not change it. */
const switchedOffResult = ({ tool, effect }: Callable): ToolResult =>
  errorResult(
    `${tool} is not allowed on this server. Nothing was sent.`,
    `Ask the operator of this server whether to allow tools with the effect ${effect}.`,
  );

/** Returns the result for a tool that exists but is not offered. */
const notOfferedResult = ({ tool }: Callable): ToolResult =>
  errorResult(
    `${tool} is not offered by this server. Nothing was sent.`,
    "Ask the operator of this server whether to offer it.",
  );

const unknownOutcomeError = (operation: Callable, error: unknown): FxdeskError =>
  toFxdeskError(operation, error, { attempts: 1, sent: true });

const logLine = (operation: Callable, outcome: ServiceResponse | FxdeskError) =>
  `fxdesk: ${formatOutcomeLine(operation, outcome)}`;

/** Logs the outcome of each call that moves money, because its caller may no longer be waiting. */
function log(operation: Callable, outcome: ServiceResponse | FxdeskError): void {
  if (operation.effect === "money") console.error(logLine(operation, outcome));
}

/** Notes the correct spelling of arguments. */
function spellingNotes(corrections: readonly { readonly given: string; readonly name: string }[]): string[] {
  if (corrections.length === 0) return [];
  const names = corrections.map(({ given, name }) => `${name} (not ${given})`);
  return [`Argument names were corrected: ${names.join(", ")}.`];
}

/** Adds the target for calls that do more than read. */
function notesFor({ effect }: Callable, target: Target, notes: readonly string[]): FxdeskNotes {
  return { notes, ...(effect !== "read" && { target: targetData(target) }) };
}

const notReleasedNote = "No person released this call, because this server runs with --release never.";

/** Separates the arguments of the operation from those of the tool. */
function splitToolArguments(
  operation: Callable,
  input: JsonObject,
): readonly [given: JsonObject, own: JsonObject] {
  if (isWatch(operation)) return splitWatchArguments(input);
  if (!returnsRows(operation)) return [input, {}];
  const { [cursorArgument]: cursor, ...given } = input;
  return [given, { cursor: cursor ?? undefined }];
}

export function createToolbox({ client, ...offer }: McpOptions): Toolbox {
  const { service, settings } = client;
  const list = toolListOf(service);
  const offered = resolveOffer(list, offer);
  const { allow, names } = offered;
  const callables = declarationsOf(service);
  const target = targetOf(settings);
  const byTool = new Map(callables.map((callable) => [callable.tool, callable]));
  const calls = new PendingCalls();
  const storedPages = new ExpiringStore<StoredPage>();
  const resources = new Resources();

  /** The answer of the user of the host, if asked. */
  interface ReleaseConfirmation {
    answer?: Answer;
  }

  /** Shows the terms to the user of the host before a release is requested. */
  const confirmReleaseWith = (
    operation: Callable,
    ask: AskUser,
    confirmation: ReleaseConfirmation,
  ): ConfirmRelease => {
    return async (proposal) =>
      (confirmation.answer = await ask(releaseQuestionOf(operation, proposal))) === "yes";
  };

  function failure(operation: Callable, error: unknown, { answer = "yes" }: ReleaseConfirmation): ToolResult {
    const isNotConfirmed =
      answer !== "yes" && error instanceof FxdeskError && error.code === "release_refused";
    // The host repeats the call with the answer; nothing to log until then.
    if (isNotConfirmed && answer === "later") return releaseNotRequestedResult(operation, answer);
    const connectionText = operation.effect === "read" ? "" : `The connection: ${describeTarget(target)}.`;
    if (error instanceof FxdeskError) {
      log(operation, error);
      if (error instanceof ReleaseNeeded) return waitingResult(operation, error, callables);
      if (isNotConfirmed) return releaseNotRequestedResult(operation, answer);
      return failureResult(operation, error, callables, connectionText);
    }
    console.error(error);
    log(operation, unknownOutcomeError(operation, error));
    return internalFailureResult(operation, callables, connectionText);
  }

  async function respond(operation: Callable, input: JsonObject, callOptions: CallOptions) {
    const { key, rest, violations: keyViolations } = splitKey(operation, input);
    const [given, own] = splitToolArguments(operation, rest);
    const {
      values,
      violations: fieldViolations,
      spellingCorrections,
    } = parseArguments(operation, given, settings);
    const violations = [...keyViolations, ...fieldViolations];
    if (violations.length > 0) throw invalidInputError(operation, violations);
    const deliver = deliverToResources(resources);
    const options: CallOptions = {
      ...callOptions,
      surface: "mcp",
      deliver,
      ...(key !== undefined && { key }),
      ...(!offered.skipsRelease && { release: "needed" }),
    };
    const call = (sent: Values) => client.call(operation, sent, options);
    const response: CallResponse = isWatch(operation)
      ? await readChanges(operation, client, values, { ...own, signal: callOptions.signal })
      : returnsRows(operation)
        ? await readList({ operation, call }, values, own.cursor, storedPages)
        : { pages: [{ response: await call(values) }] };
    const { journal } = response.pages[0].response;
    const notes = [
      ...spellingNotes(spellingCorrections),
      ...(operation.effect === "money" && offered.skipsRelease ? [notReleasedNote] : []),
    ];
    return { response, notes: { ...notesFor(operation, target, notes), journal } };
  }

  async function run(
    operation: Callable,
    input: JsonObject,
    options: CallOptions,
    ask: AskUser | undefined,
  ): Promise<ToolResult> {
    const confirmation: ReleaseConfirmation = {};
    let received: Awaited<ReturnType<typeof respond>>;
    try {
      received = await respond(operation, input, {
        ...options,
        ...(ask && { confirmRelease: confirmReleaseWith(operation, ask, confirmation) }),
      });
    } catch (error) {
      return failure(operation, error, confirmation);
    }
    const [{ response }] = received.response.pages;
    try {
      log(operation, response);
      const resultCallable = isWatch(operation) ? watchAsCallable(operation) : operation;
      return await toolResultOf(resultCallable, received.response, received.notes, resources);
    } catch (error) {
      console.error(error);
      return unreadableResult(operation, response.status);
    }
  }

  const call: Toolbox["call"] = async (name, input, signal, { onProgress, ask, actor } = {}) => {
    const operation = byTool.get(name);
    if (!operation) return undefined;
    if (!names.has(name)) return notOfferedResult(operation);
    if (!isAllowed(operation.effect, allow)) return switchedOffResult(operation);
    if (calls.isClosed) return stoppingResult(name);
    return calls.run(operation, signal, (combinedSignal) =>
      run(
        operation,
        input,
        {
          signal: combinedSignal,
          ...(onProgress && { onProgress }),
          ...(actor !== undefined && { actor, user: actor }),
        },
        ask,
      ),
    );
  };

  /** Calls the watch at a URI. Throws an Error with the text of an error result. */
  async function fetchWatchUpdate(
    uri: string,
    more: JsonObject,
    signal: AbortSignal,
  ): Promise<WatchUpdate | undefined> {
    const { tool, input } = parseWatchUri(uri)!;
    const result = await call(tool, { ...input, ...more }, signal);
    if (result?.isError)
      throw new Error(result.content.map((part) => ("text" in part ? part.text : "")).join(" "));
    return result?.structuredContent as WatchUpdate | undefined;
  }

  const watchFor = (uri: string) => {
    const watched = byTool.get(parseWatchUri(uri)?.tool ?? "");
    return watched && isWatch(watched) ? watched : undefined;
  };

  const subscriptions = new Map<string, Subscription>();

  async function readWatch(uri: string): Promise<JsonObject> {
    const subscription = subscriptions.get(uri);
    const found = subscription
      ? ((await subscription.read()) ?? { count: 0, changes: [] })
      : await fetchWatchUpdate(uri, {}, new AbortController().signal);
    return { contents: [{ uri, mimeType: watchMimeType, text: JSON.stringify(found) }] };
  }

  return {
    tools: offeredTools(list, offered),
    resources: offeredResources(list, offered),
    instructions: instructionsFor(offered, target),
    title: titleFor(target),
    call,
    read: async (uri) => resources.read(uri) ?? (watchFor(uri) ? readWatch(uri) : undefined),
    subscribe(uri, onUpdated, signal) {
      const watch = watchFor(uri);
      if (!watch || !names.has(watch.tool) || calls.isClosed) return false;
      if (signal.aborted) return true;
      const subscription = new Subscription({
        readAfter: async (cursor, stopSignal) =>
          (await fetchWatchUpdate(uri, cursor === undefined ? {} : { cursor }, stopSignal))!,
        everyMs: watch.everyMs,
        onUpdated,
      });
      subscriptions.get(uri)?.close();
      subscriptions.set(uri, subscription);
      const end = () => {
        subscription.close();
        if (subscriptions.get(uri) === subscription) subscriptions.delete(uri);
      };
      signal.addEventListener("abort", end, { once: true });
      return true;
    },
    async close() {
      for (const subscription of subscriptions.values()) subscription.close();
      await calls.close();
    },
    unfinishedCalls: () =>
      calls
        .moneyOperations()
        .map((operation) =>
          logLine(operation, unknownOutcomeError(operation, new Error("the server was stopped"))),
        ),
  };
}
