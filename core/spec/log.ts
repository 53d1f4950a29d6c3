/** Lines on stderr for the operators of a server: prose, or one JSON object each. */
import { FxdeskError, type Outcome } from "./errors";

/** Environment variable with the format of the lines. */
export const logVariable = "FXDESK_LOG";
export const logFormats = ["text", "json"] as const;

export const isJsonLog = (): boolean => process.env[logVariable] === "json";

/** What a line is about, for programs. Contains no secret and no personal data. */
export interface LogFacts {
  readonly code?: string | undefined;
  readonly operation?: string;
  readonly outcome?: Outcome | "done";
  readonly request_id?: string | undefined;
  readonly journal_entry?: string | undefined;
  readonly trace_id?: string | undefined;
}

/** Returns the facts of an error of a call; none of any other. */
export const factsOf = (error: unknown): LogFacts =>
  error instanceof FxdeskError
    ? {
        code: error.code,
        operation: error.operation,
        outcome: error.outcome,
        request_id: error.requestId,
        journal_entry: error.journal?.entry,
      }
    : {};

/** Returns a line in the chosen format. */
export const logLine = (
  level: "info" | "warn" | "error",
  message: string,
  facts: LogFacts & { readonly stack?: string | undefined } = {},
  prose = `fxdesk: ${message}`,
): string =>
  isJsonLog()
    ? JSON.stringify({ time: new Date(Date.now()).toISOString(), level, message, ...facts })
    : prose;

export const log = (...line: Parameters<typeof logLine>): void => console.error(logLine(...line));

/** Logs an error of our own code, with its stack. */
export function logUnexpected(error: unknown): void {
  if (!isJsonLog()) return console.error(error);
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  log("error", message, { code: "unexpected", ...factsOf(error), stack });
}

/** Logs the warnings of Node.js and a failure that ends the process in JSON, too. */
export function logProcessAsJson(): void {
  // The first listener is that of Node.js, which prints prose.
  process.removeAllListeners("warning");
  process.on("warning", (warning) =>
    log("warn", warning.message, { code: (warning as NodeJS.ErrnoException).code ?? warning.name }),
  );
  process.on("uncaughtException", (error) => {
    logUnexpected(error);
    process.exit(1);
  });
}
