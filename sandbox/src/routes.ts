/** Where a server finds an operation. */
import { type Declaration, fieldsOf, memoizePerOperation } from "@fxdesk/toolkit/operations";

export interface Route {
  /** The path as the router reads it, its parameters numbered: the contract's names have dashes. */
  readonly url: string;
  /** The contract's names of the parameters, in their order. */
  readonly names: readonly string[];
  /** Matches the same paths. */
  readonly pattern: RegExp;
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const parameterOf = (operation: Declaration, name: string) =>
  fieldsOf(operation).find((each) => each.location === "path" && each.name === name)!;

/** What may stand for a path parameter, when that is enumerated: other values do not reach the route. */
function allowedValuesPattern(operation: Declaration, name: string): string | undefined {
  const { options, aliases = new Map<string, string>() } = parameterOf(operation, name);
  return options && [...options, ...aliases.keys()].map(escapeRegExp).join("|");
}

/** The path of an operation, with something in the place of each parameter. */
const fillPath = (
  path: string,
  write: (name: string, index: number) => string,
  literal = escapeRegExp,
): string =>
  path
    .split(/[{}]/)
    .map((piece, index) => (index % 2 === 0 ? literal(piece) : write(piece, (index - 1) / 2)))
    .join("");

const parameterNames = (path: string): string[] => path.split(/[{}]/).filter((_, index) => index % 2 === 1);

export const routeOf = memoizePerOperation((operation): Route => {
  const parameter = (name: string, index: number) => {
    const values = allowedValuesPattern(operation, name);
    return `:${index}${values ? `(^(?:${values})$)` : ""}`;
  };
  const pattern = fillPath(
    operation.path,
    (name) => `(?:${allowedValuesPattern(operation, name) ?? "[^/]+"})`,
  );
  return {
    url: fillPath(operation.path, parameter, (piece) => piece),
    names: parameterNames(operation.path),
    pattern: new RegExp(`^${pattern}$`),
  };
});

/** A path parameter with a value that is none of those it may take. */
export interface InvalidPathValue {
  readonly name: string;
  readonly value: string;
  readonly options: readonly string[];
}

/** What is wrong with a path that would be the operation's but for one parameter. */
export function findInvalidPathValue(operation: Declaration, path: string): InvalidPathValue | undefined {
  const [, ...values] = new RegExp(`^${fillPath(operation.path, () => "([^/]+)")}$`).exec(path) ?? [];
  const invalid = parameterNames(operation.path).flatMap((name, index) => {
    const [value, { options }] = [values[index], parameterOf(operation, name)];
    return value !== undefined && options && !options.includes(value) ? [{ name, value, options }] : [];
  });
  return invalid.length === 1 ? invalid[0] : undefined;
}
