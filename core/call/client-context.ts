/** State shared by all calls of a client: service, addresses, credentials, settings and limits. */
import { networkInterfaces } from "node:os";
import { Lazy } from "../values/lazy";
import { createTokenRefresh, type OAuthApplication } from "../http/token-endpoint";
import { Secrets } from "../http/secrets";
import type { TokenIdentity } from "../http/shared-tokens";
import {
  suppliedTokenSource,
  fixedTokenSource,
  type RefreshTokens,
  refreshingTokenSource,
  type Renewal,
  type TokenSource,
} from "../http/token-source";
import { Requester } from "../people/requester";
import type { Declaration } from "../spec/operation";
import { type CredentialScheme, type Server, type Service, splitCredential } from "../spec/service";
import { extractPassword, redactLocation, type StoreSettings, parseStoreSettings } from "../store/settings";
import { defaultMaxQueueLength, MemoryPacing, type Pacing, type PacingLimits } from "../http/pacing";
import { Transport } from "../http/transport";
import { type Network, networkFrom } from "../http/network";
import { publish } from "./diagnostics-channels";
import { HaltChecker } from "./halt-checker";
import { QuoteMemory } from "./quote-memory";
import { limitViolation } from "../http/deadline";
import type { ClientOptions } from "./client-options";
import { parseCutOffs } from "../calendars/service-cut-offs";
import { assertRecordSettings, settingsOf } from "./settings";
import { memoizePerOperation } from "../spec/fields";
import { isThisMachine, loopbackNames } from "../values/host";
import { isWebAddress } from "../values/values";

/** A base address, split into origin and path prefix. */
interface ServerAddress {
  readonly origin: string;
  /** Without trailing slash. */
  readonly pathPrefix: string;
  /** Rate limiter key. Two interfaces at one origin are limited separately. */
  readonly paceKey: string;
}

/** A credential that an operation sends. */
interface OperationCredential extends CredentialScheme {
  /** True if the call fails without it. */
  readonly isRequired: boolean;
}

export type Settings = Readonly<Record<string, string | undefined>>;

export interface ClientContext {
  readonly service: Service;
  /** Addresses by server name; undefined if not configured. */
  readonly addresses: Readonly<Record<string, ServerAddress | undefined>>;
  readonly credentialsOf: (operation: Declaration) => readonly OperationCredential[];
  readonly tokens: TokenSource | undefined;
  readonly secrets: Secrets;
  /** Values by setting name, and by the names of parameters that settings fill. */
  readonly settings: Settings;
  readonly store: StoreSettings;
  /** Authenticated requester, unless a call has one of its own. */
  readonly requester: Requester | undefined;
  readonly quotes: QuoteMemory;
  readonly onRecovered: (line: string) => void;
  readonly timeoutMs: number;
  readonly queueTimeoutMs: number;
  /** Maximum number of concurrent calls per server. */
  readonly connections: number;
  readonly transport: Transport;
  readonly pacing: Pacing;
  /** Stops changes while a halt is in force. Calls that commit money check for halts in the journal. */
  readonly haltChecker: HaltChecker;
}

function parseAddress(setting: string, url: string): Omit<ServerAddress, "paceKey"> {
  const { protocol, origin, pathname, username, password } = URL.canParse(url) ? new URL(url) : emptyUrl;
  if (username || password) throw new TypeError(`${setting} must not contain a user name or password.`);
  if (protocol !== "https:" && protocol !== "http:")
    throw new TypeError(`${setting} must be an http or https address, not ${JSON.stringify(url)}.`);
  return { origin, pathPrefix: pathname.replace(/\/+$/, "") };
}

const emptyUrl = { protocol: "", origin: "", pathname: "", username: "", password: "" };

const isHost = (text: string) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i.test(text);

/** Fills an address template. Returns undefined if a setting is missing; throws a TypeError for values that are no host name. */
function fillTemplate(template: string, settings: Settings): string | undefined {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  if (names.some((name) => !settings[name])) return undefined;
  for (const name of names)
    if (!isHost(settings[name]!))
      throw new TypeError(
        `${name} must be a host name, for example example.com, without scheme or path, not ${JSON.stringify(settings[name])}.`,
      );
  return template.replace(/\{(\w+)\}/g, (_, name: string) => settings[name]!);
}

/** Returns undefined if the settings do not define the address. */
export function resolveAddress(
  name: string,
  { setting, template }: Server,
  settings: Settings,
): ServerAddress | undefined {
  const url = settings[setting] || (template && fillTemplate(template, settings));
  if (!url) return undefined;
  const { origin, pathPrefix } = parseAddress(setting, url);
  return { origin, pathPrefix, paceKey: `${name} ${origin}` };
}

const nonEmptyTexts = (values: object = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === "string" && value !== ""));

/** Collects all given settings by name, and by parameter name where a setting fills a parameter. */
function collectSettings(service: Service, options: ClientOptions): Settings {
  const { credentials, psu, settings, ...others } = options;
  assertRecordSettings({ ...others });
  assertRecordSettings({ ...settings });
  const collected: Record<string, string> = {
    ...nonEmptyTexts(others),
    ...nonEmptyTexts(credentials),
    ...nonEmptyTexts(psu),
    ...nonEmptyTexts(settings),
  };
  for (const { name, options: allowed, default: fallback, parameterName } of settingsOf(service)) {
    const value = collected[name] ?? fallback;
    if (value === undefined) continue;
    if (allowed && !allowed.includes(value))
      throw new TypeError(`${name} must be ${allowed.join(" or ")}, not ${JSON.stringify(value)}.`);
    collected[name] = value;
    if (parameterName) collected[parameterName] ??= value;
  }
  parseCutOffs(collected["cutOffs"]);
  const { releasesPage } = collected;
  if (releasesPage !== undefined && !isWebAddress(releasesPage))
    throw new TypeError(`releasesPage must be an https address, not ${JSON.stringify(releasesPage)}.`);
  return collected;
}

const publishRefresh =
  (refresh: RefreshTokens): RefreshTokens =>
  async (heldTokens) => {
    try {
      const tokens = await refresh(heldTokens);
      publish.token({
        renewed: true,
        ...(tokens.expiresAt !== undefined && { expiresAt: tokens.expiresAt }),
      });
      return tokens;
    } catch (error) {
      publish.token({ renewed: false, error: (error as Error).message });
      throw error;
    }
  };

type ContextParts = Pick<
  ClientContext,
  "service" | "addresses" | "secrets" | "transport" | "timeoutMs" | "store"
>;

/** Names the address of the server first, because most services have no other address for tokens. */
function noTokenAddressError({ setting, template = "" }: Server, tokenSetting: string): TypeError {
  const parts = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => `\`${name}\``);
  const others = [...(parts.length > 0 ? [parts.join(" and ")] : []), `\`${tokenSetting}\``];
  return new TypeError(
    `${setting} is needed to log in and to refresh the access token. It can be replaced by ${others.join(", or by ")}.`,
  );
}

/** Returns the OAuth application for logins and token refreshes, or undefined if it is not configured. */
export function oauthApplicationFrom(
  { service, addresses, timeoutMs }: Pick<ContextParts, "service" | "addresses" | "timeoutMs">,
  settings: Settings,
): (OAuthApplication & { readonly loginPage: string }) | undefined {
  const { authClientId: clientId, authClientSecret: clientSecret } = settings;
  if (!service.tokens || !clientId || !clientSecret) return undefined;
  const { setting, server, path, loginPath, scope } = service.tokens;
  const endpoint = settings[setting] ? parseAddress(setting, settings[setting]) : addresses[server];
  if (!endpoint) throw noTokenAddressError(service.servers[server]!, setting);
  const { origin, pathPrefix } = endpoint;
  const loginPage = origin + pathPrefix + loginPath;
  return { origin, path: pathPrefix + path, loginPage, clientId, clientSecret, scope, timeoutMs };
}

/** Identifies the token family: that of the login if there is one, otherwise that of the refresh token. */
export function tokenIdentityOf(
  { origin, path, clientId }: OAuthApplication,
  addresses: ClientContext["addresses"],
  { environment = "", login, refreshToken = "" }: Settings,
): TokenIdentity {
  const origins = Object.values(addresses).map((each) => each?.origin ?? "");
  return {
    environment,
    endpoint: origin + path,
    clientId,
    root: login ? { login, origins } : { refreshToken },
  };
}

/** Refreshes tokens through the shared store. The store module is loaded on first use. */
function createSharedRenewal(
  renew: RefreshTokens,
  timeoutMs: number,
  identity: TokenIdentity,
  { secrets, store }: ContextParts,
): Renewal {
  const shared = new Lazy(async () => {
    const { SharedTokens } = await import("../http/shared-tokens.js");
    return new SharedTokens(renew, timeoutMs, identity, store, secrets);
  });
  return {
    renew: async (held) => (await shared.get()).renew(held),
    markRefused: async (accessToken) => (await shared.get()).markRefused(accessToken),
  };
}

function createTokenSource(
  options: ClientOptions,
  settings: Settings,
  parts: ContextParts,
): TokenSource | undefined {
  const { service, secrets, transport } = parts;
  const { accessToken: accessTokenOption, onTokens } = options.credentials ?? {};
  if (typeof accessTokenOption === "function") return suppliedTokenSource(accessTokenOption, secrets);
  const bearer = Object.values(service.credentials).find(({ kind }) => kind === "bearer");
  const accessToken = bearer && settings[bearer.setting];
  const { login, refreshToken } = settings;
  const application = login || refreshToken ? oauthApplicationFrom(parts, settings) : undefined;
  if (!application) return accessToken ? fixedTokenSource(accessToken) : undefined;
  const renew = publishRefresh(createTokenRefresh({ transport, application, secrets }));
  if (onTokens && refreshToken && !login)
    return refreshingTokenSource({ accessToken, refreshToken }, { renew }, secrets, onTokens);
  const identity = tokenIdentityOf(application, parts.addresses, settings);
  const shared = createSharedRenewal(renew, parts.timeoutMs, identity, parts);
  // The tokens of a login exist only in the store.
  const configured = login ? { refreshToken: login } : { accessToken, refreshToken: refreshToken! };
  return refreshingTokenSource(configured, shared, secrets);
}

/** Returns the credentials of a proxy: together, as sent, and the password alone. */
function proxySecrets(credentials = ""): readonly string[] {
  const password = credentials.slice(credentials.indexOf(":") + 1);
  return [credentials, Buffer.from(credentials).toString("base64"), password];
}

function collectSecrets(
  service: Service,
  settings: Settings,
  { tls, proxyFor }: Network,
  addresses: ClientContext["addresses"],
): Secrets {
  const secrets = new Secrets();
  for (const { name, secret } of settingsOf(service)) if (secret) secrets.add(settings[name]);
  const origins = Object.values(addresses).flatMap((address) => (address ? [address.origin] : []));
  const ofProxies = origins.flatMap((origin) => proxySecrets(proxyFor(origin)?.credentials));
  for (const text of [extractPassword(settings.store ?? ""), tls.key, tls.passphrase, ...ofProxies])
    if (typeof text === "string") secrets.add(text);
  return secrets;
}

function assertLimits(limits: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(limits)) {
    const violation = value === undefined ? undefined : limitViolation(value);
    if (violation) throw new TypeError(`${name} ${violation}.`);
  }
}

const createCredentialsOf = ({ credentials }: Service) =>
  memoizePerOperation((operation): readonly OperationCredential[] =>
    operation.credentials.map((credential) => {
      const { name, optional } = splitCredential(credential);
      const scheme = credentials[name]!;
      return { ...scheme, isRequired: !optional && !scheme.optional };
    }),
  );

const warnRecovered = (line: string): void =>
  process.emitWarning(line, { type: "FxdeskWarning", code: "FXDESK_RECOVERED" });

/** Emitted once per process. Calls continue, but the service may refuse more of them. */
function warnUncoordinatedPacing(location: string, error: Error): void {
  process.emitWarning(
    `The shared rate limiter cannot use the store ${redactLocation(location)} (${error.message}). Each process now limits its own rate.`,
    { type: "FxdeskWarning", code: "FXDESK_PACING_ALONE" },
  );
}

/** Creates the shared rate limiter. It is loaded with the first call; all users of one client ID share a limit. */
function createSharedPacing(
  limits: PacingLimits,
  { secrets, store }: ContextParts,
  { clientId = "" }: Settings,
): Pacing {
  const shared = new Lazy(async () => {
    const { SharedPacing } = await import("../http/shared-pacing.js");
    return new SharedPacing(limits, {
      settings: store,
      paceNameOf: (server) => JSON.stringify([server, clientId]),
      onStoreUnavailable: (error) => warnUncoordinatedPacing(store.location, secrets.redactError(error)),
    });
  });
  return {
    acquire: async (server, deadline, request) => (await shared.get()).acquire(server, deadline, request),
    close: async () => (await shared.started)?.close(),
  };
}

function createPacing(
  options: ClientOptions,
  limits: PacingLimits,
  settings: Settings,
  parts: ContextParts,
): Pacing {
  if (typeof options.pacing === "object") return options.pacing;
  const { pacing = "own" } = settings;
  if (pacing === "shared") return createSharedPacing(limits, parts, settings);
  return new MemoryPacing(limits.maxConcurrent, limits);
}

/** Throws a TypeError that names the invalid option. */
export function createClientContext(service: Service, options: ClientOptions): ClientContext {
  const { timeoutMs = 30_000, queueTimeoutMs = 60_000, connections = 10 } = options;
  const { queueLimit = defaultMaxQueueLength, requestsPerSecond } = options;
  assertLimits({ timeoutMs, queueTimeoutMs, connections, queueLimit, requestsPerSecond });
  const settings = collectSettings(service, options);
  const addresses = Object.fromEntries(
    Object.entries(service.servers).map(([name, server]) => [name, resolveAddress(name, server, settings)]),
  );
  const network = networkFrom(settings, options.credentials?.tls);
  const secrets = collectSecrets(service, settings, network, addresses);
  const transport = new Transport(network);
  const { onRecovered = warnRecovered } = options;
  const store = parseStoreSettings(settings);
  const parts = { service, addresses, secrets, transport, timeoutMs, store };
  const tokens = createTokenSource(options, settings, parts);
  const limits = { maxConcurrent: connections, perSecond: requestsPerSecond, maxQueueLength: queueLimit };
  const pacing = createPacing(options, limits, settings, parts);
  const haltChecker = new HaltChecker(store, settings.environment ?? "", secrets);
  return {
    ...parts,
    credentialsOf: createCredentialsOf(service),
    settings,
    requester: settings.serviceKey ? Requester.ofServiceKey(settings.serviceKey) : options.requester,
    queueTimeoutMs,
    connections,
    pacing,
    tokens,
    haltChecker,
    quotes: new QuoteMemory(service.operations),
    onRecovered,
  };
}

/** Returns the address of this machine, which the open-banking standard accepts if no user is present. */
export function localAddress(): string {
  const externalInterface = Object.values(networkInterfaces())
    .flat()
    .find((entry) => entry && !entry.internal && entry.family === "IPv4");
  return externalInterface?.address ?? "127.0.0.1";
}

/** Returns the same origin for all names of this machine, and for a host with and without the dot at its end. */
function canonicalOrigin(origin: string): string {
  const url = new URL(origin);
  const host = url.hostname.replace(/\.$/, "");
  url.hostname = isThisMachine(host) ? loopbackNames[0] : host;
  return url.origin;
}

/** Returns the environment of an operation's calls, as stored in entries. Other spellings of the address do not free a key. */
export const environmentOf = (
  { settings, addresses }: ClientContext,
  { server }: Declaration,
): string | undefined => {
  const address = addresses[server];
  return (
    address &&
    [settings.environment, canonicalOrigin(address.origin) + address.pathPrefix].filter(Boolean).join(" ")
  );
};
