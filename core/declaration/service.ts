/** What a service is: one value, which says where it is served, who calls it how, and what it can do. */
import type { Values } from "./fields";
import { propertyOf } from "../schema/kind";
import { callerFields } from "./fields";
import { listEntrySchema } from "./paged-lists";
import type { Callable, Declaration, Effect } from "./operation";
import type { Procedure } from "./procedure";
import type { Watch } from "./watch";

/** One value of a connection: an environment variable, a flag and a field of a form derive from it. */
/** What settings are about, where not every connection needs them. */
export const settingSections = ["credentials", "openBanking", "limits", "records"] as const;
export type SettingSection = (typeof settingSections)[number];

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
  /** Its value that stands for production, where money is real. */
  readonly productionValue?: string;
  /** The parameter of operations that it fills, where that has another name. */
  readonly parameterName?: string;
  /** Forms show it there; what is in none stands first. */
  readonly section?: SettingSection;
  /** What its value looks like, as far as that can be told before it is used. */
  readonly shape?: "address" | "count" | "host" | "ipv4" | "uri";
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
  /**
   * Where messages stand: each path leads to one or to a list of them, "" to the body itself, which is the default. The
   * other paths are those in a message.
   */
  readonly messages?: readonly string[];
  readonly code: readonly string[];
  readonly message: readonly string[];
  readonly details: readonly string[];
  /** The field of the request that a message is about. */
  readonly field?: readonly string[];
}

/**
 * How a person logs in and an access token is renewed: OAuth 2.0, authorization code and refresh token grant, with the
 * application's id and secret as HTTP Basic.
 */
export interface TokenEndpoint {
  /** The server whose address counts where `setting` is not set. */
  readonly server: string;
  readonly setting: string;
  readonly path: string;
  /** Of the page on which a person logs in, at the same address. */
  readonly loginPath: string;
  readonly scope: string;
}

export interface Service<
  Ops extends readonly Declaration[] = readonly Declaration[],
  Procedures extends readonly Procedure[] = readonly Procedure[],
  Watches extends readonly Watch[] = readonly Watch[],
> {
  readonly servers: Readonly<Record<string, Server>>;
  readonly credentials: Readonly<Record<string, CredentialScheme>>;
  readonly settings: readonly Setting[];
  /** The header that identifies a call, in requests and responses. */
  readonly requestIdHeader?: string;
  /** In the order in which they are tried. */
  readonly errorBodies: readonly ErrorBody[];
  /** What a caller can do where the service gives one of these codes, which say more than the status. */
  readonly advice?: Readonly<Record<string, string>>;
  /** Codes of a 429 that speak of a quota of one account or consent, and not of how fast calls come. */
  readonly quotaCodes?: readonly string[];
  readonly tokens?: TokenEndpoint;
  /** An operation that reads little and needs no input: by it a connection is tried. */
  readonly probe?: string;
  /** The fields that say on whose behalf a call is made; the first that a call has counts. */
  readonly customerFields?: readonly string[];
  readonly operations: Ops;
  readonly procedures?: Procedures;
  /** Procedures that need quotes, which the service has none of: offered where an extension adds an operation that quotes. */
  readonly quoteProcedures?: readonly Procedure[];
  /** What people need most, by name; surfaces offer it first. Everything where it is left out. */
  readonly daily?: readonly string[];
  readonly watches?: Watches;
}

/** All that can be called: the operations, then the procedures. */
export const callablesOf = ({ operations, procedures = [] }: Pick<Service, "operations" | "procedures">) =>
  [...operations, ...procedures] as readonly Callable[];

/** What a service declares, as far as surfaces show it. */
export type ServiceDeclarations = Pick<Service, "operations" | "procedures" | "watches" | "daily">;

/** All that surfaces show: what can be called, then the watches. */
export const declarationsOf = (service: ServiceDeclarations): readonly Callable[] => [
  ...callablesOf(service),
  ...(service.watches ?? []),
];

/** On whose behalf a call with these values is made; empty where its operation has no such field. */
export function customerFromValues(
  { customerFields = [] }: Pick<Service, "customerFields">,
  values: Values,
): string {
  const field = customerFields.find((name) => values[name] !== undefined);
  return field === undefined ? "" : String(values[field]);
}

/** What people need most, in the order in which the service names it; everything where it names nothing. */
export const dailyOf = (service: ServiceDeclarations): readonly Callable[] => {
  const all = declarationsOf(service);
  return service.daily?.map((name) => all.find((each) => each.name === name)!) ?? all;
};

/** The settings that say to whom secrets are sent: what is good in one place is sent to no other. */
export const destinationSettingsOf = ({
  servers,
  tokens,
}: Pick<Service, "servers" | "tokens">): readonly string[] => [
  ...Object.values(servers).flatMap(({ setting, template = "" }) => [
    setting,
    ...[...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
  ]),
  ...(tokens ? [tokens.setting, "authClientId"] : []),
];

const effectRanks: Readonly<Record<Effect, number>> = { read: 0, change: 1, money: 2 };

/** The highest of what a procedure uses. */
export const highestEffectOf = ({ uses }: Procedure, operations: readonly Declaration[]): Effect =>
  operations
    .filter(({ name }) => uses.includes(name))
    .reduce<Effect>(
      (highest, { effect }) => (effectRanks[effect] > effectRanks[highest] ? effect : highest),
      "read",
    );

/** What is wrong with a procedure or a watch of a service; undefined where nothing is. */
function usesContradiction(
  { name, uses, effect, effectReason }: Pick<Procedure, "name" | "uses" | "effect" | "effectReason">,
  operations: readonly Declaration[],
) {
  const used = uses.map((each) => operations.find((operation) => operation.name === each));
  const missing = uses.find((_, index) => !used[index]);
  if (missing !== undefined) return `${name}: there is no operation ${missing} for it to use.`;
  const higher = used.find((operation) => effectRanks[operation!.effect] > effectRanks[effect]);
  return higher && effectReason === undefined
    ? `${name}: ${higher.name}, which it uses, has the effect ${higher.effect}; effectBecause says why that is not its own.`
    : undefined;
}

/** The name of a credential, and whether an operation can do without: `contactId?`. */
export function splitCredential(credential: string): { readonly name: string; readonly optional: boolean } {
  const optional = credential.endsWith("?");
  return { name: optional ? credential.slice(0, -1) : credential, optional };
}

/** Why the service cannot recover an operation as that is declared. */
function recoveryContradiction(
  { recovery, lookup, headers = {} }: Declaration,
  { operations, settings, requestIdHeader = "" }: Service,
): string | undefined {
  if (!recovery) return undefined;
  if (recovery.kind === "resent") {
    if (!(requestIdHeader in headers)) return "a call without a request id cannot be sent again under it.";
    const isSetting = settings.some(({ name }) => name === recovery.setting);
    return isSetting ? undefined : `there is no setting ${recovery.setting}.`;
  }
  const list = operations.find(({ name }) => name === lookup);
  const entry = list && listEntrySchema(list);
  if (!entry) return `${lookup} lists nothing.`;
  const requiredField = callerFields(list).find(({ required }) => required);
  if (requiredField) return `${lookup} does not list it without being given ${requiredField.name}.`;
  const missing = Object.values(recovery.entry).filter((field) => !propertyOf(entry, field));
  return missing.length === 0 ? undefined : `what ${lookup} lists has no field ${missing.join(", ")}.`;
}

const isProbe = (operation: Declaration | undefined): boolean =>
  operation?.effect === "read" && !callerFields(operation).some(({ required }) => required);

/**
 * Declares a service. Throws when it contradicts itself: an operation on a server or with a credential that it does not
 * have, two operations of one name, a watch that looks back without knowing days, a credential, server or token endpoint without its setting, a recovery by what is not
 * listed.
 */
export function defineService<
  const Ops extends readonly Declaration[],
  const Procedures extends readonly Procedure[] = readonly [],
  const Watches extends readonly Watch[] = readonly [],
>(service: Service<Ops, Procedures, Watches>): Service<Ops, Procedures, Watches> {
  const { servers, credentials, settings, tokens, operations, procedures = [], watches = [] } = service;
  const fail = (message: string): never => {
    throw new TypeError(message);
  };
  const settingNames = new Set(settings.map(({ name }) => name));
  for (const { setting } of [...Object.values(servers), ...Object.values(credentials)])
    if (!settingNames.has(setting)) fail(`There is no setting ${setting}.`);
  if (tokens && !(tokens.server in servers)) fail(`There is no server ${tokens.server}.`);
  for (const { name, server, credentials: carried } of operations) {
    if (!(server in servers)) fail(`${name}: there is no server ${server}.`);
    for (const credential of carried)
      if (!(splitCredential(credential).name in credentials))
        fail(`${name}: there is no credential ${credential}.`);
  }
  for (const each of [...procedures, ...watches]) {
    const contradiction = usesContradiction(each, operations);
    if (contradiction !== undefined) fail(contradiction);
  }
  for (const name of service.daily ?? [])
    if (!declarationsOf(service).some((each) => each.name === name))
      fail(`daily: there is no operation ${name}.`);
  if (service.probe !== undefined && !isProbe(operations.find(({ name }) => name === service.probe)))
    fail(`probe: ${service.probe} is no operation that reads and needs no input.`);
  for (const watch of watches)
    if ((watch.day === undefined) !== (watch.overlapDays === undefined))
      fail(`${watch.name}: overlapDays and the day of an entry belong together.`);
  const names = new Set<string>();
  for (const key of declarationsOf(service).flatMap(({ name, tool }) => [name, tool])) {
    if (names.has(key)) fail(`Two operations are called ${key}.`);
    names.add(key);
  }
  for (const operation of operations) {
    const contradiction = recoveryContradiction(operation, service);
    if (contradiction) fail(`${operation.name}: ${contradiction}`);
  }
  return Object.freeze(service);
}
