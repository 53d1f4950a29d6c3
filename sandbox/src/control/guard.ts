/** Who may touch the controls: programs, and the sandbox's own page. No other web page may. */
import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { isCrossOrigin } from "../http";
import { HttpError } from "../http-error";

/** The name in a Host header, without port and brackets. */
const hostName = (host: string) => host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");

const toForbiddenError = (message: string, details: string) =>
  new HttpError(403, "foreign_origin", message, details);

/**
 * Any name but localhost may have been pointed at this machine by the page that uses it (DNS rebinding); addresses cannot
 * be. What a browser sends for a page carries the page's origin, which must be this server.
 */
export function assertSameOrigin(request: FastifyRequest): void {
  const { host = "", origin = "" } = request.headers;
  const name = hostName(host);
  if (name !== "localhost" && isIP(name) === 0)
    throw toForbiddenError("The controls are reached by address, or as localhost.", host);
  if (isCrossOrigin(request)) throw toForbiddenError("Another web page may not use the controls.", origin);
}
