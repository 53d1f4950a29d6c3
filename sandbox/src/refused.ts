/** A refusal as a response: in the body that the contract gives its status. */
import { type Declaration, errorBody, type Service } from "@fxdesk/toolkit/operations";
import { dialectOf } from "./dialects";
import { extensionMark, type HttpResponse, type HttpRequest } from "./http";
import type { Refusal } from "./refusal";

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
  if (failure !== undefined && !errorBody(failure)) return { status, headers, body: undefined };
  const response = plainRefusal(operation.server, request, refusal, service);
  return failure !== undefined
    ? response
    : { ...response, headers: { ...response.headers, ...extensionMark } };
}
