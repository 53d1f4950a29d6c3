/** The --port of commands that start a server, and errors of listening. */
import { type Flag, type ParsedArguments, UsageError, validText } from "./arguments";

export const portFlag = (description: string): Flag => ({ name: "port", value: "<number>", description });

/** Returns the value of --port; 0 lets the system choose a port. */
export function portFrom(parsed: ParsedArguments): number | undefined {
  const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
  const text = validText(parsed, "port", "a number from 0 to 65535", isPort);
  return text === undefined ? undefined : Number(text);
}

/** Converts errors of listening on --host and --port to a UsageError with advice; rethrows other errors. */
export function throwListenError(error: unknown): never {
  const { code, port, address, hostname } = error as Readonly<Record<string, unknown>>;
  const otherPort = "Choose another with --port, or 0 for any free port.";
  const foreignAddress = `--host must be an address of this machine, not ${String(address ?? hostname)}.`;
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${String(port)} is already in use. ${otherPort}`,
    EACCES: `You lack the permission for port ${String(port)}. ${otherPort}`,
    EADDRNOTAVAIL: foreignAddress,
    ENOTFOUND: foreignAddress,
    EAI_AGAIN: foreignAddress,
  };
  const message = advice[String(code)];
  throw message === undefined ? error : new UsageError(message);
}
