/** Where a command reads and writes. Answers go to stdout, everything said to a person about them to stderr. */
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Writes, and waits while the reader is slower. */
export async function write(stream: Writable, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, "drain");
}

export const printJson = ({ stdout }: Terminal, value: unknown): Promise<void> =>
  write(stdout, `${JSON.stringify(value, null, 2)}\n`);

/** Text of others, made harmless for a terminal: no control sequences, no reversed writing. */
export const printable = (text: string): string =>
  text.replace(/\p{Cc}+/gu, " ").replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
