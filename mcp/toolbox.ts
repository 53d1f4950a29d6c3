/** The tools of a service, on a client that calls it. */

import { errorFrom } from "../core/client/call-errors";
import { outcomeLine } from "../core/client/outcome-line";
import { invalidInput } from "../core/client/call-errors";
import type { ServiceResponse } from "../core/client/response";
import { FxdeskError } from "../core/errors";
import type { Declaration } from "../core/declaration/operation";
import { type Allowed, allowedTools, isAllowed } from "./allow";
import { parseArguments } from "./arguments";
import { PendingCalls } from "./pending-calls";
import { targetData, type Target, targetOf, describeTarget } from "./target";
import { internalFailureResult, failureResult, unreadableResult } from "./failure";
import { instructionsFor, titleFor } from "./instructions";
import { ExpiringStore } from "./expiring-store";
import { type FxdeskNotes, toolResultOf, type CallResponse } from "./tool-result";
import { type JsonObject, errorResult, stoppingResult, type Toolbox, type ToolResult } from "./protocol";
import { type StoredPage, readList } from "./list-results";
import { Resources } from "./resources";
import { toolsOf } from "./tools";
import { cursorArgument, returnsRows } from "./row-range";
import type { Values } from "../core/declaration/fields";
import type { ClientCore } from "../core/client/methods";

export interface McpOptions {
  /** One tool for each operation of its service. */
  readonly client: ClientCore;
  /** What tools may do beyond reading; nothing by default. */
  readonly allow?: readonly Allowed[];
}

/** Says whom to ask for the tool, not how it is switched on: a model must not do that itself. */
const switchedOff = ({ tool, effect }: Declaration): ToolResult =>
  errorResult(
    `${tool} is switched off on this server, and nothing was sent.`,
    `It is a tool of the kind ${effect}: ask the operator of this server whether that may be allowed.`,
  );

/** The error for a call that may or may not have been carried out. */
const unknownOutcomeError = (operation: Declaration, error: unknown): FxdeskError =>
  errorFrom(operation, error, { attempts: 1, sent: true });

const logLine = (operation: Declaration, outcome: ServiceResponse | FxdeskError) =>
  `fxdesk: ${outcomeLine(operation, outcome)}`;

/** Whoever stopped waiting, the log has the outcome of each call that commits money. */
function log(operation: Declaration, outcome: ServiceResponse | FxdeskError): void {
  if (operation.effect === "money") console.error(logLine(operation, outcome));
}

/** Tells the right spelling of arguments that were spelled in another way. */
function spellingNotes(respelled: readonly { readonly given: string; readonly name: string }[]): string[] {
  if (respelled.length === 0) return [];
  const names = respelled.map(({ given, name }) => `${name} (not ${given})`);
  return [`Arguments are spelled ${names.join(", ")}.`];
}

/** Whatever does more than read says on which target it was done. */
function notesFor({ effect }: Declaration, target: Target, notes: readonly string[]): FxdeskNotes {
  return { notes, ...(effect !== "read" && { target: targetData(target) }) };
}

/** The arguments of the operation, and the cursor, which is the tool's own argument. */
function splitCursor(
  operation: Declaration,
  input: JsonObject,
): readonly [given: JsonObject, cursor: unknown] {
  if (!returnsRows(operation)) return [input, undefined];
  const { [cursorArgument]: cursor, ...given } = input;
  return [given, cursor ?? undefined];
}

export function toolbox({ client, allow = [] }: McpOptions): Toolbox {
  const { service, settings } = client;
  const { operations } = service;
  const target = targetOf(settings);
  const byTool = new Map(operations.map((operation) => [operation.tool, operation]));
  const calls = new PendingCalls();
  const storedPages = new ExpiringStore<StoredPage>();
  const resources = new Resources();

  function failure(operation: Declaration, error: unknown): ToolResult {
    const where = operation.effect === "read" ? "" : `The connection: ${describeTarget(target)}.`;
    if (error instanceof FxdeskError) {
      log(operation, error);
      return failureResult(operation, error, operations, where);
    }
    console.error(error);
    log(operation, unknownOutcomeError(operation, error));
    return internalFailureResult(operation, operations, where);
  }

  async function respond(operation: Declaration, input: JsonObject, signal: AbortSignal) {
    const [given, cursor] = splitCursor(operation, input);
    const { values, violations, respelled } = parseArguments(operation, given, settings);
    if (violations.length > 0) throw invalidInput(operation, violations);
    const call = (sent: Values) => client.call(operation, sent, { signal });
    const response: CallResponse = returnsRows(operation)
      ? await readList({ operation, call }, values, cursor, storedPages)
      : { pages: [{ response: await call(values) }] };
    return { response, notes: notesFor(operation, target, spellingNotes(respelled)) };
  }

  async function run(operation: Declaration, input: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    let received: Awaited<ReturnType<typeof respond>>;
    try {
      received = await respond(operation, input, signal);
    } catch (error) {
      return failure(operation, error);
    }
    const [{ response }] = received.response.pages;
    try {
      log(operation, response);
      return await toolResultOf(operation, received.response, received.notes, resources);
    } catch (error) {
      console.error(error);
      return unreadableResult(operation, response.status);
    }
  }

  return {
    tools: allowedTools(toolsOf(operations), allow),
    instructions: instructionsFor(allow, target),
    title: titleFor(target),
    async call(name, input, signal) {
      const operation = byTool.get(name);
      if (!operation) return undefined;
      if (!isAllowed(operation.effect, allow)) return switchedOff(operation);
      if (calls.closed) return stoppingResult(name);
      return calls.run(operation, signal, (callOrClose) => run(operation, input, callOrClose));
    },
    read: (uri) => resources.read(uri),
    close: () => calls.close(),
    unfinished: () =>
      calls
        .money()
        .map((operation) =>
          logLine(operation, unknownOutcomeError(operation, new Error("the server was stopped"))),
        ),
  };
}
