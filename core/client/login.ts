/** Logging in to what a connection reaches, and what the store keeps of it. */
import { randomUUID } from "node:crypto";
import { startAuthorization, type TokenGrant } from "../credentials/login";
import { tokenFamilyOf } from "../credentials/shared-tokens";
import { TokenFailure } from "../credentials/token-source";
import type { Service } from "../declaration/service";
import { FxdeskError, Forbidden, Unauthorized, Unavailable } from "../errors";
import { withStore } from "../store/open";
import { forgetTokens, loadTokens, saveTokens } from "../store/tokens";
import {
  oauthApplicationFrom,
  createClientContext,
  type ClientContext,
  tokenIdentityOf,
} from "./client-context";
import type { ClientOptions } from "./client-options";

const operation = "login";

/** A login that waits for a person. */
export interface LoginInProgress {
  /** What the person opens. */
  readonly address: string;
  /** Where the person returns to. */
  readonly redirectUri: string;
  /** Comes back with the person. */
  readonly state: string;
  /** Keeps what the login gives. Every failure is an FxdeskError; nothing is kept then. */
  finish(parameters: URLSearchParams): Promise<StoredLogin>;
}

/** A login whose tokens are in the store. */
export interface StoredLogin {
  /** The setting `login` of connections that go on with it. */
  readonly login: string;
  readonly environment: string | undefined;
  /** The client that is set, else the only one for which the person may act. */
  readonly clientId: string | undefined;
  /** All for which the person may act; none where the service does not say it. */
  readonly clientIds: readonly string[];
}

function requireSetting<T>(value: T | undefined, name: string): T {
  if (!value) throw new TypeError(`${name} is needed to log in.`);
  return value;
}

/** Throws a TypeError that names the setting which is missing or does not fit. */
export async function startLogin(service: Service, options: ClientOptions): Promise<LoginInProgress> {
  const context = createClientContext(service, options);
  const { settings, secrets, transport } = context;
  for (const name of ["authClientId", "authClientSecret"]) requireSetting(settings[name], name);
  const application = requireSetting(oauthApplicationFrom(context, settings), "authUrl");
  const redirectUri = requireSetting(settings.redirectUri, "redirectUri");
  if (!URL.canParse(redirectUri))
    throw new TypeError(`redirectUri must be a full address, not ${JSON.stringify(redirectUri)}.`);
  const { loginPage } = application;
  const pkce = settings.pkce !== "none";
  const request = { application, loginPage, redirectUri, pkce };
  const pending = await startAuthorization(request, transport, secrets);
  const { address, state } = pending;
  return {
    address,
    redirectUri,
    state,
    async finish(parameters) {
      try {
        return await storeGrant(await pending.redeem(parameters), context);
      } catch (error) {
        throw toLoginError(error, context);
      }
    },
  };
}

function toLoginError(error: unknown, { secrets }: ClientContext): FxdeskError {
  if (error instanceof FxdeskError) return error;
  if (!(error instanceof TokenFailure)) {
    const cause = secrets.redactError(error);
    const message = `The tokens cannot be kept (${cause.message}). FXDESK_STORE says where the store is.`;
    return new FxdeskError(message, { operation, code: "unexpected", outcome: "unknown", cause });
  }
  const { message, isRefused, cause } = error;
  return isRefused
    ? new Unauthorized(message, { operation, code: "unauthorized", outcome: "rejected", cause })
    : new Unavailable(message, {
        operation,
        code: "unavailable",
        outcome: "unknown",
        retryable: true,
        cause,
      });
}

async function storeGrant({ tokens, clientIds }: TokenGrant, context: ClientContext): Promise<StoredLogin> {
  const { settings, store } = context;
  const { clientId = clientIds.length === 1 ? clientIds[0] : undefined } = settings;
  if (clientId !== undefined && clientIds.length > 0 && !clientIds.includes(clientId))
    throw new Forbidden(
      `Whoever logged in may act for ${clientIds.join(", ")}, not for ${clientId}. Nothing is kept.`,
      { operation, code: "forbidden", outcome: "rejected" },
    );
  const login = randomUUID();
  const family = configuredFamily(context, { ...settings, login })!;
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
function configuredFamily(context: ClientContext, settings: ClientContext["settings"]): string | undefined {
  const application = oauthApplicationFrom(context, settings);
  if (!application || !(settings.login || settings.refreshToken)) return undefined;
  return tokenFamilyOf(tokenIdentityOf(application, context.addresses, settings));
}

/** What the store knows of the access token of a connection. */
export interface TokenAge {
  /** For how long it has been there, in milliseconds. */
  readonly ageMs: number;
  /** For how long it is good, in milliseconds; negative where it is not any more, and is renewed by the next call. */
  readonly remainingMs: number;
}

/** Undefined where the store has no token of the connection. */
export async function readTokenAge(service: Service, options: ClientOptions): Promise<TokenAge | undefined> {
  const context = createClientContext(service, options);
  const family = configuredFamily(context, context.settings);
  if (family === undefined) return undefined;
  const stored = await withStore(context.store, (store) => loadTokens(store, family));
  return stored && { ageMs: stored.lifetimeMs - stored.remainingMs, remainingMs: stored.remainingMs };
}

/**
 * Forgets the tokens of a connection's login, where it has one. What runs with one of them has it until that ends, and gets
 * no other.
 */
export async function logOut(service: Service, options: ClientOptions): Promise<void> {
  const context = createClientContext(service, options);
  if (!context.settings.login) return;
  const family = configuredFamily(context, context.settings);
  if (family !== undefined) await withStore(context.store, (store) => forgetTokens(store, family));
}
