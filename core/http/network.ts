/** The network between a client and its services: proxy, certificate authorities, client certificate and TLS version. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import * as tls from "node:tls";
import type { TlsOptions } from "./tls";
import { isDirect, parseProxy, type Proxy } from "./proxy";

/** Values of the network settings by name. */
type NetworkSettings = Readonly<Record<string, string | undefined>>;

type Environment = Readonly<Record<string, string | undefined>>;

export interface Network {
  readonly tls: TlsOptions;
  /** Returns the proxy for an address; undefined for a direct connection. Throws a TypeError for an invalid proxy variable. */
  proxyFor(this: void, origin: string): Proxy | undefined;
}

/** A network without proxy and certificates. */
export const directNetwork: Network = { tls: {}, proxyFor: () => undefined };

const isPem = (content: Buffer) => content.includes("-----BEGIN ");

function readSettingFile(name: string, path: string): Buffer {
  if (!isAbsolute(path)) throw new TypeError(`${name} must be the absolute path of a file.`);
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new TypeError(`${name} cannot be read (${code}): ${path}.`, { cause: error });
  }
}

/** Returns the authorities that Node.js trusts by default, including those of NODE_EXTRA_CA_CERTS. */
function defaultAuthorities({ NODE_EXTRA_CA_CERTS: extra }: Environment): readonly string[] {
  // Since Node.js 22.15.
  const { getCACertificates } = tls as { getCACertificates?: (type: "default") => string[] };
  if (getCACertificates) return getCACertificates("default");
  return [...tls.rootCertificates, ...(extra ? [readFileSync(extra, "utf8")] : [])];
}

/** Reads authorities in PEM, one or several, or a single one in DER. */
function readAuthorities(path: string): string {
  const content = readSettingFile("ca", path);
  try {
    const first = new X509Certificate(content).toString();
    return isPem(content) ? content.toString("utf8") : first;
  } catch {
    throw new TypeError(`ca must be a file of certificates (PEM, or one in DER): ${path}.`);
  }
}

function readCertificate(settings: NetworkSettings): TlsOptions {
  const { clientCertificate, clientKey, clientKeyPassphrase } = settings;
  if (!clientCertificate) {
    if (clientKey) throw new TypeError("clientCertificate is needed with `clientKey`.");
    return {};
  }
  const passphrase = clientKeyPassphrase ? { passphrase: clientKeyPassphrase } : {};
  const content = readSettingFile("clientCertificate", clientCertificate);
  if (!isPem(content)) return { pfx: content, ...passphrase };
  // A PEM file often holds both.
  const key = clientKey ? readSettingFile("clientKey", clientKey) : content;
  return { cert: content, key, ...passphrase };
}

function readTls(settings: NetworkSettings, environment: Environment): TlsOptions {
  const certificate = readCertificate(settings);
  try {
    tls.createSecureContext(certificate);
  } catch (error) {
    throw new TypeError(
      `clientCertificate cannot be used (${(error as Error).message}): check the file, \`clientKey\` and \`clientKeyPassphrase\`.`,
      { cause: error },
    );
  }
  return {
    ...certificate,
    ...(settings.ca && { ca: [...defaultAuthorities(environment), readAuthorities(settings.ca)] }),
    ...(settings.minTlsVersion && { minVersion: settings.minTlsVersion as tls.SecureVersion }),
  };
}

/** Returns the value of the first variable that is set, with its name. Lower case first, as in curl. */
function variableOf(
  environment: Environment,
  name: string,
): readonly [name: string, value: string] | undefined {
  const found = [name.toLowerCase(), name].find((each) => environment[each]);
  return found === undefined ? undefined : [found, environment[found]!];
}

/** Returns the proxy variables of an environment, with the setting that replaces each. Addresses are without credentials. */
export const proxyVariables = (environment: Environment) =>
  [
    ["proxy", "HTTPS_PROXY"],
    ["proxy", "HTTP_PROXY"],
    ["noProxy", "NO_PROXY"],
  ].flatMap(([setting = "", name = ""]) => {
    const [variable, value] = variableOf(environment, name) ?? [];
    if (variable === undefined || value === undefined) return [];
    return [
      { setting, variable, value: setting === "proxy" ? parseProxy(variable, value).url.origin : value },
    ];
  });

/**
 * Returns the network of a connection. The variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY apply where no setting is given.
 * `tlsOptions` take precedence over files. Throws a TypeError that begins with the name of the invalid setting.
 */
export function networkFrom(
  settings: NetworkSettings,
  tlsOptions: TlsOptions = {},
  environment: Environment = process.env,
): Network {
  const { proxy, proxyCredentials, noProxy = variableOf(environment, "NO_PROXY")?.[1] ?? "" } = settings;
  const configured = proxy ? parseProxy("proxy", proxy) : undefined;
  if (configured?.credentials !== undefined)
    throw new TypeError("proxy must not contain a user name or password. Set `proxyCredentials`.");
  const proxyFor = (origin: string): Proxy | undefined => {
    const url = new URL(origin);
    if (isDirect(url, noProxy)) return undefined;
    const variable = variableOf(environment, url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
    const found = configured ?? (variable && parseProxy(...variable));
    return found && { ...found, credentials: proxyCredentials ?? found.credentials };
  };
  return { tls: { ...readTls(settings, environment), ...tlsOptions }, proxyFor };
}
