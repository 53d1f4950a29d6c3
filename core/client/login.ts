/** Login, logout and token age of a connection. */
import { randomUUID } from "node:crypto";
import { startAuthorization, type TokenGrant } from "../http/login";
import { tokenFamilyOf } from "../http/shared-tokens";
import { TokenFailure } from "../http/token-source";
import type { Service } from "../spec/service";
import { createError, FxdeskError } from "../spec/errors";
import { withStore } from "../store/open";
import { forgetTokens, loadTokens, saveTokens } from "../store/tokens";
import {
  oauthApplicationFrom,
  createClientContext,
  type ClientContext,
  tokenIdentityOf,
} from "../call/client-context";
import type { ClientOptions } from "../call/client-options";

const operation = "login";

/** A login that a person has to complete in the browser. */
export interface LoginInProgress {
  /** Address of the login page with all parameters. */
  readonly address: string;
  /** Registered redirect address. */
  readonly redirectUri: string;
  /** OAuth state parameter. */
  readonly state: string;
  /** Exchanges the redirect parameters for tokens and stores them. Throws an FxdeskError; nothing is stored then. */
  finish(parameters: URLSearchParams): Promise<StoredLogin>;
}

/** A completed login whose tokens are in the store. */
export interface StoredLogin {
  /** Value of the setting `login` for connections that use it. */
  readonly login: string;
  readonly environment: string | undefined;
  /** The configured client ID, otherwise the only one the person may act for. */
  readonly clientId: string | undefined;
  /** All client IDs the person may act for; empty if the service does not report them. */
  readonly clientIds: readonly string[];
}

function requireSetting<T>(value: T | undefined, name: string): T {
  if (!value) throw new TypeError(`${name} is needed to log in.`);
  return value;
}

/** Throws an FxdeskError if the store, which receives the tokens of a login, cannot be opened. */
async function assertStoreOpens({ store, secrets }: ClientContext): Promise<void> {
  try {
    await withStore(store, () => Promise.resolve());
  } catch (error) {
    const cause = secrets.redactError(error);
    const message = `The login was not started, because its tokens could not be stored (${cause.message}). FXDESK_STORE sets the location of the store.`;
    throw createError(operation, "unexpected", "not-sent", message, { cause });
  }
}

/** Starts a login. Throws a TypeError that names a missing or invalid setting, and an FxdeskError if the store fails. */
export async function startLogin(service: Service, options: ClientOptions): Promise<LoginInProgress> {
  const context = createClientContext(service, options);
  const { settings, secrets, transport } = context;
  for (const name of ["authClientId", "authClientSecret"]) requireSetting(settings[name], name);
  const application = requireSetting(oauthApplicationFrom(context, settings), "authUrl");
  const redirectUri = requireSetting(settings.redirectUri, "redirectUri");
  if (!URL.canParse(redirectUri))
    throw new TypeError(`redirectUri must be a full address, not ${JSON.stringify(redirectUri)}.`);
  const request = { loginPage: application.loginPage, redirectUri, pkce: settings.pkce !== "none" };
  await assertStoreOpens(context);
  const pending = startAuthorization({ transport, application, secrets }, request);
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
    const message = `The tokens could not be stored (${cause.message}). Log in again once the store works; FXDESK_STORE sets its location.`;
    return createError(operation, "unexpected", "unknown", message, { cause });
  }
  const { message, isRefused, cause } = error;
  return isRefused
    ? createError(operation, "unauthorized", "rejected", message, { cause })
    : createError(operation, "unavailable", "unknown", message, { retryable: true, cause });
}

async function storeGrant({ tokens, clientIds }: TokenGrant, context: ClientContext): Promise<StoredLogin> {
  const { settings, store } = context;
  const { clientId = clientIds.length === 1 ? clientIds[0] : undefined } = settings;
  if (clientId !== undefined && clientIds.length > 0 && !clientIds.includes(clientId))
    throw createError(
      operation,
      "forbidden",
      "rejected",
      `This login cannot act for ${clientId}, only for ${clientIds.join(", ")}. Nothing was stored.`,
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

/** Returns the token family of a connection in the store, or undefined if it does not refresh tokens. */
function configuredFamily(context: ClientContext, settings: ClientContext["settings"]): string | undefined {
  const application = oauthApplicationFrom(context, settings);
  if (!application || !(settings.login || settings.refreshToken)) return undefined;
  return tokenFamilyOf(tokenIdentityOf(application, context.addresses, settings));
}

/** Age of a stored access token. */
export interface TokenAge {
  /** Time since it was issued, in milliseconds. */
  readonly ageMs: number;
  /** Remaining lifetime in milliseconds; negative if expired. The next call then refreshes it. */
  readonly remainingMs: number;
}

/** Returns the age of the stored access token, or undefined if there is none. */
export async function readTokenAge(service: Service, options: ClientOptions): Promise<TokenAge | undefined> {
  const context = createClientContext(service, options);
  const family = configuredFamily(context, context.settings);
  if (family === undefined) return undefined;
  const stored = await withStore(context.store, (store) => loadTokens(store, family));
  return stored && { ageMs: stored.lifetimeMs - stored.remainingMs, remainingMs: stored.remainingMs };
}

/** Deletes the stored tokens of a connection's login. Running processes keep their access token until it expires. */
export async function logOut(service: Service, options: ClientOptions): Promise<void> {
  const context = createClientContext(service, options);
  if (!context.settings.login) return;
  const family = configuredFamily(context, context.settings);
  if (family !== undefined) await withStore(context.store, (store) => forgetTokens(store, family));
}
