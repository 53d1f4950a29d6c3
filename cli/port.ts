/** Where a command that serves listens. */
import { type ParsedArguments, UsageError } from "./arguments";

/** The port to listen on; 0 lets the system choose one. */
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

/** What to do when nothing can listen there, by the code of the error. */
const listenAdvice: Readonly<Record<string, (error: ListenError) => string>> = {
  EADDRINUSE: ({ port }) =>
    `Port ${String(port)} is taken: choose another with --port, or 0 for any free one.`,
  EACCES: ({ port }) =>
    `Port ${String(port)} may not be used: choose another with --port, or 0 for any free one.`,
  EADDRNOTAVAIL: ({ address }) => `--host must be an address of this machine, not ${String(address)}.`,
  ENOTFOUND: ({ hostname }) => `--host must be an address of this machine, not ${String(hostname)}.`,
  EAI_AGAIN: ({ hostname }) => `--host must be an address of this machine, not ${String(hostname)}.`,
};

/** Says what to do about a port or an address that cannot be had; every other error is thrown on. */
export function throwListenError(error: unknown): never {
  const message = listenAdvice[String((error as ListenError).code)]?.(error as ListenError);
  throw message === undefined ? error : new UsageError(message);
}
