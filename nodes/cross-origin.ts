/** Requests that do not come from the editor. */
import type { IncomingHttpHeaders } from "node:http";

/** Whether a page of another site asks: Node-RED lets every site read what its admin API returns. */
export function isCrossOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}
