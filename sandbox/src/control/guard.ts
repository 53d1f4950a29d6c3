/** Restricts the controls to programs and to the sandbox's own page, and rejects other web pages. */
import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { isCrossOrigin } from "../http/http";
import { HttpError } from "../http/http-error";

/** Returns the host of a Host header, without port and brackets. */
const hostName = (host: string) => host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");

const toForbiddenError = (message: string, details: string) =>
  new HttpError(403, "foreign_origin", message, details);

/**
 * Throws unless the request is for an IP address or localhost, and not from another origin. Any other name may have
 * been pointed at this machine by DNS rebinding.
 */
export function assertSameOrigin(request: FastifyRequest): void {
  const { host = "", origin = "" } = request.headers;
  const name = hostName(host);
  if (name !== "localhost" && isIP(name) === 0)
    throw toForbiddenError("The controls are available by IP address or as localhost only.", host);
  if (isCrossOrigin(request)) throw toForbiddenError("Other web pages must not use the controls.", origin);
}
