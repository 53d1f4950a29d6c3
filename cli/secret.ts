/** A secret that a person types, or that comes on standard input: never an argument, which others could read. */
import type { Readable } from "node:stream";
import { UsageError } from "./arguments";
import { type Terminal, writeStderr } from "./terminal";

/** A terminal whose echo can be turned off. */
type Keyboard = Readable & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown };

const maxSecretLength = 1_024;
const [enter, lineFeed, backspace, erase, interrupt, endOfInput] = [
  "\r",
  "\n",
  "\b",
  "\u007f",
  "\u0003",
  "\u0004",
];

/** Reads a line key by key, without showing it. */
async function readTyped(keyboard: Keyboard): Promise<string> {
  keyboard.setRawMode!(true);
  try {
    let line: string[] = [];
    for await (const chunk of keyboard.iterator({ destroyOnReturn: false }))
      for (const key of String(chunk)) {
        if (key === interrupt || key === endOfInput) throw new UsageError("Nothing was decided.");
        if (key === enter || key === lineFeed) return line.join("");
        line = key === backspace || key === erase ? line.slice(0, -1) : [...line, key];
      }
    return line.join("");
  } finally {
    keyboard.setRawMode!(false);
    keyboard.pause();
  }
}

/** Reads the first line of what comes. */
async function readPiped(input: Readable): Promise<string> {
  let text = "";
  for await (const chunk of input) {
    text += String(chunk);
    if (text.includes("\n") || text.length > maxSecretLength) break;
  }
  return text.split(/\r?\n/)[0]!;
}

/** Asks for a secret. Throws a UsageError where there is none. */
export async function readSecret(terminal: Terminal, prompt: string): Promise<string> {
  const keyboard: Keyboard = terminal.stdin;
  const isTyped = keyboard.isTTY === true && keyboard.setRawMode !== undefined;
  if (isTyped) await writeStderr(terminal, prompt);
  const secret = isTyped ? await readTyped(keyboard) : await readPiped(keyboard);
  if (isTyped) await writeStderr(terminal, "\n");
  if (secret === "")
    throw new UsageError("The secret is read from the terminal or from standard input, and there was none.");
  return secret;
}
