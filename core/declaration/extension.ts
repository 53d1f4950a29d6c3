/** Operations that the contract does not show, procedures and watches, added to a service. */
import { operation } from "./declare";
import type { Declaration } from "./operation";
import type { Procedure } from "./procedure";
import { defineService, highestEffectOf, type Service } from "./service";
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
const withEffectOfUsedOperations = (
  declaration: Procedure,
  operations: readonly Declaration[],
  trusted: readonly string[],
): Procedure =>
  declaration.effectReason !== undefined && !trusted.includes(declaration.name)
    ? { ...declaration, effect: highestEffectOf(declaration, operations) }
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
  const known = [...service.operations];
  for (const declaration of given) {
    const existing = known.find((each) => routeOf(each) === routeOf(declaration));
    if (existing)
      throw new TypeError(`${declaration.name}: ${existing.name} is already served at ${existing.path}.`);
    known.push(declaration);
  }
  const added = given.map((declaration) => operation(withSafeEffect(declaration, trusted)));
  const operations = [...service.operations, ...added];
  const hasQuotes = added.some(({ quotes, effect }) => quotes !== undefined && effect !== "money");
  const { quoteProcedures = [], ...rest } = service;
  const addedProcedures = [
    ...procedures.map((each) => withEffectOfUsedOperations(each, operations, trusted)),
    ...(hasQuotes ? quoteProcedures : []),
  ];
  return defineService({
    ...rest,
    ...(!hasQuotes && { quoteProcedures }),
    operations,
    procedures: [...(service.procedures ?? []), ...addedProcedures],
    watches: [...(service.watches ?? []), ...watches],
    ...(service.daily && {
      daily: [...service.daily, ...[...added, ...addedProcedures, ...watches].map(({ name }) => name)],
    }),
  });
}
