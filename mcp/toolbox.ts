/** The tools of a service, on a client that calls it. */

import { errorFrom } from "../core/client/call-errors";
import { outcomeLine } from "../core/client/outcome-line";
import { invalidInput } from "../core/client/prepare";
import type { ServiceResponse } from "../core/client/response";
import { FxdeskError } from "../core/errors";
import type { Declaration } from "../core/declaration/operation";
import { type Allowed, allowedTools, isAllowed } from "./allow";
import { readArguments } from "./arguments";
import { PendingCalls } from "./pending-calls";
import { asData, type Connection, connectionOf, inWords } from "./connection";
import { internalFailureResult, failureResult, unreadableResult } from "./failure";
import { instructionsFor, titleFor } from "./instructions";
import { Kept } from "./kept";
import { type Aside, toolResultOf, type Response } from "./tool-result";
import { type JsonObject, errorResult, stoppingResult, type Toolbox, type ToolResult } from "./protocol";
import { type KeptPage, readFrom } from "./reading";
import { Resources } from "./resources";
import { toolsOf } from "./tools";
import { continuation, readsRows } from "./walk";
import type { Values } from "../core/declaration/fields";
import type { ClientCore } from "../core/client/methods";

export interface McpOptions {
  /** One tool for each operation of its service. */
  readonly client: ClientCore;
  /** What tools may do beyond reading; nothing by default. */
  readonly allow?: readonly Allowed[];
}

/** For the model a closed door: who holds the key, not how to turn it. */
const switchedOff = ({ tool, effect }: Declaration): ToolResult =>
  errorResult(
    `${tool} is switched off on this server, and nothing was sent.`,
    `It is a tool of the kind ${effect}: ask the operator of this server whether that may be allowed.`,
  );

/** The error for a call of which nobody can say what became of it. */
const lost = (operation: Declaration, error: unknown): FxdeskError =>
  errorFrom(operation, error, { attempts: 1, sent: true });

const line = (operation: Declaration, ended: ServiceResponse | FxdeskError) =>
  `fxdesk: ${outcomeLine(operation, ended)}`;

/** Whoever stopped waiting, the log has the outcome of each call that commits money. */
function log(operation: Declaration, ended: ServiceResponse | FxdeskError): void {
  if (operation.effect === "money") console.error(line(operation, ended));
}

/** How arguments were read that were spelled in another way. */
function notesOn(respelled: readonly { readonly given: string; readonly name: string }[]): string[] {
  if (respelled.length === 0) return [];
  const names = respelled.map(({ given, name }) => `${name} (not ${given})`);
  return [`Arguments are spelled ${names.join(", ")}.`];
}

/** What must not be taken for done elsewhere says where it was done. */
function asideOn({ effect }: Declaration, connection: Connection, notes: readonly string[]): Aside {
  return { notes, ...(effect !== "read" && { connection: asData(connection) }) };
}

/** The arguments of the operation, and the one that is the tool's own. */
function parted(operation: Declaration, input: JsonObject): readonly [given: JsonObject, place: unknown] {
  if (!readsRows(operation)) return [input, undefined];
  const { [continuation]: place, ...given } = input;
  return [given, place ?? undefined];
}

export function toolbox({ client, allow = [] }: McpOptions): Toolbox {
  const { service, settings } = client;
  const { operations } = service;
  const connection = connectionOf(settings);
  const byTool = new Map(operations.map((operation) => [operation.tool, operation]));
  const calls = new PendingCalls();
  const kept = new Kept<KeptPage>();
  const resources = new Resources();

  function failure(operation: Declaration, error: unknown): ToolResult {
    const where = operation.effect === "read" ? "" : `The connection: ${inWords(connection)}.`;
    if (error instanceof FxdeskError) {
      log(operation, error);
      return failureResult(operation, error, operations, where);
    }
    console.error(error);
    log(operation, lost(operation, error));
    return internalFailureResult(operation, operations, where);
  }

  async function respond(operation: Declaration, input: JsonObject, signal: AbortSignal) {
    const [given, place] = parted(operation, input);
    const { values, violations, respelled } = readArguments(operation, given, settings);
    if (violations.length > 0) throw invalidInput(operation, violations);
    const call = (sent: Values) => client.call(operation, sent, { signal });
    const response: Response = readsRows(operation)
      ? await readFrom({ operation, call }, values, place, kept)
      : { pages: [{ response: await call(values) }] };
    return { response, aside: asideOn(operation, connection, notesOn(respelled)) };
  }

  async function run(operation: Declaration, input: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    let ended: Awaited<ReturnType<typeof respond>>;
    try {
      ended = await respond(operation, input, signal);
    } catch (error) {
      return failure(operation, error);
    }
    const [{ response }] = ended.response.pages;
    try {
      log(operation, response);
      return await toolResultOf(operation, ended.response, ended.aside, resources);
    } catch (error) {
      console.error(error);
      return unreadableResult(operation, response.status);
    }
  }

  return {
    tools: allowedTools(toolsOf(operations), allow),
    instructions: instructionsFor(allow, connection),
    title: titleFor(connection),
    async call(name, input, signal) {
      const operation = byTool.get(name);
      if (!operation) return undefined;
      if (!isAllowed(operation.effect, allow)) return switchedOff(operation);
      if (calls.closed) return stoppingResult(name);
      return calls.run(operation, signal, (either) => run(operation, input, either));
    },
    read: (uri) => resources.read(uri),
    close: () => calls.close(),
    unfinished: () =>
      calls.money().map((operation) => line(operation, lost(operation, new Error("the server was stopped")))),
  };
}
