/** Where a server finds an operation. */
import { type Declaration, fieldsOf, perOperation } from "@fxdesk/toolkit/operations";

export interface Route {
  /** The path as the router reads it, its parameters numbered: the contract's names have dashes. */
  readonly url: string;
  /** The contract's names of the parameters, in their order. */
  readonly names: readonly string[];
  /** Matches the same paths. */
  readonly pattern: RegExp;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const parameterOf = (operation: Declaration, name: string) =>
  fieldsOf(operation).find((each) => each.place === "path" && each.name === name)!;

/** What may stand for a path parameter, when that is enumerated: other values do not reach the route. */
function alternatives(operation: Declaration, name: string): string | undefined {
  const { options, alsoSpelled = new Map<string, string>() } = parameterOf(operation, name);
  return options && [...options, ...alsoSpelled.keys()].map(escaped).join("|");
}

/** The path of an operation, with something in the place of each parameter. */
const filled = (path: string, write: (name: string, index: number) => string, literal = escaped): string =>
  path
    .split(/[{}]/)
    .map((piece, index) => (index % 2 === 0 ? literal(piece) : write(piece, (index - 1) / 2)))
    .join("");

const namesIn = (path: string): string[] => path.split(/[{}]/).filter((_, index) => index % 2 === 1);

export const routeOf = perOperation((operation): Route => {
  const parameter = (name: string, index: number) => {
    const values = alternatives(operation, name);
    return `:${index}${values ? `(^(?:${values})$)` : ""}`;
  };
  const pattern = filled(operation.path, (name) => `(?:${alternatives(operation, name) ?? "[^/]+"})`);
  return {
    url: filled(operation.path, parameter, (piece) => piece),
    names: namesIn(operation.path),
    pattern: new RegExp(`^${pattern}$`),
  };
});

/** A path parameter with a value that is none of those it may take. */
export interface Misnamed {
  readonly name: string;
  readonly value: string;
  readonly options: readonly string[];
}

/** What is wrong with a path that would be the operation's but for one parameter. */
export function misnamed(operation: Declaration, path: string): Misnamed | undefined {
  const [, ...values] = new RegExp(`^${filled(operation.path, () => "([^/]+)")}$`).exec(path) ?? [];
  const wrong = namesIn(operation.path).flatMap((name, index) => {
    const [value, { options }] = [values[index], parameterOf(operation, name)];
    return value !== undefined && options && !options.includes(value) ? [{ name, value, options }] : [];
  });
  return wrong.length === 1 ? wrong[0] : undefined;
}
