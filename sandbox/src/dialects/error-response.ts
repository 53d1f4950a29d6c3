/** Responses for HttpErrors, with the body that the contract documents for the status. */
import { type Declaration, errorBody, type Service } from "@fxdesk/toolkit/operations";
import { dialectOf } from "./dialects";
import { extensionHeader, type HttpResponse, type HttpRequest } from "../http/http";
import type { HttpError } from "../http/http-error";

/** Formats an error outside any operation. It always has a body. */
export const toPlainErrorResponse = (
  server: string,
  request: HttpRequest,
  error: HttpError,
  service: Service,
): HttpResponse => dialectOf(server).toErrorResponse(error, request, service);

/**
 * Formats an error of an operation. A status documented without a body gets none; an undocumented status is marked as
 * an extension.
 */
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
