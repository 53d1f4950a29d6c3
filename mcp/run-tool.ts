/** Runs a tool: parses its arguments, calls the service, and renders the response or the error. */
import { invalidInputError } from "../core/call/call-errors";
import type { CallOptions } from "../core/call/call-options";
import type { ClientCore } from "../core/api/client-types";
import type { Values } from "../core/spec/fields";
import type { Callable } from "../core/spec/operation";
import { isWatch } from "../core/spec/watch";
import { type ParsedArguments, parseArguments } from "./arguments";
import type { Continuations } from "./continuations";
import { logFailure, logOutcome } from "./in-flight";
import type { Answer, Caller } from "./protocol";
import { readList, returnsRows } from "./read-list";
import { releaseQuestionOf } from "./release-question";
import type { JsonObject, ToolResult } from "./render/content";
import { deliverToResources } from "./render/files";
import type { Resources } from "./render/links";
import { type CallResponse, type FxdeskNotes, renderResult } from "./render/result";
import { targetData, type Target } from "./target";
import { toToolError, unreadableResult, wasNotConfirmed } from "./tool-error";
import { readChanges, watchAsCallable } from "./watch-tool";

/** What all tools of a server share. */
export interface ToolContext {
  readonly client: ClientCore;
  /** All declarations of the service, which errors refer to. */
  readonly callables: readonly Callable[];
  readonly target: Target;
  /** True if no call needs a release. */
  readonly skipsRelease: boolean;
  readonly continuations: Continuations;
  readonly resources: Resources;
}

/** Never throws: every failure is a result. */
export async function runTool(
  operation: Callable,
  input: JsonObject,
  context: ToolContext,
  { signal, onProgress, actor, ask }: Caller & { readonly signal: AbortSignal },
): Promise<ToolResult> {
  const { client, skipsRelease, resources } = context;
  const confirmation: { answer: Answer } = { answer: "yes" };
  let args: ParsedArguments;
  let response: CallResponse;
  try {
    args = parseArguments(operation, input, client.settings);
    if (args.violations.length > 0) throw invalidInputError(operation, args.violations);
    response = await readResponse(operation, args, context, {
      surface: "mcp",
      signal,
      deliver: deliverToResources(resources),
      ...(onProgress && { onProgress }),
      ...(actor !== undefined && { actor, user: actor }),
      ...(args.key !== undefined && { key: args.key }),
      ...(!skipsRelease && { release: "needed" }),
      ...(ask && {
        confirmRelease: async (proposal) => {
          confirmation.answer = await ask(releaseQuestionOf(operation, proposal));
          return confirmation.answer === "yes";
        },
      }),
    });
  } catch (error) {
    const { answer } = confirmation;
    // The host repeats the call with the answer; nothing to log until then.
    if (answer !== "later" || !wasNotConfirmed(error, answer)) logFailure(operation, error);
    return toToolError(error, operation, { ...context, answer });
  }
  const [{ response: first }] = response.pages;
  try {
    logOutcome(operation, first);
    const described = isWatch(operation) ? watchAsCallable(operation) : operation;
    return await renderResult(described, response, notesFor(operation, args, context), resources);
  } catch (error) {
    console.error(error);
    return unreadableResult(operation, first.status);
  }
}

/** Reads changes, the rows that fit in one result, or a single response. */
async function readResponse(
  operation: Callable,
  { values, position }: ParsedArguments,
  { client, continuations }: ToolContext,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<CallResponse> {
  if (isWatch(operation)) return readChanges(operation, client, values, position, options.signal);
  const call = (sent: Values) => client.call(operation, sent, options);
  if (returnsRows(operation)) return readList({ operation, call }, values, position.cursor, continuations);
  return { pages: [{ response: await call(values) }] };
}

const notReleasedNote = "No person released this call, because this server runs with --release never.";

/** Returns corrected argument names, a missing release, and the target of calls that do more than read. */
function notesFor(
  { effect }: Callable,
  { spellingCorrections }: ParsedArguments,
  { target, skipsRelease }: ToolContext,
): FxdeskNotes {
  const names = spellingCorrections.map(({ given, name }) => `${name} (not ${given})`);
  return {
    notes: [
      ...(names.length > 0 ? [`Argument names were corrected: ${names.join(", ")}.`] : []),
      ...(effect === "money" && skipsRelease ? [notReleasedNote] : []),
    ],
    ...(effect !== "read" && { target: targetData(target) }),
  };
}
