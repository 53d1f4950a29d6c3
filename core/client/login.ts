/** Logging in to what a connection reaches, and what the store keeps of it. */
import { randomUUID } from "node:crypto";
import { beginLogin, type Grant } from "../credentials/login";
import { familyOf } from "../credentials/shared";
import { TokenFailure } from "../credentials/tokens";
import type { Service } from "../declaration/service";
import { FxdeskError, Forbidden, Unauthorized, Unavailable } from "../errors";
import { withStore } from "../store/open";
import { forgetTokens, loadTokens, saveTokens } from "../store/tokens";
import { applicationFrom, connect, type Connection, identityOf } from "./connection";
import type { ClientOptions } from "./options";

const operation = "login";

/** A login that waits for a person. */
export interface LoginUnderWay {
  /** What the person opens. */
  readonly address: string;
  /** Where the person returns to. */
  readonly redirectUri: string;
  /** Comes back with the person. */
  readonly state: string;
  /** Keeps what the login gives. Every failure is an FxdeskError; nothing is kept then. */
  finish(parameters: URLSearchParams): Promise<KeptLogin>;
}

/** A login whose tokens are in the store. */
export interface KeptLogin {
  /** The setting `login` of connections that go on with it. */
  readonly login: string;
  readonly environment: string | undefined;
  /** The client that is set, else the only one for which the person may act. */
  readonly clientId: string | undefined;
  /** All for which the person may act; none where the service does not say it. */
  readonly clientIds: readonly string[];
}

function needed<T>(value: T | undefined, name: string): T {
  if (!value) throw new TypeError(`${name} is needed to log in.`);
  return value;
}

/** Throws a TypeError that names the setting which is missing or does not fit. */
export async function logInTo(service: Service, options: ClientOptions): Promise<LoginUnderWay> {
  const connection = connect(service, options);
  const { settings, secrets, transport } = connection;
  for (const name of ["authClientId", "authClientSecret"]) needed(settings[name], name);
  const application = needed(applicationFrom(connection, settings), "authUrl");
  const redirectUri = needed(settings.redirectUri, "redirectUri");
  if (!URL.canParse(redirectUri))
    throw new TypeError(`redirectUri must be a full address, not ${JSON.stringify(redirectUri)}.`);
  const { loginPage } = application;
  const pkce = settings.pkce !== "none";
  const request = { application, loginPage, redirectUri, pkce };
  const pending = await beginLogin(request, transport, secrets);
  const { address, state } = pending;
  return {
    address,
    redirectUri,
    state,
    async finish(parameters) {
      try {
        return await keep(await pending.redeem(parameters), connection);
      } catch (error) {
        throw failureOf(error, connection);
      }
    },
  };
}

function failureOf(error: unknown, { secrets }: Connection): FxdeskError {
  if (error instanceof FxdeskError) return error;
  if (!(error instanceof TokenFailure)) {
    const cause = secrets.redactError(error);
    const message = `The tokens cannot be kept (${cause.message}). FXDESK_STORE says where the store is.`;
    return new FxdeskError(message, { operation, code: "unexpected", outcome: "unknown", cause });
  }
  const { message, refused, cause } = error;
  return refused
    ? new Unauthorized(message, { operation, code: "unauthorized", outcome: "rejected", cause })
    : new Unavailable(message, {
        operation,
        code: "unavailable",
        outcome: "unknown",
        retryable: true,
        cause,
      });
}

async function keep({ tokens, clientIds }: Grant, connection: Connection): Promise<KeptLogin> {
  const { settings, store } = connection;
  const { clientId = clientIds.length === 1 ? clientIds[0] : undefined } = settings;
  if (clientId !== undefined && clientIds.length > 0 && !clientIds.includes(clientId))
    throw new Forbidden(
      `Whoever logged in may act for ${clientIds.join(", ")}, not for ${clientId}. Nothing is kept.`,
      { operation, code: "forbidden", outcome: "rejected" },
    );
  const login = randomUUID();
  const family = familyIn(connection, { ...settings, login })!;
  await withStore(store, (open) =>
    saveTokens(open, family, 0, {
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken ?? "",
      remainingMs: tokens.expiresAt! - Date.now(),
    }),
  );
  return { login, environment: settings.environment, clientId, clientIds };
}

/** Where the store has the tokens that a connection renews; undefined where it renews none. */
function familyIn(connection: Connection, settings: Connection["settings"]): string | undefined {
  const application = applicationFrom(connection, settings);
  if (!application || !(settings.login || settings.refreshToken)) return undefined;
  return familyOf(identityOf(application, connection.addresses, settings));
}

/** What the store knows of the access token of a connection. */
export interface TokenAge {
  /** For how long it has been there, in milliseconds. */
  readonly ageMs: number;
  /** For how long it is good, in milliseconds; negative where it is not any more, and is renewed by the next call. */
  readonly remainingMs: number;
}

/** Undefined where the store has no token of the connection. */
export async function tokenAge(service: Service, options: ClientOptions): Promise<TokenAge | undefined> {
  const connection = connect(service, options);
  const family = familyIn(connection, connection.settings);
  if (family === undefined) return undefined;
  const kept = await withStore(connection.store, (store) => loadTokens(store, family));
  return kept && { ageMs: kept.lifeMs - kept.remainingMs, remainingMs: kept.remainingMs };
}

/**
 * Forgets the tokens of a connection's login, where it has one. What runs with one of them has it until that ends, and gets
 * no other.
 */
export async function logOutOf(service: Service, options: ClientOptions): Promise<void> {
  const connection = connect(service, options);
  if (!connection.settings.login) return;
  const family = familyIn(connection, connection.settings);
  if (family !== undefined) await withStore(connection.store, (store) => forgetTokens(store, family));
}
