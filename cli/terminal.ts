/** Where a command reads and writes. Responses go to stdout, everything said to a person about them to stderr. */
import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal. */
type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Writes, and waits until it is taken. Rejects where it cannot be, as when the reader has gone away. */
export const write = (stream: Writable, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });

/** Says something to the person; to nobody, where nobody listens. */
export const writeStderr = ({ stderr }: Terminal, text: string): Promise<void> =>
  write(stderr, text).catch(() => undefined);

/** Whether a write failed because its reader has gone away, as `head` does. */
export const isClosed = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EPIPE";

export const printJson = ({ stdout }: Terminal, value: unknown): Promise<void> =>
  write(stdout, `${JSON.stringify(value, null, 2)}\n`);

/** Text of others, made harmless for a terminal: no control sequences, no reversed writing. */
export const printable = (text: string): string =>
  text.replace(/\p{Cc}+/gu, " ").replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
