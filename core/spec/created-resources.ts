/** Resources that calls create and delete, derived from the declarations. ID names are compared in snake case. */
import { Big } from "big.js";
import { metaOf } from "../values/kind";
import { type CommittedAmount, committedMoneyOf } from "./committed-money";
import { fieldsOf, type Values } from "./fields";
import type { Callable, Declaration } from "./operation";
import type { Service } from "./service";

/** Converts `Consent-ID`, `consent-id` and `consentId` to `consent_id`. */
export const toSnakeCase = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();

const isId = (name: string): boolean => toSnakeCase(name).endsWith("_id");

/**
 * Returns the snake-case name of the ID that an operation creates, or undefined. IDs of nested resources are left
 * out, because they are useless without the ID of their parent.
 */
export function createdIdName({ effect, identifiedBy, parameters = {} }: Declaration): string | undefined {
  if (effect === "read" || identifiedBy === undefined || !isId(identifiedBy)) return undefined;
  return Object.keys(parameters).some(isId) ? undefined : toSnakeCase(identifiedBy);
}

/** Returns the operations of a server that create an ID with this name. */
export const operationsCreating = (
  { operations }: Pick<Service, "operations">,
  name: string,
  server: string,
): readonly Declaration[] =>
  operations.filter((operation) => operation.server === server && createdIdName(operation) === name);

const isParameter = (segment: string): boolean => segment.startsWith("{");

/** True if two paths can address the same resource. A parameter matches any segment. */
export function pathsMayMatch(one: string, other: string): boolean {
  const [ones, others] = [one.split("/"), other.split("/")];
  const matches = (segment: string, index: number) =>
    segment === others[index] || isParameter(segment) || isParameter(others[index]!);
  return ones.length === others.length && ones.every(matches);
}

/** True if two paths are equal except for the names of their parameters. */
export const isSamePath = (one: string, other: string): boolean =>
  one.replace(/\{[^}]*\}/g, "{}") === other.replace(/\{[^}]*\}/g, "{}");

/** A kind of created resource: the snake-case name of its ID, and the path of its collection. */
interface ResourceKind {
  readonly name: string;
  readonly path: string;
}

/** Returns the kind of resource that an operation creates or takes in its path, or undefined. */
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

/** Returns the field with the ID of the resource that an operation deletes, or undefined. */
export const deletedIdField = ({ effect, method, path }: Declaration): string | undefined =>
  effect === "change" && method === "DELETE" ? /\{([^}]+)\}$/.exec(path)?.[1] : undefined;

/** Returns the ID in a response, or undefined if the operation declares none. */
export function resourceIdentity({ identifiedBy }: Callable, body: unknown): string | undefined {
  if (identifiedBy === undefined || typeof body !== "object" || body === null) return undefined;
  const value = (body as Record<string, unknown>)[identifiedBy];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Returns the sum per currency, with the largest number of decimals of its amounts. */
function currencySums(amounts: readonly CommittedAmount[]): string[] {
  const currencies = [...new Set(amounts.map(({ currency }) => currency))];
  return currencies.map((currency) => {
    const own = amounts.filter((each) => each.currency === currency).map(({ amount }) => amount);
    const digits = Math.max(...own.map((amount) => amount.split(".")[1]?.length ?? 0));
    return `${own.reduce((sum, amount) => sum.plus(amount), new Big(0)).toFixed(digits)} ${currency}`;
  });
}

/**
 * Returns the label of a created resource, from the input of the call. Dates are prefixed with the title of their
 * field.
 */
export function labelParts(operation: Declaration, given: Values): string[] {
  const { labelFields = [] } = operation;
  const fields = fieldsOf(operation).filter(({ name }) => labelFields.includes(name));
  const fieldTexts = fields.flatMap(({ name, title, schema }) => {
    const value = given[name];
    if (typeof value !== "string") return [];
    return metaOf(schema).format === "date" ? `${title} ${value}` : value;
  });
  return [...currencySums(committedMoneyOf(operation, given).amounts ?? []), ...fieldTexts];
}
