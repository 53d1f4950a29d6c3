/** What a client is told when it is made. */
import type { Tokens } from "../credentials/token-source";
import type { Pacing } from "../transport/pacing";
import type { TlsOptions } from "../transport/tls";
import type { PsuContext } from "./call-options";
import type { Interceptor } from "./interceptors";

export interface Credentials {
  /** The access token, or a function that gives one. */
  readonly accessToken?: string | (() => string | Promise<string>);
  /** With these three, fxdesk refreshes the access token by itself. */
  readonly refreshToken?: string;
  readonly authClientId?: string;
  readonly authClientSecret?: string;
  /** Called with each refreshed pair, to keep a rotated refresh token yourself: then no store does. */
  readonly onTokens?: (tokens: Tokens) => void | Promise<void>;
  /** Sent as x-api-key to the trade endpoints. */
  readonly apiKey?: string;
  /** Client certificate for open banking. */
  readonly tls?: TlsOptions;
}

export interface ClientOptions {
  /** With `environment` and `domain` the JSON interface is at https://{environment}.{domain}/; or give `baseUrl`. */
  readonly environment?: "api" | "sandbox";
  readonly domain?: string;
  readonly baseUrl?: string;
  /** Address of the open-banking interfaces; their paths begin with /v1/. */
  readonly xs2aUrl?: string;
  /** Address of the token endpoint; by default the base address. */
  readonly authUrl?: string;
  readonly credentials?: Credentials;
  readonly clientId?: string;
  readonly contactId?: string;
  readonly psu?: PsuContext;
  /** Who asks for calls that commit money, as the journal has it; the user of the operating system by default. */
  readonly actor?: string;
  /**
   * Where the journal of calls that commit money is kept, and refreshed tokens, for all processes that use them: the
   * absolute path of a file, or postgres://…; by default a file in the user's state folder.
   */
  readonly store?: string;
  /** 32 bytes in base64, which encrypt the store. */
  readonly storeKey?: string;
  /** The absolute path of the policy: which calls need a person's yes, and within which limits. */
  readonly policy?: string;
  /** The absolute path of the file of people who release, with their secrets; not needed by who only asks. */
  readonly people?: string;
  /** Settings by name: those of a service that has others. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Time limit of a call over all its attempts, from the moment it may go, in milliseconds; 30 s by default. */
  readonly timeoutMs?: number;
  /** How long a call waits for its turn before that, in milliseconds; 60 s by default. */
  readonly queueTimeoutMs?: number;
  /** Calls to one server at once; 10 by default. */
  readonly connections?: number;
  /**
   * Told, in one line for a log, of a call that commits money whose outcome was not known when it ended and was found out
   * later, in the background; by default a warning of the process.
   */
  readonly onRecovered?: (line: string) => void;
  /** Links round every call, the first one outermost. */
  readonly interceptors?: readonly Interceptor[];
  /** Calls that wait for their turn at most; more are refused at once. 10000 by default. */
  readonly queueLimit?: number;
  /** Calls a second that one server takes, where you know it: no more leave. Else it is found out from what it refuses. */
  readonly requestsPerSecond?: number;
  /**
   * When calls may go: `own`, the default, is the pace of this client alone; `shared` that of all processes that share the
   * store. Or a pacing that you give to several clients.
   */
  readonly pacing?: "own" | "shared" | Pacing;
}
