/**
 * Identifiers that calls create: which operation makes which, which one ends what it stands for. It follows from
 * the declarations; a name is the same however it is spelled.
 */
import type { Callable, Declaration } from "./operation";
import type { Service } from "./service";

/** `Consent-ID`, `consent-id` and `consentId` are `consent_id`. */
export const toSnakeCase = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();

const isId = (name: string): boolean => toSnakeCase(name).endsWith("_id");

/**
 * The plain name of the identifier that an operation creates; undefined where it creates none. What is created below something
 * else has its identifier there, and means nothing without it.
 */
export function createdIdName({ effect, identifiedBy, parameters = {} }: Declaration): string | undefined {
  if (effect === "read" || identifiedBy === undefined || !isId(identifiedBy)) return undefined;
  return Object.keys(parameters).some(isId) ? undefined : toSnakeCase(identifiedBy);
}

/** The operations that create an identifier, on the server that knows it. */
export const operationsCreating = (
  { operations }: Pick<Service, "operations">,
  name: string,
  server: string,
): readonly Declaration[] =>
  operations.filter((operation) => operation.server === server && createdIdName(operation) === name);

const isParameter = (segment: string): boolean => segment.startsWith("{");

/** Whether two paths may lead to the same place: a parameter stands for anything. */
export function pathsMayMatch(one: string, other: string): boolean {
  const [ones, others] = [one.split("/"), other.split("/")];
  const matches = (segment: string, index: number) =>
    segment === others[index] || isParameter(segment) || isParameter(others[index]!);
  return ones.length === others.length && ones.every(matches);
}

/** Whether two paths are the same, whatever their parameters are called. */
export const isSamePath = (one: string, other: string): boolean =>
  one.replace(/\{[^}]*\}/g, "{}") === other.replace(/\{[^}]*\}/g, "{}");

/** The identifiers of a service that calls create, as an operation knows one: its plain name, and the path of all of its kind. */
export interface ResourceKind {
  readonly name: string;
  readonly path: string;
}

/** What an operation creates, or is told in its path of what others create; undefined where it is neither. */
export function resourceKindOf(
  service: Pick<Service, "operations">,
  operation: Declaration,
): ResourceKind | undefined {
  const { path, server } = operation;
  const createdName = createdIdName(operation);
  if (createdName !== undefined) return { name: createdName, path };
  const segments = path.split("/");
  const names = segments.map((segment) => (isParameter(segment) ? toSnakeCase(segment.slice(1, -1)) : ""));
  const index = names.findIndex((name) => operationsCreating(service, name, server).length > 0);
  return index === -1 ? undefined : { name: names[index]!, path: segments.slice(0, index).join("/") };
}

/** The field of the identifier that stands for nothing any more after a call; undefined where there is none. */
export const deletedIdField = ({ effect, method, path }: Declaration): string | undefined =>
  effect === "change" && method === "DELETE" ? /\{([^}]+)\}$/.exec(path)?.[1] : undefined;

/** What identifies what a call did, in its response. */
export function resourceIdentity({ identifiedBy }: Callable, body: unknown): string | undefined {
  if (identifiedBy === undefined || typeof body !== "object" || body === null) return undefined;
  const value = (body as Record<string, unknown>)[identifiedBy];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
