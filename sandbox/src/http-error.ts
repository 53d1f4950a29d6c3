/** How the sandbox says no: with a status of the contract. */
import type { Declaration, Violation } from "@fxdesk/toolkit/operations";

/**
 * Thrown anywhere behind a route. `code` is one of the standard's message codes on the open-banking interfaces, one of
 * the sandbox's own stable codes elsewhere. `details` says more, or names the field.
 */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details = "",
    readonly headers: Readonly<Record<string, string>> = {},
    /** What is wrong with the fields of the request, where that is why. */
    readonly violations: readonly Violation[] = [],
  ) {
    super(message);
  }
}

/** The status in which an operation refuses values that do not fit: 400, or 422 where that is documented instead. */
export const invalidRequestStatus = ({ errors }: Declaration): number =>
  !(400 in errors) && 422 in errors ? 422 : 400;
