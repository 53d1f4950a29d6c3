/** Routes of operations. */
import { type Declaration, fieldsOf, memoizePerOperation } from "@fxdesk/toolkit/operations";

interface Route {
  /** Path for the router. Parameters are numbered, because the contract's names have dashes. */
  readonly url: string;
  /** Names of the parameters in the contract, in path order. */
  readonly names: readonly string[];
  /** Pattern that matches the same paths. */
  readonly pattern: RegExp;
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const parameterOf = (operation: Declaration, name: string) =>
  fieldsOf(operation).find((each) => each.location === "path" && each.name === name)!;

/** Returns a pattern of the allowed values if the parameter is enumerated. */
function allowedValuesPattern(operation: Declaration, name: string): string | undefined {
  const { options, aliases = new Map<string, string>() } = parameterOf(operation, name);
  return options && [...options, ...aliases.keys()].map(escapeRegExp).join("|");
}

/** Replaces each parameter of a path. */
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

/** Path parameter with a value outside its enumeration. */
export interface InvalidPathValue {
  readonly name: string;
  readonly value: string;
  readonly options: readonly string[];
}

/** Returns the invalid parameter of a path that otherwise matches the operation. */
export function findInvalidPathValue(operation: Declaration, path: string): InvalidPathValue | undefined {
  const [, ...values] = new RegExp(`^${fillPath(operation.path, () => "([^/]+)")}$`).exec(path) ?? [];
  const invalid = parameterNames(operation.path).flatMap((name, index) => {
    const [value, { options }] = [values[index], parameterOf(operation, name)];
    return value !== undefined && options && !options.includes(value) ? [{ name, value, options }] : [];
  });
  return invalid.length === 1 ? invalid[0] : undefined;
}
