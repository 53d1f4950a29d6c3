/** In which media type a call is answered, by what its caller accepts. RFC 9110, section 12.5.1. */
import type { Declaration } from "@fxdesk/toolkit/operations";
import type { Call } from "../behaviour";
import { type HttpRequest, jsonMediaType, negotiateMediaType } from "../http";
import { HttpError } from "../http-error";

/** Of the media types a call can be answered in, the one its caller likes best. Refuses when it accepts none. */
export function negotiateResponseType<T extends string>(
  { request }: { readonly request: Pick<HttpRequest, "headers"> },
  types: readonly T[],
): T {
  const type = negotiateMediaType(request, types);
  if (type === undefined)
    throw new HttpError(406, "REQUESTED_FORMATS_INVALID", `The response is ${types.join(" or ")}.`);
  return type;
}

/** All media types an operation may respond in; none where its responses have no body. */
const responseTypesOf = ({ responses }: Declaration): string[] =>
  Object.values(responses).flatMap((response) =>
    response.kind === "json" ? [jsonMediaType, ...(response.asText?.mediaTypes ?? [])] : [],
  );

/**
 * Refuses a call whose caller accepts none of its operation's media types, before anything is done; where it is not
 * documented that a call can be refused so, what there is is sent.
 */
export function assertAcceptable(call: Pick<Call, "operation" | "request">): void {
  const types = responseTypesOf(call.operation);
  if (406 in call.operation.errors && types.length > 0) negotiateResponseType(call, types);
}
