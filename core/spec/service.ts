/** The declaration of a service: servers, credentials, settings, operations, procedures and watches in one value. */
import { type Values, callerFields } from "./fields";
import { propertyOf } from "../values/kind";
import { listEntrySchema } from "./result-list";
import type { Callable, Declaration, Effect } from "./operation";
import type { Procedure } from "./procedure";
import type { Watch } from "./watch";

/** Groups of settings that not every connection needs. */
export const settingSections = ["credentials", "openBanking", "network", "limits", "records"] as const;
export type SettingSection = (typeof settingSections)[number];

/** A setting of a connection. Its environment variable, its flag and its form field are derived from it. */
export interface Setting {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** True if the value must never appear in flows, command lines, logs or results. */
  readonly secret: boolean;
  readonly options?: readonly string[];
  /** Value if the setting is not set. */
  readonly default?: string;
  readonly example?: string;
  /** Value that selects production, where real money moves. */
  readonly productionValue?: string;
  /** Name of the operation parameter that it fills, if different. */
  readonly parameterName?: string;
  /** Group in forms. Settings without one come first. */
  readonly section?: SettingSection;
  /** Format of the value, for validation before its first use. */
  readonly shape?: "address" | "count" | "host" | "ipv4" | "uri";
}

/** A base address of operations. */
export interface Server {
  readonly description: string;
  /** Setting with the whole address. */
  readonly setting: string;
  /** Address built from other settings if that one is not set, for example `https://{environment}.{domain}/`. */
  readonly template?: string;
}

/** The transport of a credential: a bearer token, or the value of its own header. */
export interface CredentialScheme {
  readonly kind: "bearer" | "header";
  readonly header: string;
  readonly setting: string;
  readonly description: string;
  /** If true and not set, requests are sent without it, and the service decides whether to accept them. */
  readonly optional?: true;
}

/** Paths to the parts of an error in its body. The first path that leads to text is used. */
export interface ErrorBody {
  /**
   * Paths to a message or a list of messages. The default, "", is the body itself. The other paths are relative to a
   * message.
   */
  readonly messages?: readonly string[];
  readonly code: readonly string[];
  readonly message: readonly string[];
  readonly details: readonly string[];
  /** Request field that the message concerns. */
  readonly field?: readonly string[];
}

/**
 * OAuth 2.0 login and token refresh: authorization code and refresh token grants, with the ID and secret of the
 * application as HTTP Basic credentials.
 */
export interface TokenEndpoint {
  /** Server whose address is used if `setting` is not set. */
  readonly server: string;
  readonly setting: string;
  readonly path: string;
  /** Path of the login page, at the same address. */
  readonly loginPath: string;
  readonly scope: string;
}

/** A service. Created with `defineService`, which checks it. */
export interface Service<
  Ops extends readonly Declaration[] = readonly Declaration[],
  Procedures extends readonly Procedure[] = readonly Procedure[],
  Watches extends readonly Watch[] = readonly Watch[],
> {
  readonly servers: Readonly<Record<string, Server>>;
  readonly credentials: Readonly<Record<string, CredentialScheme>>;
  readonly settings: readonly Setting[];
  /** Header with the request ID, in requests and responses. */
  readonly requestIdHeader?: string;
  /** Tried in this order. */
  readonly errorBodies: readonly ErrorBody[];
  /** Advice for the caller by error code, for codes that are more specific than the status. */
  readonly advice?: Readonly<Record<string, string>>;
  /** Codes of a 429 that mean an exhausted quota of one account or consent, not too high a rate of calls. */
  readonly quotaCodes?: readonly string[];
  readonly tokens?: TokenEndpoint;
  /** Operation for connection tests: a small read without required input. */
  readonly probe?: string;
  /** Fields with the customer of a call. The first field that has a value is used. */
  readonly customerFields?: readonly string[];
  readonly operations: Ops;
  readonly procedures?: Procedures;
  /** Procedures that need quotes. Added to `procedures` if an extension adds an operation with `quotes`. */
  readonly quoteProcedures?: readonly Procedure[];
  /** Names of the everyday operations, procedures and watches, which surfaces show first. Default: all. */
  readonly daily?: readonly string[];
  readonly watches?: Watches;
}

/** Returns all operations, then all procedures. */
export const callablesOf = ({ operations, procedures = [] }: Pick<Service, "operations" | "procedures">) =>
  [...operations, ...procedures] as readonly Callable[];

/** The part of a service that surfaces show. */
export type ServiceDeclarations = Pick<Service, "operations" | "procedures" | "watches" | "daily">;

/** Returns all operations, procedures and watches, in this order. */
export const declarationsOf = (service: ServiceDeclarations): readonly Callable[] => [
  ...callablesOf(service),
  ...(service.watches ?? []),
];

/** Returns the customer of a call with these values; empty if none of the customer fields is set. */
export function customerFromValues(
  { customerFields = [] }: Pick<Service, "customerFields">,
  values: Values,
): string {
  const field = customerFields.find((name) => values[name] !== undefined);
  return field === undefined ? "" : String(values[field]);
}

/** Returns the everyday declarations in the order of `daily`, or all if the service names none. */
export const dailyOf = (service: ServiceDeclarations): readonly Callable[] => {
  const all = declarationsOf(service);
  return service.daily?.map((name) => all.find((each) => each.name === name)!) ?? all;
};

/**
 * Returns the settings that determine where secrets are sent. Secrets stored for one destination are never sent to
 * another.
 */
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

export const effectRanks: Readonly<Record<Effect, number>> = { read: 0, change: 1, money: 2 };

/** Returns the highest effect of the operations that a procedure uses. */
export const highestEffectOf = ({ uses }: Procedure, operations: readonly Declaration[]): Effect =>
  operations
    .filter(({ name }) => uses.includes(name))
    .reduce<Effect>(
      (highest, { effect }) => (effectRanks[effect] > effectRanks[highest] ? effect : highest),
      "read",
    );

/** Returns the first problem with the `uses` of a procedure or watch, or undefined. */
function usesContradiction(
  { name, uses, effect, effectReason }: Pick<Procedure, "name" | "uses" | "effect" | "effectReason">,
  operations: readonly Declaration[],
) {
  const used = uses.map((each) => operations.find((operation) => operation.name === each));
  const missing = uses.find((_, index) => !used[index]);
  if (missing !== undefined)
    return `${name}: \`uses\` lists ${missing}, but the service has no such operation.`;
  const higher = used.find((operation) => effectRanks[operation!.effect] > effectRanks[effect]);
  return higher && effectReason === undefined
    ? `${name}: ${higher.name}, which it uses, has the effect ${higher.effect}. Raise the effect or give effectReason.`
    : undefined;
}

/** Splits a credential of an operation into its name and the optional mark: `contactId?`. */
export function splitCredential(credential: string): { readonly name: string; readonly optional: boolean } {
  const optional = credential.endsWith("?");
  return { name: optional ? credential.slice(0, -1) : credential, optional };
}

/** Returns the reason why the declared recovery cannot work with this service, or undefined. */
function recoveryContradiction(
  { recovery, lookup, headers = {} }: Declaration,
  { operations, settings, requestIdHeader = "" }: Service,
): string | undefined {
  if (!recovery) return undefined;
  if (recovery.kind === "resent") {
    if (!(requestIdHeader in headers)) return "recovery by resending needs the request ID header.";
    const isSetting = settings.some(({ name }) => name === recovery.setting);
    return isSetting
      ? undefined
      : `recovery names the setting ${recovery.setting}, but the service has no such setting.`;
  }
  const list = operations.find(({ name }) => name === lookup);
  const entry = list && listEntrySchema(list);
  if (!entry) return `recovery needs a list, but ${lookup} does not return one.`;
  const requiredField = callerFields(list).find(({ required }) => required);
  if (requiredField) return `recovery cannot call ${lookup}, because it requires ${requiredField.name}.`;
  const missing = Object.values(recovery.entry).filter((field) => !propertyOf(entry, field));
  return missing.length === 0 ? undefined : `the entries of ${lookup} have no field ${missing.join(", ")}.`;
}

const isProbe = (operation: Declaration | undefined): boolean =>
  operation?.effect === "read" && !callerFields(operation).some(({ required }) => required);

/**
 * Declares a service. Throws a TypeError if it contradicts itself, for example if an operation names an unknown
 * server or credential, two declarations share a name, or a recovery cannot work.
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
    if (!settingNames.has(setting)) fail(`The service has no setting ${setting}.`);
  if (tokens && !(tokens.server in servers)) fail(`tokens: the service has no server ${tokens.server}.`);
  for (const { name, server, credentials: carried } of operations) {
    if (!(server in servers)) fail(`${name}: the service has no server ${server}.`);
    for (const credential of carried)
      if (!(splitCredential(credential).name in credentials))
        fail(`${name}: the service has no credential ${credential}.`);
  }
  for (const each of [...procedures, ...watches]) {
    const contradiction = usesContradiction(each, operations);
    if (contradiction !== undefined) fail(contradiction);
  }
  for (const name of service.daily ?? [])
    if (!declarationsOf(service).some((each) => each.name === name))
      fail(`daily: the service has no operation, procedure or watch ${name}.`);
  if (service.probe !== undefined && !isProbe(operations.find(({ name }) => name === service.probe)))
    fail(`probe: ${service.probe} must be an operation with the effect read and without required input.`);
  for (const watch of watches)
    if ((watch.day === undefined) !== (watch.overlapDays === undefined))
      fail(`${watch.name}: overlapDays and day must be declared together.`);
  const names = new Set<string>();
  for (const key of declarationsOf(service).flatMap(({ name, tool }) => [name, tool])) {
    if (names.has(key)) fail(`The name ${key} is declared twice.`);
    names.add(key);
  }
  for (const operation of operations) {
    const contradiction = recoveryContradiction(operation, service);
    if (contradiction) fail(`${operation.name}: ${contradiction}`);
  }
  return Object.freeze(service);
}
