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

/** The values a path parameter may take, when they are enumerated: others do not reach the route. */
function alternatives(operation: Declaration, name: string): string | undefined {
  const field = fieldsOf(operation).find((each) => each.place === "path" && each.name === name);
  return field?.options?.map(escaped).join("|");
}

export const routeOf = perOperation((operation): Route => {
  const pieces = operation.path.split(/[{}]/);
  const names = pieces.filter((_, index) => index % 2 === 1);
  const url = pieces.map((piece, index) => {
    if (index % 2 === 0) return piece;
    const values = alternatives(operation, piece);
    return `:${(index - 1) / 2}${values ? `(^(?:${values})$)` : ""}`;
  });
  const pattern = pieces.map((piece, index) =>
    index % 2 === 0 ? escaped(piece) : `(?:${alternatives(operation, piece) ?? "[^/]+"})`,
  );
  return { url: url.join(""), names, pattern: new RegExp(`^${pattern.join("")}$`) };
});
