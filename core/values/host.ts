/** Helpers for the host of an address. */

/** Names of this machine, as written in an address. */
export const loopbackNames = ["127.0.0.1", "localhost", "[::1]"] as const;

/** Removes the brackets around an IPv6 host of an address. */
export const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, "");

/** True if the host, with or without brackets, is this machine. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|::1|127(\.\d+){3})$/.test(withoutBrackets(host));

/** True if the host of a parsed address is this machine, by whatever name. */
export const isThisMachine = (host: string): boolean =>
  isLoopback(host) || /^(0\.0\.0\.0|\[::\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\]|.+\.localhost)$/.test(host);

/** Returns the address of a service in one spelling: names of this machine are equal, and the path does not count. */
export function normalizeAddress(address: string): string {
  const { protocol, hostname, port } = new URL(address);
  const host = hostname.replace(/\.$/, "");
  return `${protocol}//${isThisMachine(host) ? "localhost" : host}${port && `:${port}`}`;
}
