/** What a node calls. */

import { extensionVariables } from "../../core/client/settings";
import { type ErrorCode, FxdeskError } from "../../core/errors";
import { suggestions } from "../../core/suggestions";
import type { Callable } from "../../core/declaration/operation";
import { callablesOf, type Service } from "../../core/declaration/service";
import type { Watch } from "../../core/declaration/watch";
import type { ConnectionChoice } from "../connection/find-connection";
import type { ClientCore } from "../../core/client/client-types";

export interface Target<D extends Callable = Callable> {
  readonly client: ClientCore;
  readonly operation: D;
}

/** What a node may name, of what a service declares. */
interface TargetKind<D extends Callable> {
  readonly word: string;
  readonly article: string;
  readonly plural: string;
  readonly declarationsIn: (service: Service) => readonly D[];
}

export const operationKind: TargetKind<Callable> = {
  word: "operation",
  article: "an",
  plural: "Operations",
  declarationsIn: callablesOf,
};
export const watchKind: TargetKind<Watch> = {
  word: "watch",
  article: "a",
  plural: "Watches",
  declarationsIn: ({ watches = [] }) => watches,
};

/** Nothing can be done with this node as it is. */
function unusableError(operation: string, reason: string, code: ErrorCode, word = "operation"): FxdeskError {
  return new FxdeskError(`${operation || `No ${word}`}: ${reason}`, {
    operation,
    code,
    outcome: "not-sent",
  });
}

function unknownNameError(
  name: string,
  { word, article, plural }: Omit<TargetKind<Callable>, "of">,
  known: readonly Callable[],
): FxdeskError {
  if (!name) return unusableError(name, `Choose ${article} ${word} in the node.`, "invalid_input", word);
  const similar = suggestions(
    name,
    known.map((each) => each.name),
  );
  const hint =
    similar.length > 0
      ? ` Did you mean ${similar.join(" or ")}?`
      : ` ${plural} beyond the contract come from the module that ${extensionVariables.path} names where Node-RED runs.`;
  return unusableError(name, `The service has no such ${word}.${hint}`, "invalid_input");
}

/** The client of the connection. Throws an FxdeskError that says what is missing. */
export function requireClient(name: string, chosen: ConnectionChoice): ClientCore {
  if ("missing" in chosen) throw unusableError(name, chosen.missing, "no_connection");
  const { client, reason } = chosen.connection;
  if (!client) throw unusableError(name, `The connection is not usable: ${reason}`, "no_connection");
  return client;
}

/** The client, and what a node names of its service. Throws an FxdeskError that says what is missing. */
export function resolveTarget<D extends Callable>(
  name: string,
  chosen: ConnectionChoice,
  kind: TargetKind<D>,
): Target<D> {
  const client = requireClient(name, chosen);
  const known = kind.declarationsIn(client.service);
  const operation = known.find((each) => each.name === name);
  if (!operation) throw unknownNameError(name, kind, known);
  return { client, operation };
}
