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

/** Arguments of a call that changes something and commits no money. */
export const updateAliasArgs = [
  "call",
  "accountDetails.updateAlias",
  "--account-details-id",
  "a-1",
  "--alias",
  "Collections",
] as const;

/** Returns the connection variables of a sandbox. */
export const variablesOf = (sandbox: Sandbox): Variables =>
  Object.fromEntries(
    Object.entries(demoSettings(sandbox)).map(([name, value]) => [environmentName(name), value]),
  );

/** Returns the connection variables of a server without token endpoint. */
export const variablesFor = ({ url }: { readonly url: string }): Variables => ({
  FXDESK_BASE_URL: url,
  FXDESK_CLIENT_ID: "c-1",
  FXDESK_CONTACT_ID: "p-1",
  FXDESK_ACCESS_TOKEN: "a-secret-token",
});

/** A booking without --yes. */
export const booking = ["call", "trades.book", "--quote-id", "q-1", "--reason", "other"] as const;

/** Returns the variables of a store. */
export const storeVariables = (location: string, key: Buffer = Buffer.alloc(32, 7)): Variables => ({
  FXDESK_STORE: location,
  FXDESK_STORE_KEY: key.toString("base64"),
});

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

/** Runs the command with --json and returns what it printed. */
export async function jsonOf<T = unknown>(args: readonly string[], variables: Variables = {}): Promise<T> {
  const { stdout } = await runFxdesk([...args, "--json"], { variables });
  return JSON.parse(stdout) as T;
}

/** Runs the command and expects a usage error. Returns its message. */
export async function usageErrorOf(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runFxdesk(args, options);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  return stderr;
}

/** The result of a command that fails with a message on stderr. */
export const failure = (code: number, message: string): CommandResult => ({
  code,
  stdout: "",
  stderr: expect.stringContaining(message) as string,
});

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
