/** Input, output and stop signals of a command. Responses go to stdout, messages about them to stderr. */
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { logLine } from "../../core/spec/log";
import { visibleText } from "../../core/values/visible-text";

/** An output stream that may be a terminal. */
type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Writes and waits for the flush. Rejects if the reader closed the stream. */
export const write = (stream: Writable, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });

/** Writes a message to stderr; ignores a closed stderr. */
export const writeStderr = ({ stderr }: Terminal, text: string): Promise<void> =>
  write(stderr, text).catch(() => undefined);

/** Writes a line for the operator of a long-running command; `prose` is the line unless the log is JSON. */
export const writeLog = (terminal: Terminal, ...line: Parameters<typeof logLine>): Promise<void> =>
  writeStderr(terminal, `${logLine(...line)}\n`);

/** Writes that a long-running command is ready. */
export const writeReady = (terminal: Terminal, message: string): Promise<void> =>
  writeLog(terminal, "info", message, {}, message);

/** True if a write failed because the reader closed the stream, as `head` does. */
export const isClosed = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EPIPE";

export const printJson = ({ stdout }: Terminal, value: unknown): Promise<void> =>
  write(stdout, `${JSON.stringify(value, null, 2)}\n`);

/** Returns text on one line with invisible characters as codes, so that untrusted text cannot drive the terminal. */
export const printable = (text: string): string => visibleText(text.replace(/[\t\n\r]+/g, " "));

/** Returns a time in the time zone of this machine, with the name of the zone. */
export const localTime = (time: string): string =>
  new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "long" })
    .format(new Date(time))
    .replace("\u2212", "-");

const eraseLine = "\r\u001b[2K";

/** Text wider than the terminal would wrap, and the second line would not be erased. */
const defaultWidth = 80;

interface StatusLine {
  /** Undefined if stderr is not a terminal, and in CI. */
  readonly show?: (text: string) => void;
  readonly erase: () => void;
}

/** Returns a line on stderr that is redrawn in place. */
export function createStatusLine({ stderr, environment }: Terminal): StatusLine {
  if (!stderr.isTTY || environment.CI) return { erase: () => undefined };
  const width = (stderr.columns ?? defaultWidth) - 1;
  let isShown = false;
  return {
    show(text) {
      isShown = true;
      stderr.write(eraseLine + text.slice(0, width));
    },
    erase() {
      if (isShown) stderr.write(eraseLine);
      isShown = false;
    },
  };
}

/** Ctrl-C, kill, and a closed terminal. */
const stopSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** npx forwards signals that the terminal already sent, so one Ctrl-C may arrive several times. */
const duplicateSignalMs = 250;

/** Reports stop signals to a command instead of ending the process. */
export class StopRequests {
  #resolveNext: () => void = () => undefined;
  readonly #onSignal = () => this.#resolveNext();

  constructor() {
    for (const signal of stopSignals) process.on(signal, this.#onSignal);
  }

  /** Resolves at the next stop signal. */
  next(): Promise<void> {
    return new Promise((resolve) => (this.#resolveNext = resolve));
  }

  /** Waits until duplicates of the last signal have arrived. */
  waitForDuplicates(): Promise<void> {
    return pause(duplicateSignalMs);
  }

  /** Restores the default handling of signals. */
  dispose(): void {
    for (const signal of stopSignals) process.off(signal, this.#onSignal);
  }
}

/** Resolves at the first stop signal. Call it before printing that Ctrl-C stops the command. */
export async function untilStopped(): Promise<void> {
  const stopRequests = new StopRequests();
  await stopRequests.next();
  stopRequests.dispose();
}
