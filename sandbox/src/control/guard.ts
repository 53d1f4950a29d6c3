/** Who may touch the controls: programs, and the sandbox's own page. No other web page may. */
import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { isForeign } from "../http";
import { Refusal } from "../refusal";

/** The name in a Host header, without port and brackets. */
const nameIn = (host: string) => host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");

const refused = (message: string, details: string) => new Refusal(403, "foreign_origin", message, details);

/**
 * Any name but localhost may have been pointed at this machine by the page that uses it (DNS rebinding); addresses cannot
 * be. What a browser sends for a page carries the page's origin, which must be this server.
 */
export function onlyFromHere(request: FastifyRequest): void {
  const { host = "", origin = "" } = request.headers;
  const name = nameIn(host);
  if (name !== "localhost" && isIP(name) === 0)
    throw refused("The controls are reached by address, or as localhost.", host);
  if (isForeign(request)) throw refused("Another web page may not use the controls.", origin);
}
