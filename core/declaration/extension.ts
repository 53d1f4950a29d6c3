/** Operations that the contract does not show, procedures and watches, added to a service. */
import { operation } from "./declare";
import type { Declaration } from "./operation";
import type { Procedure } from "./procedure";
import { defineService, effectOfUses, type Service } from "./service";
import type { Watch } from "./watch";

/** What two operations must not share: where a call goes, whatever its path parameters are called. */
const routeOf = ({ method, server, path }: Declaration) =>
  `${method} ${server} ${path.replace(/\{[^}]*\}/g, "{}")}`;

/** What is not a GET may commit money, unless its declaration and the person who runs it both say otherwise. */
const withSafeEffect = (declaration: Declaration, trusted: readonly string[]): Declaration =>
  declaration.method === "GET" || trusted.includes(declaration.name)
    ? declaration
    : { ...declaration, effect: "money" };

/** A procedure has the highest effect of what it uses, unless its declaration and the person who runs it both say otherwise. */
const withEffectOfUses = (
  declaration: Procedure,
  operations: readonly Declaration[],
  trusted: readonly string[],
): Procedure =>
  declaration.effectBecause !== undefined && !trusted.includes(declaration.name)
    ? { ...declaration, effect: effectOfUses(declaration, operations) }
    : declaration;

/** What is added to a service. */
export interface ServiceAdditions {
  readonly operations?: readonly Declaration[];
  readonly procedures?: readonly Procedure[];
  readonly watches?: readonly Watch[];
}

/**
 * The service with more operations, on its own servers, more procedures and watches; with an operation that quotes trades,
 * it has what needs quotes as well. Surfaces offer them as they offer what people need most. `trusted` names those whose
 * declared effect counts although they are no GET, or use what does more. Throws a
 * TypeError when an operation would replace one that is there, or does not fit the service.
 */
export function extendService(
  service: Service,
  { operations: given = [], procedures = [], watches = [] }: ServiceAdditions,
  trusted: readonly string[] = [],
): Service {
  const served = [...service.operations];
  for (const declaration of given) {
    const taken = served.find((known) => routeOf(known) === routeOf(declaration));
    if (taken) throw new TypeError(`${declaration.name}: ${taken.name} is already served at ${taken.path}.`);
    served.push(declaration);
  }
  const added = given.map((declaration) => operation(withSafeEffect(declaration, trusted)));
  const operations = [...service.operations, ...added];
  const isQuoted = added.some(({ quotes, effect }) => quotes !== undefined && effect !== "money");
  const { withQuotes = [], ...rest } = service;
  const more = [
    ...procedures.map((each) => withEffectOfUses(each, operations, trusted)),
    ...(isQuoted ? withQuotes : []),
  ];
  return defineService({
    ...rest,
    ...(!isQuoted && { withQuotes }),
    operations,
    procedures: [...(service.procedures ?? []), ...more],
    watches: [...(service.watches ?? []), ...watches],
    ...(service.daily && {
      daily: [...service.daily, ...[...added, ...more, ...watches].map(({ name }) => name)],
    }),
  });
}
