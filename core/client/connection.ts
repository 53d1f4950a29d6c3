/** What calls have in common: the service, its addresses, credentials, settings, limits. */
import { networkInterfaces } from "node:os";
import { type RefreshGrant, refreshThrough } from "../credentials/refresh";
import { Secrets } from "../credentials/secrets";
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
import { passwordIn, storeSettings } from "../store/settings";
import { MemoryPacing, type Pacing } from "../transport/pacing";
import { Transport } from "../transport/transport";
import type { TlsOptions } from "../transport/tls";
import { publish } from "./channels";
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
  readonly timeoutMs: number;
  readonly queueTimeoutMs: number;
  readonly transport: Transport;
  readonly pacing: Pacing;
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

function addressOf(name: string, { setting, template }: Server, settings: Settings): Address | undefined {
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

type Parts = Pick<Connection, "service" | "addresses" | "secrets" | "transport" | "timeoutMs">;

/** Where and as whom tokens are renewed; undefined where they are not. */
function grantFrom({ service, addresses, timeoutMs }: Parts, settings: Settings): RefreshGrant | undefined {
  const { refreshToken, authClientId: clientId, authClientSecret: clientSecret } = settings;
  if (!service.tokens || !refreshToken || !clientId || !clientSecret) return undefined;
  const { setting, server, path, scope } = service.tokens;
  const endpoint = settings[setting] ? address(setting, settings[setting]) : addresses[server];
  if (!endpoint) throw new TypeError(`${setting} is needed to refresh the access token.`);
  return { origin: endpoint.origin, path: endpoint.prefix + path, clientId, clientSecret, scope, timeoutMs };
}

/** Renewal through the store that all processes share, which is loaded when it is first needed. */
function sharedRenewal(renew: Refresh, grant: RefreshGrant, settings: Settings, secrets: Secrets): Renewal {
  const kept = storeSettings(settings);
  const identity = {
    environment: settings.environment ?? "",
    endpoint: grant.origin + grant.path,
    clientId: grant.clientId,
    refreshToken: settings.refreshToken!,
  };
  const load = async (): Promise<Required<Renewal>> => {
    const { SharedTokens } = await import("../credentials/shared.js");
    return new SharedTokens(renew, grant.timeoutMs, identity, kept, secrets);
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
  const grant = grantFrom(parts, settings);
  if (!grant) return accessToken ? fixedToken(accessToken) : undefined;
  const configured = { accessToken, refreshToken: settings.refreshToken! };
  const renew = publishing(refreshThrough(transport, grant, secrets));
  return onTokens
    ? refreshedToken(configured, { renew }, secrets, onTokens)
    : refreshedToken(configured, sharedRenewal(renew, grant, settings, secrets), secrets);
}

function secretsFrom(service: Service, settings: Settings, tls: TlsOptions = {}): Secrets {
  const secrets = new Secrets();
  for (const { name, secret } of settingsOf(service)) if (secret) secrets.add(settings[name]);
  for (const text of [passwordIn(settings.store ?? ""), tls.key, tls.passphrase])
    if (typeof text === "string") secrets.add(text);
  return secrets;
}

function assertLimits(limits: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(limits)) {
    const violation = limitViolation(value);
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

/** Throws a TypeError that names the option that does not fit. */
export function connect(service: Service, options: ClientOptions): Connection {
  const { timeoutMs = 30_000, queueTimeoutMs = 60_000, connections = 10 } = options;
  assertLimits({ timeoutMs, queueTimeoutMs, connections });
  const settings = settingsFrom(service, options);
  const tls = options.credentials?.tls;
  const addresses = Object.fromEntries(
    Object.entries(service.servers).map(([name, server]) => [name, addressOf(name, server, settings)]),
  );
  const secrets = secretsFrom(service, settings, tls);
  const transport = new Transport(tls);
  const { pacing = new MemoryPacing(connections) } = options;
  const parts = { service, addresses, secrets, transport, timeoutMs };
  const tokens = tokensFrom(options, settings, parts);
  return { ...parts, carriedBy: carriedBy(service), settings, queueTimeoutMs, pacing, tokens };
}

/** This machine's own address: the standard's stand-in for the customer's when a call is made without them. */
export function localAddress(): string {
  const outward = Object.values(networkInterfaces())
    .flat()
    .find((entry) => entry && !entry.internal && entry.family === "IPv4");
  return outward?.address ?? "127.0.0.1";
}
