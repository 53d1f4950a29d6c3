/** What calls have in common: the service, its addresses, credentials, settings, limits. */
import { networkInterfaces } from "node:os";
import type { Application } from "../credentials/endpoint";
import { refreshThrough } from "../credentials/refresh";
import { Secrets } from "../credentials/secrets";
import type { Identity } from "../credentials/shared";
import {
  suppliedToken,
  fixedToken,
  type Refresh,
  refreshedToken,
  type Renewal,
  type TokenSource,
} from "../credentials/tokens";
import type { Declaration } from "../declaration/operation";
import { type CredentialScheme, type Server, type Service, splitCredential } from "../declaration/service";
import { passwordIn, shownPlace, type StoreSettings, storeSettings } from "../store/settings";
import {
  defaultQueue,
  type GatedPacing,
  MemoryPacing,
  type Pacing,
  type PacingLimits,
} from "../transport/pacing";
import { Transport } from "../transport/transport";
import type { TlsOptions } from "../transport/tls";
import { publish } from "./channels";
import { Halts } from "./halts";
import { limitViolation } from "./limits";
import type { ClientOptions } from "./options";
import { settingsOf } from "./settings";
import { perOperation } from "../declaration/fields";

/** A base address split as a request needs it. */
export interface Address {
  readonly origin: string;
  /** Without a slash at the end. */
  readonly prefix: string;
  /** What paces its calls: two interfaces at one origin are paced each by itself. */
  readonly pace: string;
}

/** A credential that an operation carries. */
export interface CarriedCredential extends CredentialScheme {
  /** Whether the call is not made without it. */
  readonly needed: boolean;
}

export type Settings = Readonly<Record<string, string | undefined>>;

export interface Connection {
  readonly service: Service;
  /** By server. */
  readonly addresses: Readonly<Record<string, Address | undefined>>;
  readonly carriedBy: (operation: Declaration) => readonly CarriedCredential[];
  readonly tokens: TokenSource | undefined;
  readonly secrets: Secrets;
  /** Values by the names of settings, and of the parameters they fill. */
  readonly settings: Settings;
  /** Where the journal is, and tokens that are renewed. */
  readonly store: StoreSettings;
  /** Told of what was found out later. */
  readonly onRecovered: (line: string) => void;
  readonly timeoutMs: number;
  readonly queueTimeoutMs: number;
  readonly transport: Transport;
  readonly pacing: Pacing;
  /** What may stop calls that change something. Those that commit money find it in the journal. */
  readonly halts: Halts;
}

function address(setting: string, url: string): Omit<Address, "pace"> {
  const { protocol, origin, pathname, username, password } = URL.canParse(url) ? new URL(url) : noUrl;
  if (username || password) throw new TypeError(`${setting} must not hold a user name or a password.`);
  if (protocol !== "https:" && protocol !== "http:")
    throw new TypeError(`${setting} must be an http or https address, not ${JSON.stringify(url)}.`);
  return { origin, prefix: pathname.replace(/\/+$/, "") };
}

const noUrl = { protocol: "", origin: "", pathname: "", username: "", password: "" };

const isHost = (text: string) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i.test(text);

/** Fills a template of an address; undefined where a setting is missing. What would lead elsewhere is refused. */
function fromTemplate(template: string, settings: Settings): string | undefined {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  if (names.some((name) => !settings[name])) return undefined;
  for (const name of names)
    if (!isHost(settings[name]!))
      throw new TypeError(
        `${name} must be a name such as example.com, without scheme and path, not ${JSON.stringify(settings[name])}.`,
      );
  return template.replace(/\{(\w+)\}/g, (_, name: string) => settings[name]!);
}

/** Undefined where the settings do not say it. */
export function addressOf(
  name: string,
  { setting, template }: Server,
  settings: Settings,
): Address | undefined {
  const url = settings[setting] || (template && fromTemplate(template, settings));
  if (!url) return undefined;
  const { origin, prefix } = address(setting, url);
  return { origin, prefix, pace: `${name} ${origin}` };
}

const textsOf = (values: object = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === "string" && value !== ""));

/** All settings that are given, under their names; where one fills a parameter of another name, under that too. */
function settingsFrom(service: Service, options: ClientOptions): Settings {
  const { credentials, psu, settings, ...others } = options;
  const given: Record<string, string> = {
    ...textsOf(others),
    ...textsOf(credentials),
    ...textsOf(psu),
    ...textsOf(settings),
  };
  for (const { name, options: allowed, default: fallback, fills } of service.settings) {
    const value = given[name] ?? fallback;
    if (value === undefined) continue;
    if (allowed && !allowed.includes(value))
      throw new TypeError(`${name} must be ${allowed.join(" or ")}, not ${JSON.stringify(value)}.`);
    given[name] = value;
    if (fills) given[fills] ??= value;
  }
  return given;
}

/** A renewal that those hear of who listen. */
const publishing =
  (refresh: Refresh): Refresh =>
  async (held) => {
    try {
      const tokens = await refresh(held);
      publish.token({ renewed: true });
      return tokens;
    } catch (error) {
      publish.token({ renewed: false, error: (error as Error).message });
      throw error;
    }
  };

type Parts = Pick<Connection, "service" | "addresses" | "secrets" | "transport" | "timeoutMs" | "store">;

/** As whom people log in and tokens are renewed, and where; undefined where nobody does. */
export function applicationFrom(
  { service, addresses, timeoutMs }: Pick<Parts, "service" | "addresses" | "timeoutMs">,
  settings: Settings,
): (Application & { readonly loginPage: string }) | undefined {
  const { authClientId: clientId, authClientSecret: clientSecret } = settings;
  if (!service.tokens || !clientId || !clientSecret) return undefined;
  const { setting, server, path, loginPath, scope } = service.tokens;
  const endpoint = settings[setting] ? address(setting, settings[setting]) : addresses[server];
  if (!endpoint) throw new TypeError(`${setting} is needed to log in and to refresh the access token.`);
  const { origin, prefix } = endpoint;
  const loginPage = origin + prefix + loginPath;
  return { origin, path: prefix + path, loginPage, clientId, clientSecret, scope, timeoutMs };
}

/** Whose tokens an application gets: those of a login, where there is one, or of a refresh token. */
export function identityOf(
  { origin, path, clientId }: Application,
  addresses: Connection["addresses"],
  { environment = "", login, refreshToken = "" }: Settings,
): Identity {
  const origins = Object.values(addresses).map((each) => each?.origin ?? "");
  return {
    environment,
    endpoint: origin + path,
    clientId,
    root: login ? { login, origins } : { refreshToken },
  };
}

/** Renewal through the store that all processes share, which is loaded when it is first needed. */
function sharedRenewal(
  renew: Refresh,
  timeoutMs: number,
  identity: Identity,
  { secrets, store }: Parts,
): Renewal {
  const load = async (): Promise<Required<Renewal>> => {
    const { SharedTokens } = await import("../credentials/shared.js");
    return new SharedTokens(renew, timeoutMs, identity, store, secrets);
  };
  let loading: ReturnType<typeof load> | undefined;
  return {
    renew: async (held) => (await (loading ??= load())).renew(held),
    refused: async (accessToken) => (await (loading ??= load())).refused(accessToken),
  };
}

function tokensFrom(options: ClientOptions, settings: Settings, parts: Parts): TokenSource | undefined {
  const { service, secrets, transport } = parts;
  const { accessToken: given, onTokens } = options.credentials ?? {};
  if (typeof given === "function") return suppliedToken(given, secrets);
  const bearer = Object.values(service.credentials).find(({ kind }) => kind === "bearer");
  const accessToken = bearer && settings[bearer.setting];
  const { login, refreshToken } = settings;
  const application = login || refreshToken ? applicationFrom(parts, settings) : undefined;
  if (!application) return accessToken ? fixedToken(accessToken) : undefined;
  const renew = publishing(refreshThrough(transport, application, secrets));
  if (onTokens && refreshToken && !login)
    return refreshedToken({ accessToken, refreshToken }, { renew }, secrets, onTokens);
  const identity = identityOf(application, parts.addresses, settings);
  const shared = sharedRenewal(renew, parts.timeoutMs, identity, parts);
  // All that a login gave is in the store.
  const configured = login ? { refreshToken: login } : { accessToken, refreshToken: refreshToken! };
  return refreshedToken(configured, shared, secrets);
}

function secretsFrom(service: Service, settings: Settings, tls: TlsOptions = {}): Secrets {
  const secrets = new Secrets();
  for (const { name, secret } of settingsOf(service)) if (secret) secrets.add(settings[name]);
  for (const text of [passwordIn(settings.store ?? ""), tls.key, tls.passphrase])
    if (typeof text === "string") secrets.add(text);
  return secrets;
}

function assertLimits(limits: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(limits)) {
    const violation = value === undefined ? undefined : limitViolation(value);
    if (violation) throw new TypeError(`${name} ${violation}.`);
  }
}

const carriedBy = ({ credentials }: Service) =>
  perOperation((operation): readonly CarriedCredential[] =>
    operation.credentials.map((credential) => {
      const { name, optional } = splitCredential(credential);
      const scheme = credentials[name]!;
      return { ...scheme, needed: !optional && !scheme.optional };
    }),
  );

const warnRecovered = (line: string): void =>
  process.emitWarning(line, { type: "FxdeskWarning", code: "FXDESK_RECOVERED" });

/** Said once by each process: calls go on, and the service may refuse more of them. */
function sayAlone(place: string, error: Error): void {
  process.emitWarning(
    `The store of the shared pace, ${shownPlace(place)}, cannot be used (${error.message}): each process keeps its own pace.`,
    { type: "FxdeskWarning", code: "FXDESK_PACING_ALONE" },
  );
}

/** The pace that processes share, which is loaded with the first call. Who has the same client id is limited together. */
function sharedPacing(limits: PacingLimits, { secrets, store }: Parts, { clientId = "" }: Settings): Pacing {
  const load = async (): Promise<GatedPacing> => {
    const { SharedPacing } = await import("../transport/shared-pacing.js");
    return new SharedPacing(limits, {
      settings: store,
      nameOf: (server) => JSON.stringify([server, clientId]),
      onAway: (error) => sayAlone(store.place, secrets.redactError(error)),
    });
  };
  let loading: ReturnType<typeof load> | undefined;
  return {
    acquire: async (server, deadline, asker) => (await (loading ??= load())).acquire(server, deadline, asker),
    close: async () => (await loading)?.close(),
  };
}

function pacingFrom(options: ClientOptions, limits: PacingLimits, settings: Settings, parts: Parts): Pacing {
  if (typeof options.pacing === "object") return options.pacing;
  const { pacing = "own" } = settings;
  if (pacing === "shared") return sharedPacing(limits, parts, settings);
  if (pacing !== "own") throw new TypeError(`pacing must be own or shared, not ${JSON.stringify(pacing)}.`);
  return new MemoryPacing(limits.atOnce, limits);
}

/** Throws a TypeError that names the option that does not fit. */
export function connect(service: Service, options: ClientOptions): Connection {
  const { timeoutMs = 30_000, queueTimeoutMs = 60_000, connections = 10 } = options;
  const { queueLimit = defaultQueue, requestsPerSecond } = options;
  assertLimits({ timeoutMs, queueTimeoutMs, connections, queueLimit, requestsPerSecond });
  const settings = settingsFrom(service, options);
  const tls = options.credentials?.tls;
  const addresses = Object.fromEntries(
    Object.entries(service.servers).map(([name, server]) => [name, addressOf(name, server, settings)]),
  );
  const secrets = secretsFrom(service, settings, tls);
  const transport = new Transport(tls);
  const { onRecovered = warnRecovered } = options;
  const store = storeSettings(settings);
  const parts = { service, addresses, secrets, transport, timeoutMs, store };
  const tokens = tokensFrom(options, settings, parts);
  const limits = { atOnce: connections, perSecond: requestsPerSecond, longestQueue: queueLimit };
  const pacing = pacingFrom(options, limits, settings, parts);
  const halts = new Halts(store, settings.environment ?? "", secrets);
  return {
    ...parts,
    carriedBy: carriedBy(service),
    settings,
    queueTimeoutMs,
    pacing,
    tokens,
    halts,
    onRecovered,
  };
}

/** This machine's own address: the standard's stand-in for the customer's when a call is made without them. */
export function localAddress(): string {
  const outward = Object.values(networkInterfaces())
    .flat()
    .find((entry) => entry && !entry.internal && entry.family === "IPv4");
  return outward?.address ?? "127.0.0.1";
}
