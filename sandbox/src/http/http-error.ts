/** Errors with an HTTP status. */
import type { Declaration, Violation } from "@fxdesk/toolkit/operations";

/**
 * Error of a request. `code` is a message code of the standard on the open-banking interfaces, and a stable code of the
 * sandbox elsewhere. `details` adds specifics, for example the field.
 */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details = "",
    readonly headers: Readonly<Record<string, string>> = {},
    /** Invalid fields of the request, if they caused the error. */
    readonly violations: readonly Violation[] = [],
  ) {
    super(message);
  }
}

/** Returns the status for invalid values: 400, or 422 if only that is documented. */
export const invalidRequestStatus = ({ errors }: Declaration): number =>
  !(400 in errors) && 422 in errors ? 422 : 400;
