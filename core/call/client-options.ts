/** Options of createClient. */
import type { Tokens } from "../http/token-source";
import type { Pacing } from "../http/pacing";
import type { TlsOptions } from "../http/tls";
import type { PsuContext } from "./call-options";
import type { Requester } from "../people/requester";
import type { PreparedCall } from "./prepared-call";
import type { ServiceResponse } from "./response";

/** Credentials of a client. Secrets never appear in errors, responses or logs. */
export interface Credentials {
  /** Access token, or a function that returns one. The function is called for each request. */
  readonly accessToken?: string | (() => string | Promise<string>);
  /** Refresh token. Together with `authClientId` and `authClientSecret`, the client refreshes the access token itself. */
  readonly refreshToken?: string;
  /** OAuth client ID of your application. */
  readonly authClientId?: string;
  /** OAuth client secret of your application. */
  readonly authClientSecret?: string;
  /** Called with each refreshed token pair. Persist it yourself: with this option, tokens are not written to the store. */
  readonly onTokens?: (tokens: Tokens) => void | Promise<void>;
  /** Sent as x-api-key to the trade endpoints. */
  readonly apiKey?: string;
  /** Certificates in memory, instead of the files of `ca` and `clientCertificate`. */
  readonly tls?: TlsOptions;
  /** `user:password` for the proxy. */
  readonly proxyCredentials?: string;
  /** Passphrase of `clientKey`, or of a PKCS#12 file. */
  readonly clientKeyPassphrase?: string;
}

/** Passes the call on to the next interceptor or to the service, optionally changed. */
export type Next = (call?: PreparedCall) => Promise<ServiceResponse>;

/**
 * Middleware around each call. It may inspect the call, delay it, refuse it by throwing, and inspect the response. For a read
 * it may also change the call, retry it or return a response of its own. A call that commits money is frozen: it must be
 * passed on unchanged, `next` works once, and the caller gets the response of the service.
 *
 * @example
 * const logCalls: Interceptor = async (call, next) => {
 *   const response = await next();
 *   console.log(call.operation.name, response.status, response.requestId);
 *   return response;
 * };
 */
export type Interceptor = (call: PreparedCall, next: Next) => Promise<ServiceResponse>;

/** Options of createClient. All are optional; a call fails with `InvalidInput` if it needs a setting that is missing. */
export interface ClientOptions {
  /** Environment of the service. Default: `api`, the production environment. */
  readonly environment?: "api" | "sandbox";
  /** Domain of the service, for example `example.com`. The JSON interface is at `https://{environment}.{domain}/`. */
  readonly domain?: string;
  /** Full base address of the JSON interface, instead of `environment` and `domain`. */
  readonly baseUrl?: string;
  /** Base address of the open-banking interfaces, whose paths start with /v1/. */
  readonly xs2aUrl?: string;
  /** Base address of the token endpoint and the login page. Default: the base address. */
  readonly authUrl?: string;
  /** Access token or login, API key and client certificate. */
  readonly credentials?: Credentials;
  /**
   * Address of the HTTP proxy, without credentials. Default: the environment variables HTTPS_PROXY or HTTP_PROXY. Addresses of this
   * machine are always reached directly.
   */
  readonly proxy?: string;
  /** Hosts that are reached without a proxy, separated by commas. Default: the environment variable NO_PROXY. */
  readonly noProxy?: string;
  /** Absolute path of a file with certificate authorities that are trusted in addition to those of Node.js. */
  readonly ca?: string;
  /** Absolute path of your client certificate: PEM, or PKCS#12 with its key. */
  readonly clientCertificate?: string;
  /** Absolute path of the private key of `clientCertificate` (PEM), unless it is in the same file. */
  readonly clientKey?: string;
  /** Oldest accepted version of TLS. Default: TLSv1.2. */
  readonly minTlsVersion?: "TLSv1.2" | "TLSv1.3";
  /** ID of the client (your organisation) whose data is read. */
  readonly clientId?: string;
  /** ID of the contact person at the client. */
  readonly contactId?: string;
  /**
   * Times by which the service must receive payments of a day, by currency, SEPA or TARGET2, each with its time zone:
   * `SEPA 14:00 Europe/Berlin, JPY 15:00 UTC the day before`.
   */
  readonly cutOffs?: string;
  /** Open-banking headers that describe the user behind the calls. */
  readonly psu?: PsuContext;
  /**
   * Name recorded in the journal for calls that commit money. Default: the user of the operating system. Where a policy applies,
   * it must be that of the authenticated requester.
   */
  readonly actor?: string;
  /** Key that `fxdesk keys issue` printed, by which this program requests. Needed where a policy applies. */
  readonly serviceKey?: string;
  /** Requester that a surface of fxdesk has authenticated. Programs set `serviceKey` instead. */
  readonly requester?: Requester | undefined;
  /**
   * Store of the journal and of refreshed tokens, shared by all processes that use it: absolute path of a SQLite file, or
   * `postgres://host/database`. Default: a file in the user's state folder.
   */
  readonly store?: string;
  /** Encryption key of the store: 32 bytes in base64. Default: no encryption. */
  readonly storeKey?: string;
  /** Absolute path of the policy file, which defines the calls that need a person's release, and their limits. */
  readonly policy?: string;
  /** Absolute path of the file that lists the people who release, with their secrets. Only approving processes need it. */
  readonly people?: string;
  /** Address of the releases page (https, or http on this machine). Waiting requests link to it. */
  readonly releasesPage?: string;
  /** Further settings by name, for services with settings of their own. They take precedence over the options above. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Time limit of a call over all attempts in milliseconds, from the moment the rate limiter admits it. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Longest wait for the rate limiter in milliseconds, before `timeoutMs` starts. Default: 60,000. */
  readonly queueTimeoutMs?: number;
  /** Maximum number of concurrent calls per server. Default: 10. */
  readonly connections?: number;
  /**
   * Called with a one-line message when the outcome of a call that commits money, unknown when the call ended, is determined
   * later in the background. Default: a process warning.
   */
  readonly onRecovered?: (line: string) => void;
  /** Interceptors around each call, outermost first. */
  readonly interceptors?: readonly Interceptor[];
  /** Maximum number of waiting calls per server. Further calls fail with `RateLimited` at once. Default: 10,000. */
  readonly queueLimit?: number;
  /** Rate limit of the service in calls per second and server, if known. Default: measured from the calls it refuses. */
  readonly requestsPerSecond?: number;
  /**
   * Scope of the rate limiter: `own` for this client alone (default), `shared` for all processes that use the same store, or
   * a `Pacing` object to share between clients of this process.
   */
  readonly pacing?: "own" | "shared" | Pacing;
}
