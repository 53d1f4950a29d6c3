/** Runs the command in this process, or the built program as a child process. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { Sandbox } from "@fxdesk/sandbox";
import { runCommandLine as command } from "../../cli/main";
import { demoSettings } from "../../cli/sandbox/sandbox-package";
import { environmentName } from "../../core/call/settings";

export const program = join(__dirname, "../../dist/cli/main.js");

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Variables = Readonly<Record<string, string>>;

interface RunOptions {
  readonly variables?: Variables;
  readonly input?: string;
}

/** Returns the connection variables of a sandbox. */
export const variablesOf = (sandbox: Sandbox): Variables =>
  Object.fromEntries(
    Object.entries(demoSettings(sandbox)).map(([name, value]) => [environmentName(name), value]),
  );

/** Runs the command in this process. */
export async function runFxdesk(
  args: readonly string[],
  { variables = {}, input = "" }: RunOptions = {},
): Promise<CommandResult> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const said = Promise.all([text(stdout), text(stderr)]);
  const code = await command(args, { stdin, stdout, stderr, environment: variables });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, stdout: out, stderr: err };
}

/** Returns an environment with only the given variables. */
export const environmentOf = (variables: Variables = {}) => {
  const { PATH, XDG_STATE_HOME, XDG_CONFIG_HOME } = process.env;
  return { PATH, XDG_STATE_HOME, XDG_CONFIG_HOME, ...variables };
};

/** Runs a program as a child process. Resolves for any exit code. */
export function spawnFxdesk(
  args: readonly string[],
  { variables, input = "" }: RunOptions = {},
  path: string = program,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [path, ...args],
      { env: environmentOf(variables), encoding: "utf8", maxBuffer: 64 * 1024 * 1024, timeout: 50_000 },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin!.end(input);
  });
}
