/** The sandbox, a package of its own: loaded when asked for, not needed otherwise. */
import { environmentName } from "../core/client/settings";
import type { Declaration } from "../core/operations/declaration";
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
  readonly xs2aUrl: string;
  /** The credentials of the seeded company, by the names of connection settings. */
  readonly demo: Readonly<Record<keyof typeof demoSettings, string>>;
  close(): Promise<void>;
}

const demoSettings = {
  clientId: true,
  contactId: true,
  accessToken: true,
  apiKey: true,
  authClientId: true,
  authClientSecret: true,
  refreshToken: true,
} as const;

/** Not a literal, so that the package is looked for when it is asked for and not when this one is compiled. */
const packageName: string = "@fxdesk/sandbox";

export async function loadSandbox(): Promise<SandboxPackage> {
  try {
    return (await import(packageName)) as SandboxPackage;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    throw new UsageError(
      `The sandbox is not installed. Install it beside fxdesk: npm install ${packageName}`,
    );
  }
}

/** The connection settings that reach a running sandbox, by name. */
export function demoConnection({ baseUrl, xs2aUrl, demo }: RunningSandbox): Record<string, string> {
  const names = Object.keys(demoSettings) as (keyof typeof demoSettings)[];
  return { baseUrl, xs2aUrl, ...Object.fromEntries(names.map((name) => [name, demo[name]])) };
}

/** The same as environment variables, one `NAME=value` a line. */
export const asVariables = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${environmentName(name)}=${value}\n`)
    .join("");
