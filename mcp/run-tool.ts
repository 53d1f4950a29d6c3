/** Runs tools: parses the arguments, calls the service, and renders the response or the error. */
import { invalidInputError, toFxdeskError } from "../core/call/call-errors";
import { formatOutcomeLine, outcomeFacts } from "../core/call/outcome-line";
import type { ServiceResponse } from "../core/call/response";
import { activeTraceId, inSpan, markFailed } from "../core/call/spans";
import { FxdeskError, ReleaseNeeded } from "../core/spec/errors";
import { logLine, logUnexpected } from "../core/spec/log";
import { declarationsOf } from "../core/spec/service";
import type { CallOptions, ReleaseProposal, TermsTable } from "../core/call/call-options";
import type { ClientCore } from "../core/api/client-types";
import type { Values } from "../core/spec/fields";
import type { Callable } from "../core/spec/operation";
import { isWatch } from "../core/spec/watch";
import { lookUpFields, type ParsedArguments, parseArguments } from "./arguments";
import { findPersonLink, releaseLink } from "./find-person-link";
import type { Selection } from "./offered-tools";
import { Continuations, readList, returnsRows } from "./read-list";
import type { Answer, Caller, Question } from "./protocol";
import type { JsonObject, ToolResult } from "./render/content";
import { deliverToResources } from "./render/files";
import { Resources } from "./render/links";
import { type CallResponse, type FxdeskNotes, renderResult } from "./render/result";
import { targetData, type Target, targetOf } from "./target";
import { toToolError, unreadableResult, wasNotConfirmed } from "./tool-error";
import { readChanges, watchAsCallable } from "./watch-tool";
import { alphabetNote, visibleText } from "../core/values/visible-text";

/** Upper bounds, because hosts show the question in a small window. */
const [maxValueLength, maxRows] = [300, 20];

const shorten = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)} … (shortened)` : text;

/** Formats a value on one line, so that it cannot imitate another line of the question. */
function displayValue(text: string): string {
  const note = alphabetNote(text);
  const shown = shorten(visibleText(text).replace(/\s+/g, " "), maxValueLength);
  return note === undefined ? shown : `${shown} (${shorten(note, maxValueLength)})`;
}

/** Formats a cell, so that it cannot imitate another column. */
const displayCell = (text: string): string =>
  text === "" ? "–" : displayValue(text.includes("|") ? JSON.stringify(text) : text);

/** Renders the first rows of a table, one line each, and says how many follow. */
function tableLines({ title, columns, rows }: TermsTable): string {
  const lines = rows
    .slice(0, maxRows)
    .map((row, index) => `${index + 1}. ${row.map(displayCell).join(" | ")}`);
  const rest = rows.length - lines.length;
  return [
    `${title}: ${columns.join(" | ")}`,
    ...lines,
    ...(rest > 0 ? [`and ${rest} more, which are shown to the people who release.`] : []),
  ].join("\n");
}

const movingRateNote =
  "The worst rate is derived from a current quote. It may be derived from a newer quote after you answer.";

export function releaseQuestionOf(proposal: ReleaseProposal): Question {
  const { environment, client, validUntil, needs, requestHash, terms, description } = proposal;
  const facts = [
    ["Environment", environment],
    // Among the fields of a call.
    ...(terms.method === undefined ? [["Client", client] as const] : []),
    ...description.facts,
    ["Valid until", new Date(validUntil).toISOString()],
  ] as const;
  const message = [
    `Send this for release? ${displayValue(description.title)}`,
    displayValue(description.summary),
    facts.map(([title, text]) => `${title}: ${displayValue(text)}`).join("\n"),
    ...description.tables.map(tableLines),
    ...(terms.rate_seen === undefined ? [] : [movingRateNote]),
    `The request then waits for ${displayValue(needs)}. Your answer alone releases nothing.`,
  ].join("\n\n");
  return { message, subject: requestHash };
}

/** What all tools of a server share. */
interface ToolContext {
  readonly client: ClientCore;
  /** All declarations of the service, which errors refer to. */
  readonly callables: readonly Callable[];
  readonly target: Target;
  /** True if no call needs a release. */
  readonly skipsRelease: boolean;
  /** Leaves tools that are not offered out of a text. */
  readonly hide: Selection["hide"];
  readonly continuations: Continuations;
  readonly resources: Resources;
}

interface InFlightCall {
  readonly operation: Callable;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
}

const maxShownLinks = 10_000;

/** Runs the tools of a service on a client. */
export class ToolRunner {
  readonly resources = new Resources();
  readonly #context: ToolContext;
  readonly #inFlight = new Set<InFlightCall>();
  readonly #shownLinks = new Set<string>();

  constructor(client: ClientCore, { skipsRelease, hide }: Pick<Selection, "skipsRelease" | "hide">) {
    this.#context = {
      client,
      callables: declarationsOf(client.service),
      target: targetOf(client.settings),
      skipsRelease,
      hide,
      continuations: new Continuations(),
      resources: this.resources,
    };
  }

  /** Calls a tool of the service until it ends, its signal aborts, or the runner closes. Never throws: every failure is a result. */
  async run(name: string, input: JsonObject, caller: CallerWithSignal): Promise<ToolResult> {
    const operation = this.#context.callables.find(({ tool }) => tool === name)!;
    const stop = new AbortController();
    const signal = AbortSignal.any([caller.signal, stop.signal]);
    const owner = caller.requester?.name;
    const context = {
      ...this.#context,
      resources: this.resources.of(owner),
      continuations: this.#context.continuations.of(owner),
    };
    const ended = inSpan(
      () => ({
        name: `tools/call ${name}`,
        kind: "SERVER",
        attributes: {
          "mcp.method.name": "tools/call",
          "gen_ai.tool.name": name,
          "gen_ai.operation.name": "execute_tool",
        },
        parent: caller.traceContext,
      }),
      async (span) => {
        const showLink = this.#showLinkOnce(operation, caller);
        const result = await runTool(operation, input, context, { ...caller, signal, showLink });
        if (span && result.isError) markFailed(span, "tool_error");
        return result;
      },
    );
    const inFlight = { operation, stop, ended };
    this.#inFlight.add(inFlight);
    try {
      return await ended;
    } finally {
      this.#inFlight.delete(inFlight);
    }
  }

  /** Returns a function that shows each link once to a caller; undefined for tools that read, which are called again and again. */
  #showLinkOnce({ effect }: Callable, { showLink, requester }: Caller): Caller["showLink"] {
    if (!showLink || effect === "read") return undefined;
    return (link) => {
      const key = JSON.stringify([requester?.name, link.url]);
      if (this.#shownLinks.has(key)) return;
      if (this.#shownLinks.size >= maxShownLinks) this.#shownLinks.clear();
      this.#shownLinks.add(key);
      showLink(link);
    };
  }

  /** Returns log lines for the calls whose outcome would be unknown if the process ended now. */
  unfinishedCalls(): string[] {
    const stopped = new Error("the server was stopped");
    return [...this.#inFlight]
      .filter(({ operation }) => operation.effect === "money")
      .map(({ operation }) => outcomeLogLine(operation, unknownOutcomeError(operation, stopped)));
  }

  /** Aborts all calls and waits for them. The client does not abort a call that moves money once it was sent. */
  async close(): Promise<void> {
    const inFlight = [...this.#inFlight];
    for (const { stop } of inFlight) stop.abort();
    await Promise.allSettled(inFlight.map(({ ended }) => ended));
  }
}

const unknownOutcomeError = (operation: Callable, error: unknown): FxdeskError =>
  toFxdeskError(operation, error, { attempts: 1, sent: true });

const outcomeLogLine = (operation: Callable, outcome: ServiceResponse | FxdeskError) => {
  const facts = outcomeFacts(operation, outcome);
  const level = facts.outcome === "done" ? "info" : facts.outcome === "unknown" ? "error" : "warn";
  return logLine(level, formatOutcomeLine(operation, outcome), { ...facts, trace_id: activeTraceId() });
};

/** Logs the outcome of each call that moves money, because its caller may no longer be waiting. */
function logOutcome(operation: Callable, outcome: ServiceResponse | FxdeskError): void {
  if (operation.effect === "money") console.error(outcomeLogLine(operation, outcome));
}

/** Logs the outcome of a failed call, and an unexpected error in full. */
function logFailure(operation: Callable, error: unknown): void {
  if (error instanceof FxdeskError) return logOutcome(operation, error);
  logUnexpected(error);
  logOutcome(operation, unknownOutcomeError(operation, error));
}

type CallerWithSignal = Caller & { readonly signal: AbortSignal };

async function runTool(
  operation: Callable,
  input: JsonObject,
  context: ToolContext,
  { signal, onProgress, requester, ask, showLink }: CallerWithSignal,
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
      ...(requester && { requester, user: requester.name }),
      ...(args.key !== undefined && { key: args.key }),
      ...(!skipsRelease && { release: "needed" }),
      ...(ask && {
        confirmRelease: async (proposal) => {
          confirmation.answer = await ask(releaseQuestionOf(proposal));
          return confirmation.answer === "yes";
        },
      }),
    });
  } catch (error) {
    const { answer } = confirmation;
    // The host repeats the call with the answer; nothing to log until then.
    if (answer !== "later" || !wasNotConfirmed(error, answer)) logFailure(operation, error);
    if (error instanceof ReleaseNeeded && error.releasesPage !== undefined)
      showLink?.(releaseLink(operation.title, error.releasesPage));
    return toToolError(error, operation, { ...context, answer });
  }
  const [{ response: first }] = response.pages;
  try {
    logOutcome(operation, first);
    const described = isWatch(operation) ? watchAsCallable(operation) : operation;
    const result = await renderResult(described, response, notesFor(operation, args, context), resources);
    const link = showLink && findPersonLink(operation.title, result);
    if (link) showLink(link);
    return result;
  } catch (error) {
    logUnexpected(error);
    return unreadableResult(operation, first.status);
  }
}

/** Reads changes, the rows that fit in one result, or a single response. */
async function readResponse(
  operation: Callable,
  { values: given, position }: ParsedArguments,
  { client, continuations }: ToolContext,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<CallResponse> {
  if (isWatch(operation)) return readChanges(operation, client, given, position, options);
  const values =
    position.cursor === undefined ? await lookUpFields(operation, given, { client, options }) : given;
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
