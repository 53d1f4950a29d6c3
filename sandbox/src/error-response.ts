/** A refusal as a response: in the body that the contract gives its status. */
import { type Declaration, errorBody, type Service } from "@fxdesk/toolkit/operations";
import { dialectOf } from "./dialects";
import { extensionHeader, type HttpResponse, type HttpRequest } from "./http";
import type { HttpError } from "./http-error";

/** A refusal outside any operation: it carries a body, as no contract says that it has none. */
export const toPlainErrorResponse = (
  server: string,
  request: HttpRequest,
  error: HttpError,
  service: Service,
): HttpResponse => dialectOf(server).toErrorResponse(error, request, service);

/** A refusal by an operation: without a body where the status is documented without, and marked where it is not. */
export function toErrorResponse(
  operation: Declaration,
  request: HttpRequest,
  error: HttpError,
  service: Service,
): HttpResponse {
  const { status, headers } = error;
  const declaredError = operation.errors[status];
  if (declaredError !== undefined && !errorBody(declaredError)) return { status, headers, body: undefined };
  const response = toPlainErrorResponse(operation.server, request, error, service);
  return declaredError !== undefined
    ? response
    : { ...response, headers: { ...response.headers, ...extensionHeader } };
}
