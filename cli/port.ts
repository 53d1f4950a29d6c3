/** Where a command that serves listens. */
import { type Given, UsageError } from "./arguments";

/** The port to listen on; 0 lets the system choose one. */
export function portFrom(given: Given): number | undefined {
  const text = given.text("port");
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
  return Number(text);
}

/** Says what to do about a port on which another listens; every other error is thrown on. */
export function portTaken(error: unknown): never {
  const { code, port } = error as { readonly code?: unknown; readonly port?: unknown };
  throw code === "EADDRINUSE"
    ? new UsageError(`Port ${String(port)} is taken: choose another with --port, or 0 for any free one.`)
    : error;
}
