/** The --port flag, and errors of listening. */
import { type ParsedArguments, UsageError } from "./arguments";

/** Returns the value of --port; 0 lets the system choose a port. */
export function portFrom(parsed: ParsedArguments): number | undefined {
  const text = parsed.string("port");
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
  return Number(text);
}

interface ListenError {
  readonly code?: unknown;
  readonly port?: unknown;
  readonly address?: unknown;
  readonly hostname?: unknown;
}

/** Advice by error code of `listen`. */
const listenAdvice: Readonly<Record<string, (error: ListenError) => string>> = {
  EADDRINUSE: ({ port }) =>
    `Port ${String(port)} is already in use. Choose another with --port, or 0 for any free port.`,
  EACCES: ({ port }) =>
    `You lack the permission for port ${String(port)}. Choose another with --port, or 0 for any free port.`,
  EADDRNOTAVAIL: ({ address }) => `--host must be an address of this machine, not ${String(address)}.`,
  ENOTFOUND: ({ hostname }) => `--host must be an address of this machine, not ${String(hostname)}.`,
  EAI_AGAIN: ({ hostname }) => `--host must be an address of this machine, not ${String(hostname)}.`,
};

/** Converts errors of `listen` to a UsageError with advice; rethrows other errors. */
export function throwListenError(error: unknown): never {
  const message = listenAdvice[String((error as ListenError).code)]?.(error as ListenError);
  throw message === undefined ? error : new UsageError(message);
}
