/** Detection of requests from other sites. */
import type { IncomingHttpHeaders } from "node:http";

/** True if a page of another site sends the request. Node-RED lets every site read the responses of its admin API. */
export function isCrossOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}
