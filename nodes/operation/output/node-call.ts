/** Call that a node makes for one message, and the parts that all modes of sending its result share. */
import type { Node, NodeAPI, NodeMessage } from "node-red";
import type { ClientCore } from "../../../core/api/client-types";
import type { CallOptions } from "../../../core/call/call-options";
import { countEntries, hasMore, isPaged } from "../../../core/call/pages";
import type { ServiceResponse } from "../../../core/call/response";
import type { ReleaseReport } from "../../../core/releases/report";
import { FxdeskError } from "../../../core/spec/errors";
import type { Values } from "../../../core/spec/fields";
import type { Callable } from "../../../core/spec/operation";
import { extractResultList } from "../../../core/spec/result-list";
import type { TrackedMessages } from "./backpressure";

export type CallOutcome = ServiceResponse | FxdeskError;

export interface NodeCall {
  readonly operation: Callable;
  readonly client: ClientCore;
  readonly input: Values;
  /** List of the result that has the entries. Undefined if the body is the list. */
  readonly list: string | undefined;
  readonly options: CallOptions & { readonly signal: AbortSignal };
  /** Path for a received file. Empty: the file is put into the message. */
  readonly saveTo: string | undefined;
  readonly msg: NodeMessage;
  readonly result: ResultProperty;
  readonly send: (msg: NodeMessage) => void;
  /** Starts tracking the messages that are sent for the input message. */
  readonly trackSent: () => TrackedMessages;
  /** Receives the outcome of the call before the response is processed. */
  readonly onOutcome: (operation: Callable, outcome: CallOutcome) => void;
}

/** Summary of the sent messages, for the node status. */
export interface SentSummary {
  readonly statusCode: number;
  /** Number of entries over all pages. Undefined if the result is not a list. */
  readonly entries: number | undefined;
  /** True if the list has further pages. */
  readonly more?: boolean | undefined;
  /** Numbers of entries of the lists of the result, by list. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
  /** Release that the result reports. */
  readonly release?: ReleaseReport | undefined;
  /** True if a person has to confirm the result at a link that it has. */
  readonly needsConfirmation?: boolean;
  /** Size of a file in the message. */
  readonly bytes?: number | undefined;
}

/** Message property that receives the result. */
export interface ResultProperty {
  readonly set: (msg: NodeMessage, result: unknown) => void;
  /** Copies a message without the payload that the result replaces. */
  readonly copy: (msg: NodeMessage) => NodeMessage;
}

export const defaultResultProperty = "payload";

/**
 * Prepares a property path, for example `payload` or `position.accounts`. Throws an Error if it is invalid. If a message has
 * no such path, the result is stored in the payload instead of being lost.
 */
export function createResultProperty(RED: NodeAPI, node: Node, path = defaultResultProperty): ResultProperty {
  const setPayload = (msg: NodeMessage, result: unknown) => (msg.payload = result);
  if (path === defaultResultProperty)
    return {
      set: setPayload,
      copy: (msg) => RED.util.cloneMessage(Object.assign({}, msg, { payload: undefined })),
    };
  RED.util.normalisePropertyExpression(path);
  return {
    set(msg, result) {
      if (RED.util.setMessageProperty(msg, path, result, true)) return;
      setPayload(msg, result);
      node.warn(
        `msg.${path} cannot be set because part of it is not an object. The result is in msg.payload.`,
      );
    },
    copy: (msg) => RED.util.cloneMessage(msg),
  };
}

export async function callService(call: NodeCall): Promise<ServiceResponse> {
  const { client, operation, input, options, onOutcome } = call;
  try {
    const response = await client.call(operation, input, options);
    onOutcome(operation, response);
    return response;
  } catch (error) {
    if (error instanceof FxdeskError) onOutcome(operation, error);
    throw error;
  }
}

/** Returns the details of a response for `msg.fxdesk`, the same in every mode. */
export function responseMetadata(
  { operation, input }: NodeCall,
  response: ServiceResponse,
  pages = 1,
  more = hasMore(operation, input, response),
) {
  const { status, headers, total, requestId, attempts, violations, journal } = response;
  return {
    operation: operation.name,
    status,
    headers,
    total,
    requestId,
    attempts,
    violations,
    ...(journal && { journal }),
    ...(isPaged(operation) && { pages, ...(more !== undefined && { more }) }),
  };
}

/** Returns the number of entries of a body, or undefined if it is not a list and has no result list. */
export const countResultEntries = (operation: Callable, body: unknown): number | undefined =>
  extractResultList(operation, body)?.entries.length ??
  (Array.isArray(body) || (operation.linkedPages && typeof body === "object")
    ? countEntries(operation, body)
    : undefined);
