/** Whose requests are taken: those that come to the page under its own name, and forms that it has sent itself. */
import type { IncomingMessage } from "node:http";
import { loopbackNames } from "../../core/schema/host";

/** Where the page is, as a browser has it. */
export interface PageLocation {
  /** Its address, where that is another than the one it listens on. */
  readonly address: URL | undefined;
  readonly port: number;
}

/** A name of somebody else that leads here (DNS rebinding) is none of its own. */
const hostsOf = ({ address, port }: PageLocation): readonly string[] => [
  ...loopbackNames.map((name) => `${name}:${port}`),
  ...(port === 80 ? loopbackNames : []),
  ...(address ? [address.host] : []),
];

/** Why a request is not taken; undefined where it is. */
export function foreignRequestReason(
  { method, headers }: IncomingMessage,
  location: PageLocation,
): string | undefined {
  const { host = "", origin } = headers;
  if (!hostsOf(location).includes(host)) return "This page is not at that address.";
  if (method !== "POST") return undefined;
  const ownOrigin = location.address?.origin ?? new URL(`http://${host}`).origin;
  const site = headers["sec-fetch-site"];
  const isOwn = origin === ownOrigin && (site === undefined || site === "same-origin");
  return isOwn ? undefined : "Only a form of this page may be sent here.";
}
