/** Runs shell examples of the documentation in this process, against a sandbox. */
import { PassThrough, Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import type { Sandbox } from "@fxdesk/sandbox";
import { runCommandLine } from "../../cli/main";
import { variablesOf } from "../cli/run-command";
import { runLater, tempFolder } from "../support/resources";

/** A command of an example, with the output printed below it in a `console` block. */
export interface Example {
  readonly command: string;
  readonly output?: string;
}

/** Commands of a `sh` block; a line that ends in a backslash continues on the next one. */
export const commandsIn = (code: string): string[] =>
  code
    .replaceAll("\\\n", "")
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("#"));

/** Commands of a `console` block, each after `$ `, with its output. */
function transcriptIn(code: string): Example[] {
  const parts = code.replaceAll("\\\n", "").split(/^\$ /m).slice(1);
  return parts.map((part) => {
    const [command, ...output] = part.trimEnd().split("\n");
    return { command: command!, output: output.join("\n") };
  });
}

/** Commands of the `sh` and `console` blocks of a page, in the order in which a reader meets them. */
export const examplesIn = (page: string): Example[] =>
  [...page.matchAll(/^```(sh|console)\n(.*?)^```/gms)].flatMap(([, kind, code]) =>
    kind === "console" ? transcriptIn(code!) : commandsIn(code!).map((command) => ({ command })),
  );

/** Values that differ from run to run: digits, IDs and the width of columns. */
const comparable = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
    .replaceAll(/\bR-[0-9A-Z]+/g, "R-ID")
    .replaceAll(/[\d.,]*\d/g, "0")
    // In jest, errors of Node.js are no instances of Error.
    .replaceAll("(Error: ", "(")
    .replaceAll(/[ ─-]+/g, " ")
    .trim();

/** True if a transcript shows an output; a line `…` stands for any number of lines. */
export function shows(expected: string, actual: string): boolean {
  const parts = expected.split(/^…$/m).map(comparable);
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${pattern.join("[^]*")}$`).test(comparable(actual));
}

/** True for a variable that the reader has to fill in, and that a sandbox fills in here. */
const isPlaceholder = (command: string) => /^export .*(…|example|postgres:)/.test(command);

/** Words of a command without pipes or variables; quotes hold words together. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((found) => found.slice(1).join(""));

/** A folder in which the examples of one page run one after the other. */
export class Terminal {
  private constructor(private readonly environment: Record<string, string>) {}

  static async open(sandbox: Sandbox): Promise<Terminal> {
    const [before, state] = [process.cwd(), process.env.XDG_STATE_HOME];
    const folder = await tempFolder();
    process.chdir(folder);
    process.env.XDG_STATE_HOME = folder;
    runLater(() => {
      process.chdir(before);
      process.env.XDG_STATE_HOME = state;
    });
    return new Terminal({ ...variablesOf(sandbox), HOME: folder, APPDATA: folder });
  }

  /** Runs a command after the exports before it. Resolves to its exit code and all that it prints. */
  async run(command: string): Promise<{ readonly code: number; readonly output: string }> {
    const [program, ...args] = wordsOf(command.replace(/^npx /, ""));
    if (program === "export") {
      const [, name, value] = /^(\w+)=(.*)$/.exec(args[0]!)!;
      if (!isPlaceholder(command)) this.environment[name!] = value!;
      return { code: 0, output: "" };
    }
    expect(program).toBe("fxdesk");
    const output = new PassThrough();
    const printed = textOf(output);
    const streams = { stdin: Readable.from([]), stdout: output, stderr: output };
    const code = await runCommandLine(args, { ...streams, environment: { ...this.environment } });
    output.end();
    return { code, output: await printed };
  }
}
