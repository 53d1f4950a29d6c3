/** Runs the built command as a person or a script does. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import { asVariables, demoConnection } from "../../cli/sandbox-package";

export const program = join(__dirname, "../../dist/cli/main.js");

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Variables = Readonly<Record<string, string>>;

/** The variables with which the command reaches a sandbox. */
export const variablesOf = (sandbox: Sandbox): Variables =>
  Object.fromEntries(
    asVariables(demoConnection(sandbox))
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );

/** Resolves whatever the exit code is. */
export function fxdesk(
  args: readonly string[],
  { variables = {}, input = "" }: { variables?: Variables; input?: string } = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { env: { PATH: process.env.PATH, ...variables }, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin!.end(input);
  });
}
