/** What a node calls. */

import { extensionVariables } from "../../core/client/settings";
import { type ErrorCode, FxdeskError } from "../../core/errors";
import { nearest } from "../../core/nearest";
import type { Callable } from "../../core/declaration/operation";
import { callablesOf, type Service } from "../../core/declaration/service";
import type { Watch } from "../../core/declaration/watch";
import type { Chosen } from "../connection/chosen";
import type { ClientCore } from "../../core/client/methods";

export interface Target<D extends Callable = Callable> {
  readonly client: ClientCore;
  readonly operation: D;
}

/** What a node may name, of what a service declares. */
interface Kind<D extends Callable> {
  readonly word: string;
  readonly article: string;
  readonly plural: string;
  readonly of: (service: Service) => readonly D[];
}

export const called: Kind<Callable> = {
  word: "operation",
  article: "an",
  plural: "Operations",
  of: callablesOf,
};
export const watched: Kind<Watch> = {
  word: "watch",
  article: "a",
  plural: "Watches",
  of: ({ watches = [] }) => watches,
};

/** Nothing can be done with this node as it is. */
function unusable(operation: string, because: string, code: ErrorCode, word = "operation"): FxdeskError {
  return new FxdeskError(`${operation || `No ${word}`}: ${because}`, {
    operation,
    code,
    outcome: "not-sent",
  });
}

function unknown(
  name: string,
  { word, article, plural }: Omit<Kind<Callable>, "of">,
  known: readonly Callable[],
): FxdeskError {
  if (!name) return unusable(name, `Choose ${article} ${word} in the node.`, "invalid_input", word);
  const near = nearest(
    name,
    known.map((each) => each.name),
  );
  const hint =
    near.length > 0
      ? ` Did you mean ${near.join(" or ")}?`
      : ` ${plural} beyond the contract come from the module that ${extensionVariables.path} names where Node-RED runs.`;
  return unusable(name, `The service has no such ${word}.${hint}`, "invalid_input");
}

/** The client of the connection. Throws an FxdeskError that says what is missing. */
export function clientOf(name: string, chosen: Chosen): ClientCore {
  if ("missing" in chosen) throw unusable(name, chosen.missing, "no_connection");
  const { client, reason } = chosen.connection;
  if (!client) throw unusable(name, `The connection is not usable: ${reason}`, "no_connection");
  return client;
}

/** The client, and what a node names of its service. Throws an FxdeskError that says what is missing. */
export function targetOf<D extends Callable>(name: string, chosen: Chosen, kind: Kind<D>): Target<D> {
  const client = clientOf(name, chosen);
  const known = kind.of(client.service);
  const operation = known.find((each) => each.name === name);
  if (!operation) throw unknown(name, kind, known);
  return { client, operation };
}
