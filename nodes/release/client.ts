/** The client of a connection. */
import type { ClientCore } from "../../core/client/methods";
import { FxdeskError } from "../../core/errors";
import type { ConnectionNode } from "../connection/connection";

/** Throws an FxdeskError that says what is missing. */
export function clientOf(connection: ConnectionNode | null, operation: string): ClientCore {
  if (connection?.client) return connection.client;
  const because = connection
    ? `The connection is not usable: ${connection.reason}`
    : "Choose a connection in the node.";
  throw new FxdeskError(`${operation}: ${because}`, {
    operation,
    code: "no_connection",
    outcome: "not-sent",
  });
}
