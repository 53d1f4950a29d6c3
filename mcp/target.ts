/** The environment, host and customer that a server acts for, as models and people are told. */
import type { JsonObject } from "./protocol";

/** The settings of a connection that are no secrets, by name. */
export type Settings = Readonly<Record<string, string | undefined>>;

/** What the calls of a server reach. */
export interface Target {
  /** `sandbox` or `production`; `unknown` where an address is given that does not tell. */
  readonly environment: string;
  readonly client?: string;
  /** Of the address of the JSON interface, else of the open-banking interfaces. */
  readonly host?: string;
}

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined);

/** The labels of the contract's addresses. Contract: rules, 1. */
const environments: Readonly<Record<string, string>> = { api: "production", sandbox: "sandbox" };

const environmentOfHost = (host: string): string => environments[host.split(".")[0]!] ?? "unknown";

/** Where an address is given, it tells; the environment has a default, which then says nothing. */
export function targetOf(settings: Settings): Target {
  const { environment = "api", domain, baseUrl, xs2aUrl, clientId } = settings;
  const givenHost = baseUrl ? hostOf(baseUrl) : domain ? undefined : hostOf(xs2aUrl ?? "");
  const host = givenHost ?? (domain && `${environment}.${domain}`);
  const isExplicit = environment !== "api" || (givenHost === undefined && host !== undefined);
  return {
    environment: isExplicit ? (environments[environment] ?? environment) : environmentOfHost(host ?? ""),
    ...(clientId && { client: clientId }),
    ...(host && { host }),
  };
}

/** Such as `sandbox, client C-1, at sandbox.example.com`. */
export const describeTarget = ({ environment, client, host }: Target): string =>
  [
    environment === "unknown" ? "environment unknown" : environment,
    client && `client ${client}`,
    host && `at ${host}`,
  ]
    .filter(Boolean)
    .join(", ");

export const targetData = ({ environment, client, host }: Target): JsonObject => ({
  environment,
  ...(client && { client_id: client }),
  ...(host && { host }),
});
