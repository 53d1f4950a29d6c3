/** Which service and client a server acts for, as it is said to whoever reads a result. */
import type { JsonObject } from "./protocol";

/** The settings of a connection that are no secrets, by name. */
export type Settings = Readonly<Record<string, string | undefined>>;

export interface Connection {
  /** `sandbox` or `production`; `unknown` where an address is given that does not tell. */
  readonly environment: string;
  readonly client?: string;
  /** Of the address of the JSON interface, else of the open-banking interfaces. */
  readonly host?: string;
}

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined);

/** The labels of the contract's addresses. Contract: rules, 1. */
const environments: Readonly<Record<string, string>> = { api: "production", sandbox: "sandbox" };

const labelled = (host: string): string => environments[host.split(".")[0]!] ?? "unknown";

/** Where an address is given, it tells; the environment has a default, which then says nothing. */
export function connectionOf(settings: Settings): Connection {
  const { environment = "api", domain, baseUrl, xs2aUrl, clientId } = settings;
  const given = baseUrl ? hostOf(baseUrl) : domain ? undefined : hostOf(xs2aUrl ?? "");
  const host = given ?? (domain && `${environment}.${domain}`);
  const isSaid = environment !== "api" || (given === undefined && host !== undefined);
  return {
    environment: isSaid ? (environments[environment] ?? environment) : labelled(host ?? ""),
    ...(clientId && { client: clientId }),
    ...(host && { host }),
  };
}

/** Such as `sandbox, client C-1, at sandbox.example.com`. */
export const inWords = ({ environment, client, host }: Connection): string =>
  [
    environment === "unknown" ? "environment unknown" : environment,
    client && `client ${client}`,
    host && `at ${host}`,
  ]
    .filter(Boolean)
    .join(", ");

export const asData = ({ environment, client, host }: Connection): JsonObject => ({
  environment,
  ...(client && { client_id: client }),
  ...(host && { host }),
});
