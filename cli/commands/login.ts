/** fxdesk login: a person logs in at the service, and a profile goes on with it. */
import { type StoredLogin, startLogin, logOut } from "../../core/client/login";
import { settingsFromEnvironment } from "../../core/client/settings";
import { listenForRedirect } from "../../core/credentials/login-listener";
import { updateProfile, readProfiles, sealSecrets } from "../../core/credentials/profiles";
import type { Service } from "../../core/declaration/service";
import { isLoopback } from "../../core/schema/host";
import { parseStoreSettings } from "../../core/store/settings";
import { type ParsedArguments, UsageError } from "../arguments";
import { type Command, jsonFlag } from "../command";
import {
  clientOptions,
  connectionFlags,
  connectionHelp,
  settingsFrom,
  settingsFromFlags,
  throwAsUsage,
} from "../connection-settings";
import { success } from "../exit-codes";
import { paragraph } from "../help";
import { portFrom } from "../port";
import { requiredProfile, profileFlag, loadProfile, type Settings } from "../profile";
import { printJson, type Terminal, write, writeStderr } from "../terminal";

/** How long a person may take. */
const loginTimeoutMs = 5 * 60_000;

/** What a login gives itself. */
const loginSettings: ReadonlySet<string> = new Set(["accessToken", "refreshToken", "login"]);

/** The settings of the service, the secret ones or the others. */
function serviceSettings(settings: Settings, service: Service, secret: boolean): Record<string, string> {
  const selected = service.settings.filter((each) => each.secret === secret && !loginSettings.has(each.name));
  return Object.fromEntries(
    selected.flatMap(({ name }) => (settings[name] ? [[name, settings[name]] as const] : [])),
  );
}

/** A profile that is known says where somebody logs in; the environment does where it is new, or has no secrets. */
async function loginOptionsFor(
  name: string,
  service: Service,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<Settings> {
  const { environment } = terminal;
  if (!(await readProfiles()).has(name)) {
    const given = Object.entries(settingsFrom(parsed, environment, service));
    return Object.fromEntries(given.filter(([setting]) => !loginSettings.has(setting)));
  }
  const { settings, isLoggedIn } = await loadProfile(name, parsed, terminal);
  const missing = isLoggedIn ? {} : settingsFromEnvironment(environment, service);
  return { ...settings, ...serviceSettings(missing, service, true), ...settingsFromFlags(parsed, service) };
}

/** Writes a login down as a profile. */
async function saveProfile(
  name: string,
  settings: Settings,
  storedLogin: StoredLogin,
  service: Service,
): Promise<void> {
  const secrets = { ...serviceSettings(settings, service, true), login: storedLogin.login };
  await updateProfile(name, () => ({
    settings: serviceSettings(
      { ...settings, environment: storedLogin.environment, clientId: storedLogin.clientId },
      service,
      false,
    ),
    secrets: sealSecrets(name, secrets, parseStoreSettings(settings)),
    loggedInAt: new Date().toISOString(),
  }));
}

/** What to do where nobody can listen for who comes back. */
function throwCallbackListenError(error: unknown, redirectUri: string): never {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
  throw new UsageError(
    `Whoever logs in returns to ${redirectUri}, and its port ${code === "EACCES" ? "may not be used by you" : "is taken"}. ` +
      "End what listens there, or register another redirect address for the application.",
  );
}

function assertReachable(redirectUri: string, port: number | undefined): void {
  if (port !== undefined || (redirectUri.startsWith("http:") && isLoopback(new URL(redirectUri).hostname)))
    return;
  throw new UsageError(
    `${redirectUri} does not lead to a port of this machine: say with --port where what arrives there is passed on.`,
  );
}

const loginPrompt = (address: string) =>
  `Open this address in a browser, and log in within ${loginTimeoutMs / 60_000} minutes. Ctrl-C stops waiting.\n\n${address}\n\n`;

function resultLine(name: string, { environment, clientId, clientIds }: StoredLogin): string {
  const others = clientIds.length > 0 ? `: ${clientIds.join(", ")}` : "";
  const client = clientId ? `client ${clientId}` : `choose the client by --client-id${others}`;
  return `Logged in to the profile ${name}: environment ${environment}, ${client}.\n`;
}

async function logIn(service: Service, parsed: ParsedArguments, terminal: Terminal): Promise<number> {
  const name = requiredProfile(parsed, terminal);
  const settings = await loginOptionsFor(name, service, parsed, terminal);
  const port = portFrom(parsed);
  const options = clientOptions(settings, service);
  const login = await startLogin(service, options).catch((error: unknown) => throwAsUsage(error, service));
  const { redirectUri, state } = login;
  assertReachable(redirectUri, port);
  const callbackListener = await listenForRedirect(
    { redirectUri, port, state, timeoutMs: loginTimeoutMs },
    async (parameters) => {
      const storedLogin = await login.finish(parameters);
      await saveProfile(name, settings, storedLogin, service);
      // What was there before is of use to nobody now.
      await logOut(service, options);
      return storedLogin;
    },
  ).catch((error: unknown) => throwCallbackListenError(error, redirectUri));
  await writeStderr(terminal, loginPrompt(login.address));
  const storedLogin = await callbackListener.result;
  const { environment, clientId, clientIds } = storedLogin;
  if (parsed.boolean("json")) await printJson(terminal, { profile: name, environment, clientId, clientIds });
  else await write(terminal.stdout, resultLine(name, storedLogin));
  return success;
}

export const loginCommand = (service: Service): Command => ({
  usage: "fxdesk login --profile <name> [flags]",
  description:
    "Prints the address of the service's login page, waits until somebody has logged in there in a browser, and writes the " +
    "settings down as a profile. Commands and the MCP server with that profile need no others. Its tokens are in the store, " +
    "and are renewed there.",
  flags: [
    { ...profileFlag, description: "A name of your own for who is logged in where." },
    {
      name: "port",
      value: "<number>",
      description: "Where to listen, where something passes on to it what arrives at the redirect address.",
    },
    jsonFlag,
  ],
  hiddenFlags: connectionFlags(service),
  helpSections: [
    paragraph(
      "It needs where the service is; FXDESK_AUTH_CLIENT_ID and FXDESK_AUTH_CLIENT_SECRET, the application; and " +
        "FXDESK_REDIRECT_URI, the address that is registered for it. A profile that is there is logged in again as it is, but " +
        "for what flags say.",
    ),
    connectionHelp(service),
  ],
  run: (parsed, terminal) => logIn(service, parsed, terminal),
});
