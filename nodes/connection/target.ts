/** Operation or watch that a node calls, and the client for it. */

import { extensionVariables } from "../../core/call/settings";
import { type ErrorCode, FxdeskError } from "../../core/spec/errors";
import { suggestions } from "../../core/values/suggestions";
import type { Callable } from "../../core/spec/operation";
import { callablesOf, type Service } from "../../core/spec/service";
import type { Watch } from "../../core/spec/watch";
import type { ConnectionChoice } from "./find-connection";
import type { ClientCore } from "../../core/api/client-types";

export interface Target<D extends Callable = Callable> {
  readonly client: ClientCore;
  readonly operation: D;
}

/** Kind of declaration that a node can name, with the words for error messages. */
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

/** Error of a node whose settings are incomplete or invalid. */
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
      : ` ${plural} beyond the contract require an extension module: set ${extensionVariables.path} in the environment of Node-RED.`;
  return unusableError(name, `The service has no such ${word}.${hint}`, "invalid_input");
}

/** Returns the client of the connection. Throws an FxdeskError if there is none. */
export function requireClient(name: string, chosen: ConnectionChoice): ClientCore {
  if ("missing" in chosen) throw unusableError(name, chosen.missing, "no_connection");
  const { client, reason } = chosen.connection;
  if (!client) throw unusableError(name, `The connection is not usable: ${reason}`, "no_connection");
  return client;
}

/** Returns the client and the named declaration. Throws an FxdeskError if one of them is missing. */
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
