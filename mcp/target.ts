/** The environment, host and client that a server acts for. */
import type { JsonObject } from "./render/content";

/** The non-secret settings of a connection, by name. */
export type Settings = Readonly<Record<string, string | undefined>>;

export interface Target {
  /** `sandbox` or `production`; `unknown` if the address does not tell. */
  readonly environment: string;
  readonly client?: string;
  /** Host of the JSON interface, or else of the open-banking interfaces. */
  readonly host?: string;
}

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined);

/** Environments by host label. Contract: rules, 1. */
const environments: Readonly<Record<string, string>> = { api: "production", sandbox: "sandbox" };

const environmentOfHost = (host: string): string => environments[host.split(".")[0]!] ?? "unknown";

/** Derives the target. An explicit address wins over the default environment. */
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

/** Returns text like `sandbox, client C-1, at sandbox.example.com`. */
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
