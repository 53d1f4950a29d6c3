/** The service's own declaration decides how a call is protected, whatever declaration a caller or an interceptor gives. */
import type { Declaration } from "../spec/operation";
import { effectRanks } from "../spec/service";
import type { ClientContext } from "./client-context";
import type { PreparedCall } from "./prepared-call";

/** Name of calls that the service does not declare. */
export const undeclaredName = "client.request";

/** A call as it is sent. */
type SentCall = Pick<PreparedCall, "operation" | "target">;
type ServiceContext = Pick<ClientContext, "service" | "addresses">;

/** Returns origin and decoded path segments. Spellings of one path that a server may treat alike are equal. */
function segmentsOf(url: string): readonly string[] | undefined {
  try {
    const { origin, pathname } = new URL(url);
    const path = pathname.split("/").filter(Boolean);
    return [origin, ...path.map((segment) => decodeURIComponent(segment).toLowerCase())];
  } catch {
    return undefined;
  }
}

const placeholder = /^\{[^}]*\}$/;

/** Compares a route with the segments of a call. A parameter in braces matches any segment. */
const matches = (route: readonly string[], segments: readonly string[]): boolean =>
  route.length === segments.length &&
  route.every((part, index) => placeholder.test(part) || part === segments[index]);

const addressOf = ({ server }: Declaration, { addresses }: ServiceContext): string | undefined => {
  const address = addresses[server];
  return address && address.origin + address.pathPrefix;
};

/** Returns the service's operation with the highest effect among those at the method and path of a call. */
function findDeclared({ operation, target }: SentCall, context: ServiceContext): Declaration | undefined {
  const segments = segmentsOf(`${addressOf(operation, context)}${target}`);
  if (!segments) return undefined;
  return context.service.operations
    .filter((declared) => {
      const address = addressOf(declared, context);
      if (declared.method !== operation.method || address === undefined) return false;
      const [origin, ...prefix] = segmentsOf(address)!;
      const path = declared.path.split("/").filter(Boolean);
      const route = path.map((part) => (placeholder.test(part) ? part : part.toLowerCase()));
      return matches([origin!, ...prefix, ...route], segments);
    })
    .reduce<Declaration | undefined>(
      (found, each) => (found && effectRanks[found.effect] >= effectRanks[each.effect] ? found : each),
      undefined,
    );
}

/** Returns the service's declaration of a money route with the input of another declaration, whose amounts are not known. */
function withInputOf(declared: Declaration, given: Declaration): Declaration {
  const { parameters: _p, query: _q, headers: _h, body: _b, document: _d, commits, ...facts } = declared;
  const { method, path, server, credentials, parameters, query, headers, body, document } = given;
  return Object.freeze({
    ...facts,
    method,
    path,
    server,
    credentials,
    ...(commits === "none" && { commits }),
    ...(parameters && { parameters }),
    ...(query && { query }),
    ...(headers && { headers }),
    ...(body && { body }),
    ...(document && { document }),
  });
}

/**
 * Returns the operation by whose name, effect and outcome a call is treated: that of the service at its method and path. Every
 * other call that is not a GET commits money.
 */
export function operationOfCall(call: SentCall, context: ServiceContext): Declaration {
  const { operation } = call;
  const declared = findDeclared(call, context);
  if (declared === operation) return operation;
  if (declared?.effect === "read" && operation.effect === "read") return operation;
  if (declared)
    return declared.effect === "money"
      ? withInputOf(declared, operation)
      : { ...operation, name: declared.name, effect: declared.effect };
  if (operation.method === "GET") return operation;
  const { commits: _, ...rest } = operation;
  const isTaken = context.service.operations.some(({ name }) => name === operation.name);
  return { ...rest, ...(isTaken && { name: undeclaredName }), effect: "money" };
}
