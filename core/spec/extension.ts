/** Extension of a service with operations that the contract does not contain, procedures and watches. */
import { operation } from "./declare";
import type { Declaration } from "./operation";
import type { Procedure } from "./procedure";
import { defineService, highestEffectOf, type Service } from "./service";
import type { Watch } from "./watch";

/** Identifies the route of an operation, independent of the names of its path parameters. */
const routeOf = ({ method, server, path }: Declaration) =>
  `${method} ${server} ${path.replace(/\{[^}]*\}/g, "{}")}`;

/** Treats every operation that is not a GET as `money`, unless the user trusts its declared effect. */
const withSafeEffect = (declaration: Declaration, trusted: readonly string[]): Declaration =>
  declaration.method === "GET" || trusted.includes(declaration.name)
    ? declaration
    : { ...declaration, effect: "money" };

/** Ignores a declared lower effect (`effectReason`) unless the user trusts it. */
const withEffectOfUsedOperations = (
  declaration: Procedure,
  operations: readonly Declaration[],
  trusted: readonly string[],
): Procedure =>
  declaration.effectReason !== undefined && !trusted.includes(declaration.name)
    ? { ...declaration, effect: highestEffectOf(declaration, operations) }
    : declaration;

export interface ServiceAdditions {
  readonly operations?: readonly Declaration[];
  readonly procedures?: readonly Procedure[];
  readonly watches?: readonly Watch[];
}

/**
 * Returns the service with the additions, which also join its everyday list. An added operation with `quotes` also
 * adds the procedures that need quotes. `trusted` names the additions whose declared effect is accepted although they
 * are not a GET, or use operations with a higher effect. Throws a TypeError if an operation has the route of an
 * existing one, or contradicts the service.
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
      throw new TypeError(`${declaration.name}: the route is taken by ${existing.name} (${existing.path}).`);
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
