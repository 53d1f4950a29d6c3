/** How the sandbox says no: a status of the contract, in the body the contract gives that status. */
import type { Declaration, Service } from "@fxdesk/toolkit/operations";
import { dialectOf } from "./dialect";
import { extensionMark, type HttpResponse, type HttpRequest } from "./http";

/**
 * Thrown anywhere behind a route. `code` is one of the standard's message codes on the open-banking interfaces, one of
 * the sandbox's own stable codes elsewhere. `details` says more, or names the field.
 */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details = "",
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The status in which an operation refuses values that do not fit: 400, or 422 where that is documented instead. */
export const invalidStatus = ({ errors }: Declaration): number =>
  !(400 in errors) && 422 in errors ? 422 : 400;

/** A refusal outside any operation: it carries a body, as no contract says that it has none. */
export const plainRefusal = (
  server: string,
  request: HttpRequest,
  refusal: Refusal,
  service: Service,
): HttpResponse => dialectOf(server).refused(refusal, request, service);

/** A refusal by an operation: without a body where the status is documented without, and marked where it is not. */
export function refusalResponseFor(
  operation: Declaration,
  request: HttpRequest,
  refusal: Refusal,
  service: Service,
): HttpResponse {
  const { status, headers } = refusal;
  const failure = operation.errors[status];
  if (typeof failure === "string") return { status, headers, body: undefined };
  const response = plainRefusal(operation.server, request, refusal, service);
  return failure ? response : { ...response, headers: { ...response.headers, ...extensionMark } };
}
