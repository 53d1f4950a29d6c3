/** Reads files and stdin for flags that name them. */
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { UsageError } from "../command-line/arguments";
import type { Terminal } from "../terminal/terminal";

/** Reads a file, or stdin for "-", as text. Throws a UsageError that names the flag. */
export type ReadSource = (flag: string, path: string) => Promise<string>;

export const nameOfSource = (path: string): string => (path === "-" ? "stdin" : path);

export function createSourceReader({ stdin }: Terminal): ReadSource {
  let stdinFlag: string | undefined;
  const fromStdin = (flag: string) => {
    if (stdinFlag !== undefined) throw new UsageError(`--${flag}: stdin is already used by --${stdinFlag}.`);
    stdinFlag = flag;
    return text(stdin);
  };
  return (flag, path) =>
    (path === "-" ? fromStdin(flag) : readFile(path, "utf8")).catch((error: Error) => {
      throw new UsageError(`--${flag}: ${nameOfSource(path)} cannot be read (${error.message}).`);
    });
}
