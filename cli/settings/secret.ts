/** Reads secrets from the terminal or stdin. Never an argument, because other users can read command lines. */
import type { Readable } from "node:stream";
import { UsageError } from "../command-line/arguments";
import { type Terminal, writeStderr } from "../terminal/terminal";

/** A stream whose echo can be turned off if it is a terminal. */
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

/** Reads a line key by key, without echo. */
async function readTyped(keyboard: Keyboard): Promise<string> {
  keyboard.setRawMode!(true);
  try {
    let line: string[] = [];
    for await (const chunk of keyboard.iterator({ destroyOnReturn: false }))
      for (const key of String(chunk)) {
        if (key === interrupt || key === endOfInput) throw new UsageError("Cancelled. Nothing was recorded.");
        if (key === enter || key === lineFeed) return line.join("");
        line = key === backspace || key === erase ? line.slice(0, -1) : [...line, key];
      }
    return line.join("");
  } finally {
    keyboard.setRawMode!(false);
    keyboard.pause();
  }
}

/** Returns a function that reads the next line of a stream at each call. */
function lineReader(input: Readable): () => Promise<string> {
  let text = "";
  return async () => {
    if (!text.includes("\n"))
      for await (const chunk of input.iterator({ destroyOnReturn: false })) {
        text += String(chunk);
        if (text.includes("\n") || text.length > maxSecretLength) break;
      }
    const [line = "", ...rest] = text.split("\n");
    text = rest.join("\n");
    return line.replace(/\r$/, "");
  };
}

/** Prompts for a secret. Throws a UsageError if it is empty. */
export type ReadSecret = (prompt: string) => Promise<string>;

interface SecretPrompts {
  readonly read: ReadSecret;
  /** Prompts for a new secret; a person types it twice. */
  readonly readNew: ReadSecret;
}

/** Returns prompts for secrets: typed without echo, or one line of standard input each. */
export function secretPrompts(terminal: Terminal): SecretPrompts {
  const keyboard: Keyboard = terminal.stdin;
  const isTyped = keyboard.isTTY === true && keyboard.setRawMode !== undefined;
  const readLine = lineReader(keyboard);
  const read: ReadSecret = async (prompt) => {
    if (isTyped) await writeStderr(terminal, prompt);
    const secret = isTyped ? await readTyped(keyboard) : await readLine();
    if (isTyped) await writeStderr(terminal, "\n");
    if (secret === "")
      throw new UsageError("No secret was given. Type it at the prompt, or pass it on standard input.");
    return secret;
  };
  return {
    read,
    async readNew(prompt) {
      const secret = await read(prompt);
      if (isTyped && (await read("Repeat it: ")) !== secret)
        throw new UsageError("The two secrets differ. Nothing was recorded.");
      return secret;
    },
  };
}
