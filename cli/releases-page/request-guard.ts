/** Rejects requests to foreign host names (DNS rebinding) and cross-site forms. */
import type { IncomingMessage } from "node:http";
import { loopbackNames } from "../../core/values/host";

/** Address of the page as browsers see it. */
export interface PageLocation {
  /** Public address, if it differs from the one the server listens on. */
  readonly address: URL | undefined;
  readonly port: number;
}

/** Returns the accepted Host headers. Any other may be a foreign name that resolves to this machine (DNS rebinding). */
const hostsOf = ({ address, port }: PageLocation): readonly string[] => [
  ...loopbackNames.map((name) => `${name}:${port}`),
  ...(port === 80 ? loopbackNames : []),
  ...(address ? [address.host] : []),
];

/** Returns the reason for rejecting a request; undefined if it is accepted. */
export function foreignRequestReason(
  { method, headers }: IncomingMessage,
  location: PageLocation,
): string | undefined {
  const { host = "", origin } = headers;
  if (!hostsOf(location).includes(host)) return "This page is not available at this address.";
  if (method !== "POST") return undefined;
  const ownOrigin = location.address?.origin ?? new URL(`http://${host}`).origin;
  const site = headers["sec-fetch-site"];
  const isOwn = origin === ownOrigin && (site === undefined || site === "same-origin");
  return isOwn ? undefined : "Forms from other pages are not accepted.";
}
