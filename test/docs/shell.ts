/** Runs shell examples of the documentation with the built command, against a sandbox. */
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import { program, variablesOf } from "../cli/run-command";

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

/** A folder in which the examples of one page run one after the other. */
export class Terminal {
  readonly #exports: string[] = [];

  private constructor(
    private readonly folder: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  static async open(sandbox: Sandbox): Promise<Terminal> {
    const folder = await mkdtemp(join(tmpdir(), "fxdesk-docs-"));
    const programs = join(folder, "programs");
    await mkdir(programs);
    const call = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`;
    await writeFile(join(programs, "fxdesk"), call);
    await writeFile(join(programs, "npx"), call.replace('"$@"', '"${@:2}"').replace("/bin/sh", "/bin/bash"));
    for (const name of ["fxdesk", "npx"]) await chmod(join(programs, name), 0o755);
    return new Terminal(folder, {
      ...variablesOf(sandbox),
      PATH: `${programs}:${process.env.PATH}`,
      HOME: folder,
      XDG_STATE_HOME: join(folder, "state"),
      XDG_CONFIG_HOME: join(folder, "config"),
    });
  }

  /** Runs a command after the exports before it. Resolves to its exit code and all that it prints. */
  run(command: string): Promise<{ readonly code: number; readonly output: string }> {
    if (command.startsWith("export ")) {
      if (!isPlaceholder(command)) this.#exports.push(command);
      return Promise.resolve({ code: 0, output: "" });
    }
    const script = [...this.#exports, `${command} 2>&1`].join("\n");
    return new Promise((resolve) => {
      const child = execFile(
        "bash",
        ["-c", script],
        { cwd: this.folder, env: this.environment, encoding: "utf8", timeout: 50_000 },
        (_, output) => resolve({ code: child.exitCode ?? -1, output }),
      );
      child.stdin!.end();
    });
  }
}
