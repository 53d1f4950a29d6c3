/** Operations that the contract does not show, added to a service. */
import { operation } from "./declare";
import type { Declaration } from "./operation";
import { defineService, type Service } from "./service";

/** What two operations must not share: where a call goes, whatever its path parameters are called. */
const routeOf = ({ method, server, path }: Declaration) =>
  `${method} ${server} ${path.replace(/\{[^}]*\}/g, "{}")}`;

/** What is not a GET may commit money, unless its declaration and the person who runs it both say otherwise. */
const withSafeEffect = (declaration: Declaration, trusted: readonly string[]): Declaration =>
  declaration.method === "GET" || trusted.includes(declaration.name)
    ? declaration
    : { ...declaration, effect: "money" };

/**
 * The service with more operations, on its own servers. `trusted` names those whose declared effect counts although they
 * are no GET. Throws a TypeError when an operation would replace one that is there, or does not fit the service.
 */
export function extendService(
  service: Service,
  more: readonly Declaration[],
  trusted: readonly string[] = [],
): Service {
  const served = [...service.operations];
  for (const declaration of more) {
    const taken = served.find((known) => routeOf(known) === routeOf(declaration));
    if (taken) throw new TypeError(`${declaration.name}: ${taken.name} is already served at ${taken.path}.`);
    served.push(declaration);
  }
  const added = more.map((declaration) => operation(withSafeEffect(declaration, trusted)));
  return defineService({ ...service, operations: [...service.operations, ...added] });
}
