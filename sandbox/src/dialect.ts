/** How a server of a service responds. */
import type { Service } from "@fxdesk/toolkit/operations";
import type { HttpResponse, HttpRequest } from "./http";
import type { HttpError } from "./http-error";
import type { Grant } from "./world/tokens/sign-in";
import type { World } from "./world/world";

/** Who calls: for which clients, and by whose token where somebody logged in. */
export type Caller = Pick<Grant, "clientIds"> & Partial<Pick<Grant, "contactId">>;

/** What the door says. */
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
  /** The code of a status that was asked for, where there is one. */
  readonly statusCodes: Readonly<Record<number, string>>;
  /** For whom a token is. */
  callerOf(this: void, token: string, world: World): Caller | "unknown" | "expired";
  /** A refusal with its body. */
  toErrorResponse(this: void, refusal: HttpError, request: HttpRequest, service: Service): HttpResponse;
  /** What the response calls a request that was sent with an identifier, or without. */
  requestId(this: void, sent: string | undefined): string | undefined;
}
