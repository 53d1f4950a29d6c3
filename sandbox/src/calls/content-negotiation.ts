/** Content negotiation of the open-banking interfaces (RFC 9110, section 12.5.1). */
import type { Declaration } from "@fxdesk/toolkit/operations";
import type { Call } from "./behaviour";
import { type HttpRequest, jsonMediaType, negotiateMediaType } from "../http/http";
import { HttpError } from "../http/http-error";

/** Returns the media type that the client prefers. Throws if it accepts none. */
export function negotiateResponseType<T extends string>(
  { request }: { readonly request: Pick<HttpRequest, "headers"> },
  types: readonly T[],
): T {
  const type = negotiateMediaType(request, types);
  if (type === undefined)
    throw new HttpError(
      406,
      "REQUESTED_FORMATS_INVALID",
      `The response is available as ${types.join(" or ")}.`,
    );
  return type;
}

/** Returns all media types of an operation's responses; empty if they have no body. */
const responseTypesOf = ({ responses }: Declaration): string[] =>
  Object.values(responses).flatMap((response) =>
    response.kind === "json" ? [jsonMediaType, ...(response.asText?.mediaTypes ?? [])] : [],
  );

/**
 * Throws before any change if the client accepts none of the operation's media types. Operations that do not document
 * 406 respond anyway.
 */
export function assertAcceptable(call: Pick<Call, "operation" | "request">): void {
  const types = responseTypesOf(call.operation);
  if (406 in call.operation.errors && types.length > 0) negotiateResponseType(call, types);
}
