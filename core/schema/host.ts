/** The host of an address. */

/** The names of this machine, as they stand in an address. */
export const loopbackNames = ["127.0.0.1", "localhost", "[::1]"] as const;

/** A host as an address has it, in brackets where it is IPv6, as the network takes it. */
export const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, "");

/** Whether a host, with or without brackets, is reached from this machine only. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|::1|127(\.\d+){3})$/.test(withoutBrackets(host));
