/** Loads the optional package @fxdesk/sandbox. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extensionVariables, environmentName, settingsOf } from "../../core/call/settings";
import { contract } from "../../core/contract/contract";
import type { Declaration } from "../../core/spec/operation";
import type { Service } from "../../core/spec/service";
import { UsageError } from "../command-line/arguments";

/** The part of @fxdesk/sandbox that the commands use. */
export interface SandboxPackage {
  /** Options are those of the package; undefined ones are ignored. */
  startSandbox(this: void, options: object): Promise<RunningSandbox>;
  /** Controls of a running sandbox, declared like operations of the service. */
  readonly controls: readonly Declaration[];
}

interface RunningSandbox {
  readonly baseUrl: string;
  /** Credentials and facts of the seeded company, by the names of connection settings. */
  readonly demo: Readonly<Record<string, string>>;
  /** Extension module with the sandbox's own operations, and the names whose declared effect is trusted. */
  readonly extension: { readonly path: string; readonly effects: readonly string[] };
  close(): Promise<void>;
}

/** Typed as string, so that the compiler does not resolve the package. */
const packageName: string = "@fxdesk/sandbox";

/** True if the package itself is missing, and not one of its dependencies. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return /^(ERR_)?MODULE_NOT_FOUND$/.test(code ?? "") && message.includes(`'${packageName}'`);
}

export async function loadSandbox(): Promise<SandboxPackage> {
  try {
    return (await import(packageName)) as SandboxPackage;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new UsageError(
      `The sandbox is not installed. In a checkout of fxdesk, run: npm install && npm run build. Otherwise, run: npm install ${packageName}`,
    );
  }
}

/** Returns the connection settings for a running sandbox, by name. */
export function demoSettings(sandbox: RunningSandbox, service: Service = contract): Record<string, string> {
  const given: Readonly<Record<string, unknown>> = { environment: "sandbox", ...sandbox.demo, ...sandbox };
  const entries = settingsOf(service).flatMap(({ name }) => {
    const value = given[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Returns the environment variables for calling a running sandbox, including its extension. */
export function sandboxVariables(
  sandbox: RunningSandbox,
  service: Service = contract,
): Record<string, string> {
  const settings = Object.entries(demoSettings(sandbox, service));
  const { path, effects } = sandbox.extension;
  return {
    ...Object.fromEntries(settings.map(([name, value]) => [environmentName(name), value])),
    [extensionVariables.path]: path,
    [extensionVariables.effects]: effects.join(","),
  };
}

/**
 * Creates a store that lives as long as the sandbox. Quote IDs repeat from run to run, so a journal of an earlier run would
 * answer for quotes of this one.
 */
export async function createTemporaryStore(): Promise<{
  readonly variables: Record<string, string>;
  remove(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-sandbox-"));
  return {
    variables: {
      [environmentName("store")]: join(folder, "store.db"),
      [environmentName("storeKey")]: randomBytes(32).toString("base64"),
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Quotes a value if a shell would interpret it, for example a path with spaces. */
const shellQuote = (value: string) =>
  /^[\w@%+=:,./-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;

/** Returns one `NAME=value` line per variable, quoted for a shell. */
export const toShellLines = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${shellQuote(value)}\n`)
    .join("");
