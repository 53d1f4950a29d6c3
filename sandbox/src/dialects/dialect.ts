/** Error format and codes of a server. */
import type { Service } from "@fxdesk/toolkit/operations";
import type { HttpResponse, HttpRequest } from "../http/http";
import type { HttpError } from "../http/http-error";
import type { Grant } from "../world/tokens/tokens";
import type { World } from "../world/model/world";

/** The caller: the accessible clients and, after a login, the contact. */
export type Caller = Pick<Grant, "clientIds"> & Partial<Pick<Grant, "contactId">>;

/** Codes of the errors raised before an operation runs. */
export interface ErrorCodes {
  readonly invalid: string;
  readonly tokenMissing: string;
  readonly tokenUnknown: string;
  readonly tokenExpired: string;
  readonly unknownPath: string;
  readonly wrongMethod: string;
  readonly internal: string;
}

export interface Dialect {
  readonly codes: ErrorCodes;
  /** Code to respond with when a fault forces a status. */
  readonly statusCodes: Readonly<Record<number, string>>;
  /** Returns the owner of an access token. */
  callerOf(this: void, token: string, world: World): Caller | "unknown" | "expired";
  /** Formats an error as a response. */
  toErrorResponse(this: void, refusal: HttpError, request: HttpRequest, service: Service): HttpResponse;
  /** Returns the request ID to send back, given the ID from the request. */
  requestId(this: void, sent: string | undefined): string | undefined;
}
