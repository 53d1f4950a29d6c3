/** What a node calls. */

import { extensionVariables } from "../../core/client/settings";
import { type ErrorCode, FxdeskError } from "../../core/errors";
import { nearest } from "../../core/nearest";
import type { Declaration } from "../../core/declaration/operation";
import type { ConnectionNode } from "../connection/connection";
import type { ClientCore } from "../../core/client/methods";

export interface Target {
  readonly client: ClientCore;
  readonly operation: Declaration;
}

/** Nothing can be called with this node as it is. */
function unusable(operation: string, because: string, code: ErrorCode): FxdeskError {
  return new FxdeskError(`${operation || "No operation"}: ${because}`, {
    operation,
    code,
    outcome: "not-sent",
  });
}

function unknown(name: string, operations: readonly Declaration[]): FxdeskError {
  if (!name) return unusable(name, "Choose an operation in the node.", "invalid_input");
  const near = nearest(
    name,
    operations.map((operation) => operation.name),
  );
  const hint =
    near.length > 0
      ? ` Did you mean ${near.join(" or ")}?`
      : ` Operations beyond the contract come from the module that ${extensionVariables.path} names where Node-RED runs.`;
  return unusable(name, `The service has no such operation.${hint}`, "invalid_input");
}

/** The client of the connection and the operation of its service. Throws an FxdeskError that says what is missing. */
export function targetOf(name: string, connection: ConnectionNode | null): Target {
  if (!connection) throw unusable(name, "Choose a connection in the node.", "no_connection");
  const { client, reason } = connection;
  if (!client) throw unusable(name, `The connection is not usable: ${reason}`, "no_connection");
  const { operations } = client.service;
  const operation = operations.find((each) => each.name === name);
  if (!operation) throw unknown(name, operations);
  return { client, operation };
}
