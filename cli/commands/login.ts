/** The commands `fxdesk login`, `logout` and `profiles`: a person logs in in a browser, and the login is saved as a profile. */
import type { StoredLogin } from "../../core/client/login";
import { settingsFromEnvironment } from "../../core/call/settings";
import { listenForRedirect } from "../../core/http/login-listener";
import { profilesPath, readProfiles, sealSecrets, updateProfile } from "../../core/http/profiles";
import type { Service } from "../../core/spec/service";
import { isLoopback } from "../../core/values/host";
import { parseStoreSettings } from "../../core/store/settings";
import { type ParsedArguments, UsageError } from "../command-line/arguments";
import { portFlag, portFrom } from "../command-line/listening";
import { type Command, jsonFlag, paragraph, printResult } from "../command-line/command";
import { clientOptions } from "../settings/client-options";
import {
  connectionFlags,
  connectionHelp,
  asUsageError,
  settingsFrom,
  settingsFromFlags,
  storeOptions,
  throwAsUsage,
} from "../settings/connection-settings";
import { requiredProfile, profileFlag, loadProfile, type Settings } from "../settings/profile";
import { table } from "../terminal/table";
import { localTime, type Terminal, writeStderr } from "../terminal/terminal";

/** Imported on demand, so that the list of profiles and the help start faster. */
const importLogin = () => import("../../core/client/login.js");

/** Time limit for the login in the browser. */
const loginTimeoutMs = 5 * 60_000;

/** Settings that a login produces, and that are therefore not copied to it. */
const loginSettings: ReadonlySet<string> = new Set(["accessToken", "refreshToken", "login"]);

/** Returns the settings about the service: either the secret ones or the others. */
function serviceSettings(settings: Settings, service: Service, secret: boolean): Record<string, string> {
  const selected = service.settings.filter((each) => each.secret === secret && !loginSettings.has(each.name));
  return Object.fromEntries(
    selected.flatMap(({ name }) => (settings[name] ? [[name, settings[name]] as const] : [])),
  );
}

/** Returns the settings for a login: of the existing profile, or of the environment if it is new or has no secrets. */
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
  const missing = isLoggedIn ? {} : asUsageError(() => settingsFromEnvironment(environment, service));
  return { ...settings, ...serviceSettings(missing, service, true), ...settingsFromFlags(parsed, service) };
}

/** Saves a login as a profile. */
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

/** Converts errors of listening on the redirect address to a UsageError with advice. */
function throwCallbackListenError(error: unknown, redirectUri: string): never {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
  throw new UsageError(
    `The login returns to ${redirectUri}, but ${code === "EACCES" ? "you lack the permission for its port" : "its port is already in use"}. ` +
      "Stop the program on that port, or register another redirect address for the application.",
  );
}

function assertReachable(redirectUri: string, port: number | undefined): void {
  if (port !== undefined || (redirectUri.startsWith("http:") && isLoopback(new URL(redirectUri).hostname)))
    return;
  throw new UsageError(
    `${redirectUri} is not an http address of this machine. Pass the local port to which its requests are forwarded as --port.`,
  );
}

const loginPrompt = (address: string) =>
  `Open this address in a browser and log in within ${loginTimeoutMs / 60_000} minutes. Press Ctrl-C to cancel.\n\n${address}\n\n`;

function resultLine(name: string, { environment, clientId, clientIds }: StoredLogin): string {
  const others = clientIds.length > 0 ? `: ${clientIds.join(", ")}` : "";
  const client = clientId ? `client ${clientId}` : `choose a client with --client-id${others}`;
  return `Logged in to the profile ${name}: environment ${environment}, ${client}.\n`;
}

async function logIn(service: Service, parsed: ParsedArguments, terminal: Terminal): Promise<void> {
  const name = requiredProfile(parsed, terminal);
  const settings = await loginOptionsFor(name, service, parsed, terminal);
  const port = portFrom(parsed);
  const options = clientOptions(settings, service);
  const { startLogin, logOut } = await importLogin();
  const login = await startLogin(service, options).catch((error: unknown) => throwAsUsage(error, service));
  const { redirectUri, state } = login;
  assertReachable(redirectUri, port);
  const callbackListener = await listenForRedirect(
    { redirectUri, port, state, timeoutMs: loginTimeoutMs },
    async (parameters) => {
      const storedLogin = await login.finish(parameters);
      await saveProfile(name, settings, storedLogin, service);
      // The tokens of the previous login are no longer needed.
      await logOut(service, options);
      return storedLogin;
    },
  ).catch((error: unknown) => throwCallbackListenError(error, redirectUri));
  await writeStderr(terminal, loginPrompt(login.address));
  const storedLogin = await callbackListener.result;
  const { environment, clientId, clientIds } = storedLogin;
  const result = { profile: name, environment, clientId, clientIds };
  await printResult(parsed, terminal, result, resultLine(name, storedLogin));
}

export const loginCommand = (service: Service): Command => ({
  usage: "fxdesk login --profile <name> [flags]",
  description:
    "Prints the address of the service's login page, waits for you to log in in a browser, and saves the connection as a " +
    "profile. Commands and the MCP server then need only --profile. Tokens are stored and refreshed in the store.",
  flags: [
    { ...profileFlag, description: "Name of the profile; choose any name." },
    portFlag("Local port to listen on, if requests to the redirect address are forwarded to another port."),
    jsonFlag,
  ],
  hiddenFlags: connectionFlags(service),
  helpSections: [
    paragraph(
      "A first login requires the address of the service, the application's FXDESK_AUTH_CLIENT_ID and FXDESK_AUTH_CLIENT_SECRET, " +
        "and its registered FXDESK_REDIRECT_URI. An existing profile is logged in again with its own settings; flags override them.",
    ),
    connectionHelp(service),
  ],
  run: (parsed, terminal) => logIn(service, parsed, terminal),
});

export const logoutCommand = (service: Service): Command => ({
  ...storeOptions,
  usage: "fxdesk logout --profile <name> [flags]",
  description:
    "Deletes the tokens and secrets of a profile on this machine. They are not revoked at the service: running processes can use " +
    "their access token until it expires, after one hour at most. The profile keeps its other settings for the next login.",
  flags: [{ ...profileFlag, description: "Profile to log out." }, jsonFlag],
  async run(parsed, terminal) {
    const name = requiredProfile(parsed, terminal);
    const { settings, isLoggedIn: wasLoggedIn } = await loadProfile(name, parsed, terminal);
    const { logOut } = await importLogin();
    await logOut(service, clientOptions({ ...settings, ...settingsFromFlags(parsed) }, service));
    await updateProfile(name, (found) => found && { settings: found.settings });
    const text = wasLoggedIn
      ? `Logged out of the profile ${name}.\n`
      : `The profile ${name} was not logged in.\n`;
    await printResult(parsed, terminal, { profile: name, wasLoggedIn }, text);
  },
});

export const profilesCommand: Command = {
  usage: "fxdesk profiles [flags]",
  description: `Lists the profiles saved by fxdesk login, from the file ${profilesPath()}.`,
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const profiles = [...(await readProfiles())].map(([name, { settings, loggedInAt }]) => {
      const { environment, domain, baseUrl, clientId } = settings;
      return { profile: name, environment, service: baseUrl ?? domain, clientId, loggedInAt };
    });
    const rows = profiles.map(({ loggedInAt, ...rest }) => ({
      ...rest,
      loggedInAt: loggedInAt === undefined ? undefined : localTime(loggedInAt),
    }));
    const text = rows.length > 0 ? table(rows, { width: terminal.stdout.columns }) : "";
    await printResult(parsed, terminal, profiles, text);
    if (profiles.length === 0 && !parsed.boolean("json"))
      await writeStderr(terminal, "There are no profiles yet. Run fxdesk login to create one.\n");
  },
};
