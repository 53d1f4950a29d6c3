/** What a service is: one value, which says where it is served, who calls it how, and what it can do. */
import type { Declaration } from "./operation";

/** One value of a connection: an environment variable, a flag and a field of a form derive from it. */
export interface Setting {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Kept out of flows, command lines, logs and results. */
  readonly secret: boolean;
  readonly options?: readonly string[];
  /** In force where nothing is set. */
  readonly default?: string;
  readonly example?: string;
  /** The parameter of operations that it fills, where that has another name. */
  readonly fills?: string;
}

/** A base address below which operations are served. */
export interface Server {
  readonly description: string;
  /** The setting that holds the whole address. */
  readonly setting: string;
  /** How other settings make the address where that one is not set: `https://{environment}.{domain}/`. */
  readonly template?: string;
}

/** How a credential travels: an access token as a bearer token, anything else as a header of its own. */
export interface CredentialScheme {
  readonly kind: "bearer" | "header";
  readonly header: string;
  readonly setting: string;
  readonly description: string;
  /** Left out where it is not set, also by operations that declare it: the service decides whether it can do without. */
  readonly optional?: true;
}

/** Where the parts of an error stand in a body; the first path that leads to a text counts. */
export interface ErrorBody {
  readonly code: readonly string[];
  readonly message: readonly string[];
  readonly details: readonly string[];
}

/** How an access token is renewed: OAuth 2.0, refresh token grant, with the application's id and secret as HTTP Basic. */
export interface TokenEndpoint {
  /** The server whose address counts where `setting` is not set. */
  readonly server: string;
  readonly setting: string;
  readonly path: string;
  readonly scope: string;
}

export interface Service<Ops extends readonly Declaration[] = readonly Declaration[]> {
  readonly servers: Readonly<Record<string, Server>>;
  readonly credentials: Readonly<Record<string, CredentialScheme>>;
  readonly settings: readonly Setting[];
  /** The header that identifies a call, in requests and responses. */
  readonly requestIdHeader?: string;
  /** In the order in which they are tried. */
  readonly errorBodies: readonly ErrorBody[];
  /** What a caller can do where the service gives one of these codes, which say more than the status. */
  readonly advice?: Readonly<Record<string, string>>;
  readonly tokens?: TokenEndpoint;
  readonly operations: Ops;
}

/** The name of a credential, and whether an operation can do without: `contactId?`. */
export function splitCredential(credential: string): { readonly name: string; readonly optional: boolean } {
  const optional = credential.endsWith("?");
  return { name: optional ? credential.slice(0, -1) : credential, optional };
}

/**
 * Declares a service. Throws when it contradicts itself: an operation on a server or with a credential that it does not
 * have, two operations of one name, a credential, server or token endpoint without its setting.
 */
export function defineService<const Ops extends readonly Declaration[]>(service: Service<Ops>): Service<Ops> {
  const { servers, credentials, settings, tokens, operations } = service;
  const fail = (message: string): never => {
    throw new TypeError(message);
  };
  const known = new Set(settings.map(({ name }) => name));
  for (const { setting } of [...Object.values(servers), ...Object.values(credentials)])
    if (!known.has(setting)) fail(`There is no setting ${setting}.`);
  if (tokens && !(tokens.server in servers)) fail(`There is no server ${tokens.server}.`);
  const names = new Set<string>();
  for (const { name, tool, server, credentials: carried } of operations) {
    if (!(server in servers)) fail(`${name}: there is no server ${server}.`);
    for (const credential of carried)
      if (!(splitCredential(credential).name in credentials))
        fail(`${name}: there is no credential ${credential}.`);
    for (const key of [name, tool]) {
      if (names.has(key)) fail(`Two operations are called ${key}.`);
      names.add(key);
    }
  }
  return Object.freeze(service);
}
