/** fxdesk login: a person logs in at the service, and a profile goes on with it. */
import { type KeptLogin, logInTo, logOutOf } from "../../core/client/login";
import { settingsFromEnvironment } from "../../core/client/settings";
import { listenForReturn } from "../../core/credentials/login-listener";
import { changeProfile, readProfiles, sealedSecrets } from "../../core/credentials/profiles";
import type { Service } from "../../core/declaration/service";
import { isLoopback } from "../../core/schema/host";
import { storeSettings } from "../../core/store/settings";
import { type ParsedArguments, UsageError } from "../arguments";
import { type Command, jsonFlag } from "../command";
import {
  clientOptions,
  connectionFlags,
  connectionHelp,
  settingsFrom,
  settingsFromFlags,
  throwAsUsage,
} from "../connection";
import { success } from "../exit";
import { paragraph } from "../help";
import { portFrom } from "../port";
import { neededProfile, profileFlag, readProfile, type Settings } from "../profile";
import { printJson, type Terminal, write, writeStderr } from "../terminal";

/** How long a person may take. */
const timeoutMs = 5 * 60_000;

/** What a login gives itself. */
const ofLogin: ReadonlySet<string> = new Set(["accessToken", "refreshToken", "login"]);

/** The settings of the service, the secret ones or the others. */
function ofService(settings: Settings, service: Service, secret: boolean): Record<string, string> {
  const kept = service.settings.filter((each) => each.secret === secret && !ofLogin.has(each.name));
  return Object.fromEntries(
    kept.flatMap(({ name }) => (settings[name] ? [[name, settings[name]] as const] : [])),
  );
}

/** A profile that is known says where somebody logs in; the environment does where it is new, or has no secrets. */
async function settingsFor(
  name: string,
  service: Service,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<Settings> {
  const { environment } = terminal;
  if (!(await readProfiles()).has(name)) {
    const given = Object.entries(settingsFrom(parsed, environment, service));
    return Object.fromEntries(given.filter(([setting]) => !ofLogin.has(setting)));
  }
  const { settings, isLoggedIn } = await readProfile(name, parsed, terminal);
  const missing = isLoggedIn ? {} : settingsFromEnvironment(environment, service);
  return { ...settings, ...ofService(missing, service, true), ...settingsFromFlags(parsed, service) };
}

/** Writes a login down as a profile. */
async function writeDown(name: string, settings: Settings, kept: KeptLogin, service: Service): Promise<void> {
  const secrets = { ...ofService(settings, service, true), login: kept.login };
  await changeProfile(name, () => ({
    settings: ofService(
      { ...settings, environment: kept.environment, clientId: kept.clientId },
      service,
      false,
    ),
    secrets: sealedSecrets(name, secrets, storeSettings(settings)),
    loggedInAt: new Date().toISOString(),
  }));
}

/** What to do where nobody can listen for who comes back. */
function notListening(error: unknown, redirectUri: string): never {
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

const invitation = (address: string) =>
  `Open this address in a browser, and log in within ${timeoutMs / 60_000} minutes. Ctrl-C stops waiting.\n\n${address}\n\n`;

function resultLine(name: string, { environment, clientId, clientIds }: KeptLogin): string {
  const others = clientIds.length > 0 ? `: ${clientIds.join(", ")}` : "";
  const client = clientId ? `client ${clientId}` : `choose the client by --client-id${others}`;
  return `Logged in to the profile ${name}: environment ${environment}, ${client}.\n`;
}

async function logIn(service: Service, parsed: ParsedArguments, terminal: Terminal): Promise<number> {
  const name = neededProfile(parsed, terminal);
  const settings = await settingsFor(name, service, parsed, terminal);
  const port = portFrom(parsed);
  const options = clientOptions(settings, service);
  const login = await logInTo(service, options).catch((error: unknown) => throwAsUsage(error, service));
  const { redirectUri, state } = login;
  assertReachable(redirectUri, port);
  const returning = await listenForReturn({ redirectUri, port, state, timeoutMs }, async (parameters) => {
    const kept = await login.finish(parameters);
    await writeDown(name, settings, kept, service);
    // What was there before is of use to nobody now.
    await logOutOf(service, options);
    return kept;
  }).catch((error: unknown) => notListening(error, redirectUri));
  await writeStderr(terminal, invitation(login.address));
  const kept = await returning.result;
  const { environment, clientId, clientIds } = kept;
  if (parsed.switched("json")) await printJson(terminal, { profile: name, environment, clientId, clientIds });
  else await write(terminal.stdout, resultLine(name, kept));
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
  unlisted: connectionFlags(service),
  more: [
    paragraph(
      "It needs where the service is; FXDESK_AUTH_CLIENT_ID and FXDESK_AUTH_CLIENT_SECRET, the application; and " +
        "FXDESK_REDIRECT_URI, the address that is registered for it. A profile that is there is logged in again as it is, but " +
        "for what flags say.",
    ),
    connectionHelp(service),
  ],
  run: (parsed, terminal) => logIn(service, parsed, terminal),
});
