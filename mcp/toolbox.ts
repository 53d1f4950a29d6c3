/** The tools of a service, on a client that calls it. */
import { errorFrom, invalidInput } from "../core/client/call-errors";
import { outcomeLine } from "../core/client/outcome-line";
import type { ServiceResponse } from "../core/client/response";
import { FxdeskError, ReleaseNeeded } from "../core/errors";
import type { Callable } from "../core/declaration/operation";
import { declarationsOf } from "../core/declaration/service";
import { isWatch } from "../core/declaration/watch";
import { isAllowed } from "./allow";
import { type Offer, offeredOf, offeredResources, offeredTools } from "./offer";
import { parseArguments } from "./arguments";
import { answerOfWatch, readChanges, splitWatching } from "./changes";
import { PendingCalls } from "./pending-calls";
import { targetData, type Target, targetOf, describeTarget } from "./target";
import {
  failureResult,
  internalFailureResult,
  notAskedResult,
  unreadableResult,
  waitingResult,
} from "./failure";
import { instructionsFor, titleFor } from "./instructions";
import { ExpiringStore } from "./expiring-store";
import { type FxdeskNotes, toolResultOf, type CallResponse } from "./tool-result";
import {
  type Answer,
  type Ask,
  errorResult,
  type JsonObject,
  stoppingResult,
  type Toolbox,
  type ToolResult,
} from "./protocol";
import { questionOf } from "./question";
import { splitKey } from "./request-key";
import { type StoredPage, readList } from "./list-results";
import { intoResources } from "./file-content";
import { Resources } from "./resources";
import { Subscription, type Tidings } from "./subscription";
import { toolListOf } from "./tools";
import { watchAt, watchMimeType } from "./watch-address";
import { cursorArgument, returnsRows } from "./row-range";
import type { CallOptions } from "../core/client/call-options";
import type { Values } from "../core/declaration/fields";
import type { ClientCore } from "../core/client/methods";
import type { MayAsk } from "../core/releases/proposal";

export interface McpOptions extends Offer {
  /** Its service has a tool for each operation, procedure and watch; those that people need most are offered by default. */
  readonly client: ClientCore;
}

/** Says whom to ask for the tool, not how it is switched on: a model must not do that itself. */
const switchedOff = ({ tool, effect }: Callable): ToolResult =>
  errorResult(
    `${tool} is switched off on this server, and nothing was sent.`,
    `It is a tool of the kind ${effect}: ask the operator of this server whether that may be allowed.`,
  );

/** A tool that the service has and the server does not offer. */
const notOffered = ({ tool }: Callable): ToolResult =>
  errorResult(
    `${tool} is not offered by this server, and nothing was sent.`,
    "Ask the operator of this server whether it can be.",
  );

/** The error for a call that may or may not have been carried out. */
const unknownOutcomeError = (operation: Callable, error: unknown): FxdeskError =>
  errorFrom(operation, error, { attempts: 1, sent: true });

const logLine = (operation: Callable, outcome: ServiceResponse | FxdeskError) =>
  `fxdesk: ${outcomeLine(operation, outcome)}`;

/** Whoever stopped waiting, the log has the outcome of each call that commits money. */
function log(operation: Callable, outcome: ServiceResponse | FxdeskError): void {
  if (operation.effect === "money") console.error(logLine(operation, outcome));
}

/** Tells the right spelling of arguments that were spelled in another way. */
function spellingNotes(respelled: readonly { readonly given: string; readonly name: string }[]): string[] {
  if (respelled.length === 0) return [];
  const names = respelled.map(({ given, name }) => `${name} (not ${given})`);
  return [`Arguments are spelled ${names.join(", ")}.`];
}

/** Whatever does more than read says on which target it was done. */
function notesFor({ effect }: Callable, target: Target, notes: readonly string[]): FxdeskNotes {
  return { notes, ...(effect !== "read" && { target: targetData(target) }) };
}

const notReleased = "No person released this: this server runs with --release never.";

/** The arguments of the operation, and those of the tool's own. */
function splitOwn(operation: Callable, input: JsonObject): readonly [given: JsonObject, own: JsonObject] {
  if (isWatch(operation)) return splitWatching(input);
  if (!returnsRows(operation)) return [input, {}];
  const { [cursorArgument]: cursor, ...given } = input;
  return [given, { cursor: cursor ?? undefined }];
}

export function toolbox({ client, ...offer }: McpOptions): Toolbox {
  const { service, settings } = client;
  const list = toolListOf(service);
  const offered = offeredOf(list, offer);
  const { allow, names } = offered;
  const callables = declarationsOf(service);
  const target = targetOf(settings);
  const byTool = new Map(callables.map((callable) => [callable.tool, callable]));
  const calls = new PendingCalls();
  const storedPages = new ExpiringStore<StoredPage>();
  const resources = new Resources();

  /** The last answer of the person at the host to whether something is sent for release. */
  interface Asked {
    answer?: Answer;
  }

  /** Shows what is about to be asked for release, where the host can. */
  const mayAskBy = (operation: Callable, ask: Ask, asked: Asked): MayAsk => {
    return async (proposal) => (asked.answer = await ask(questionOf(operation, proposal))) === "yes";
  };

  function failure(operation: Callable, error: unknown, { answer = "yes" }: Asked): ToolResult {
    const isNotAsked = answer !== "yes" && error instanceof FxdeskError && error.code === "release_refused";
    // The host comes again with the answer: until then there is nothing for the log.
    if (isNotAsked && answer === "later") return notAskedResult(operation, answer);
    const where = operation.effect === "read" ? "" : `The connection: ${describeTarget(target)}.`;
    if (error instanceof FxdeskError) {
      log(operation, error);
      if (error instanceof ReleaseNeeded) return waitingResult(operation, error, callables);
      if (isNotAsked) return notAskedResult(operation, answer);
      return failureResult(operation, error, callables, where);
    }
    console.error(error);
    log(operation, unknownOutcomeError(operation, error));
    return internalFailureResult(operation, callables, where);
  }

  async function respond(operation: Callable, input: JsonObject, asked: CallOptions) {
    const { key, rest, violations: ofKey } = splitKey(operation, input);
    const [given, own] = splitOwn(operation, rest);
    const { values, violations: ofFields, respelled } = parseArguments(operation, given, settings);
    const violations = [...ofKey, ...ofFields];
    if (violations.length > 0) throw invalidInput(operation, violations);
    const deliver = intoResources(resources);
    const options: CallOptions = {
      ...asked,
      surface: "mcp",
      deliver,
      ...(key !== undefined && { key }),
      ...(!offered.isReleased && { release: "needed" }),
    };
    const call = (sent: Values) => client.call(operation, sent, options);
    const response: CallResponse = isWatch(operation)
      ? await readChanges(operation, client, values, { ...own, signal: asked.signal })
      : returnsRows(operation)
        ? await readList({ operation, call }, values, own.cursor, storedPages)
        : { pages: [{ response: await call(values) }] };
    const { journal } = response.pages[0].response;
    const notes = [
      ...spellingNotes(respelled),
      ...(operation.effect === "money" && offered.isReleased ? [notReleased] : []),
    ];
    return { response, notes: { ...notesFor(operation, target, notes), journal } };
  }

  async function run(
    operation: Callable,
    input: JsonObject,
    options: CallOptions,
    ask: Ask | undefined,
  ): Promise<ToolResult> {
    const asked: Asked = {};
    let received: Awaited<ReturnType<typeof respond>>;
    try {
      received = await respond(operation, input, {
        ...options,
        ...(ask && { mayAsk: mayAskBy(operation, ask, asked) }),
      });
    } catch (error) {
      return failure(operation, error, asked);
    }
    const [{ response }] = received.response.pages;
    try {
      log(operation, response);
      const answered = isWatch(operation) ? answerOfWatch(operation) : operation;
      return await toolResultOf(answered, received.response, received.notes, resources);
    } catch (error) {
      console.error(error);
      return unreadableResult(operation, response.status);
    }
  }

  const call: Toolbox["call"] = async (name, input, signal, { onProgress, ask, actor } = {}) => {
    const operation = byTool.get(name);
    if (!operation) return undefined;
    if (!names.has(name)) return notOffered(operation);
    if (!isAllowed(operation.effect, allow)) return switchedOff(operation);
    if (calls.closed) return stoppingResult(name);
    return calls.run(operation, signal, (callOrClose) =>
      run(
        operation,
        input,
        {
          signal: callOrClose,
          ...(onProgress && { onProgress }),
          ...(actor !== undefined && { actor, user: actor }),
        },
        ask,
      ),
    );
  };

  /** What a watch answers at an address. Throws an Error with the text of the result where that is one. */
  async function tidingsAt(uri: string, more: JsonObject, signal: AbortSignal): Promise<Tidings | undefined> {
    const { tool, input } = watchAt(uri)!;
    const result = await call(tool, { ...input, ...more }, signal);
    if (result?.isError)
      throw new Error(result.content.map((part) => ("text" in part ? part.text : "")).join(" "));
    return result?.structuredContent as Tidings | undefined;
  }

  const watchFor = (uri: string) => {
    const watched = byTool.get(watchAt(uri)?.tool ?? "");
    return watched && isWatch(watched) ? watched : undefined;
  };

  const subscriptions = new Map<string, Subscription>();

  async function readWatch(uri: string): Promise<JsonObject> {
    const subscription = subscriptions.get(uri);
    const found = subscription
      ? ((await subscription.read()) ?? { count: 0, changes: [] })
      : await tidingsAt(uri, {}, new AbortController().signal);
    return { contents: [{ uri, mimeType: watchMimeType, text: JSON.stringify(found) }] };
  }

  return {
    tools: offeredTools(list, offered),
    resources: offeredResources(list, offered),
    instructions: instructionsFor(offered, target),
    title: titleFor(target),
    call,
    read: async (uri) => resources.read(uri) ?? (watchFor(uri) ? readWatch(uri) : undefined),
    subscribe(uri, updated, signal) {
      const watch = watchFor(uri);
      if (!watch || !names.has(watch.tool) || calls.closed) return false;
      if (signal.aborted) return true;
      const subscription = new Subscription({
        ask: async (cursor, ending) =>
          (await tidingsAt(uri, cursor === undefined ? {} : { cursor }, ending))!,
        everyMs: watch.everyMs,
        updated,
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
    unfinished: () =>
      calls
        .money()
        .map((operation) =>
          logLine(operation, unknownOutcomeError(operation, new Error("the server was stopped"))),
        ),
  };
}
