/** The sandbox, a package of its own: loaded when asked for, not needed otherwise. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extensionVariables } from "../core/client/settings";
import { environmentName, settingsOf } from "../core/client/settings";
import { contract } from "../core/contract/contract";
import type { Declaration } from "../core/declaration/operation";
import type { Service } from "../core/declaration/service";
import { UsageError } from "./arguments";

/** What the commands use of @fxdesk/sandbox. */
export interface SandboxPackage {
  /** The options are the package's own; one that is undefined is not given. */
  startSandbox(this: void, options: object): Promise<RunningSandbox>;
  /** What can be done to a running sandbox; declared like operations of the service. */
  readonly controls: readonly Declaration[];
}

export interface RunningSandbox {
  readonly baseUrl: string;
  /** The credentials of the seeded company, by the names of connection settings, and what else is known of it. */
  readonly demo: Readonly<Record<string, string>>;
  /** The module that declares what it adds to the contract, and whose effects in it count as declared. */
  readonly extension: { readonly path: string; readonly effects: readonly string[] };
  close(): Promise<void>;
}

/** Not a literal, so that the package is looked for when it is asked for and not when this one is compiled. */
const packageName: string = "@fxdesk/sandbox";

/** Whether the package itself is not there; what one that is there does not find is another error. */
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
      `The sandbox is not installed. Install it beside fxdesk: npm install ${packageName}`,
    );
  }
}

/** The connection settings that reach a running sandbox, by name: its addresses, and the company's. */
export function demoSettings(sandbox: RunningSandbox, service: Service = contract): Record<string, string> {
  const given: Readonly<Record<string, unknown>> = { environment: "sandbox", ...sandbox.demo, ...sandbox };
  const entries = settingsOf(service).flatMap(({ name }) => {
    const value = given[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** The environment variables of who calls a running sandbox: its connection, and the operations that it adds. */
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
 * A store that goes with the sandbox: its quotes have the same identifiers in every run, and what became of those of another
 * run is not what becomes of these.
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

/** In quotes where a shell would read something else: a path may have spaces. */
const shellQuote = (value: string) =>
  /^[\w@%+=:,./-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;

/** One `NAME=value` a line, as a shell reads them. */
export const toShellLines = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${shellQuote(value)}\n`)
    .join("");
