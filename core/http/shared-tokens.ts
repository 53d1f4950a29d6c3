/** Tokens shared by all processes: the store holds the newest pair, and one process at a time refreshes it. */
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { acquireLease, type Lease } from "../store/lease";
import { type Store, withStore } from "../store/open";
import type { StoreSettings } from "../store/settings";
import { expireTokens, type StoredTokens, loadTokens, saveTokens } from "../store/tokens";
import type { Secrets } from "./secrets";
import {
  type HeldTokens,
  type RefreshTokens,
  renewalMarginMs,
  TokenFailure,
  type Tokens,
} from "./token-source";

/** Identity of a token family: all rotated tokens descend from one configured refresh token or one login. */
export interface TokenIdentity {
  readonly environment: string;
  /** Address of the token endpoint. */
  readonly endpoint: string;
  readonly clientId: string;
  readonly root: { readonly refreshToken: string } | LoginRoot;
}

/** A login. Its tokens exist only in the store and are bound to these addresses. */
interface LoginRoot {
  readonly login: string;
  /** Origins that its access tokens are sent to. */
  readonly origins: readonly string[];
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

/** Returns the name of a token family in the store. */
export const tokenFamilyOf = ({ environment, endpoint, clientId, root }: TokenIdentity): string => {
  const rootParts = "login" in root ? [root.login, ...root.origins] : [hash(root.refreshToken)];
  return hash(JSON.stringify([environment, endpoint, clientId, ...rootParts]));
};

/** True if the token is not about to expire and is not the unusable one that the caller holds. */
const isUsable = ({ accessToken, lifetimeMs, remainingMs }: StoredTokens, held: HeldTokens) =>
  accessToken !== held.accessToken && remainingMs > renewalMarginMs(lifetimeMs);

export class SharedTokens {
  readonly #family: string;
  /** Refreshed tokens that could not be stored yet, based on `version`. Lost if the process exits. */
  #unsaved: { readonly tokens: Tokens; readonly version: number } | undefined;

  constructor(
    /** Calls the token endpoint, within `timeoutMs`. */
    private readonly refresh: RefreshTokens,
    private readonly timeoutMs: number,
    private readonly identity: TokenIdentity,
    private readonly settings: StoreSettings,
    private readonly secrets: Secrets,
  ) {
    this.#family = tokenFamilyOf(identity);
  }

  /** Returns newer tokens than the held ones, which another process may already have refreshed. */
  readonly renew: RefreshTokens = (held) => this.#withStore((store) => this.#renewOrWait(store, held));

  /** Marks an access token as refused by the service, so that no other process starts with it. */
  readonly markRefused = (accessToken: string): Promise<void> =>
    this.#withStore(async (store) => {
      const stored = await this.#load(store);
      if (stored?.accessToken === accessToken) await expireTokens(store, this.#family, stored.version);
    });

  async #withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    try {
      return await withStore(this.settings, work);
    } catch (error) {
      if (error instanceof TokenFailure) throw error;
      const cause = this.secrets.redactError(error);
      const message = `The token store cannot be used (${cause.message}). FXDESK_STORE sets its location.`;
      throw new TokenFailure(message, false, { cause });
    }
  }

  async #load(store: Store): Promise<StoredTokens | undefined> {
    const stored = await loadTokens(store, this.#family);
    this.secrets.add(stored?.accessToken);
    this.secrets.add(stored?.refreshToken);
    return stored;
  }

  async #renewOrWait(store: Store, held: HeldTokens): Promise<Tokens> {
    const startedAt = performance.now();
    for (;;) {
      const stored = await this.#load(store);
      if (stored && isUsable(stored, held)) return toTokens(stored);
      const lease = await acquireLease(store.database, `tokens ${this.#family}`, this.timeoutMs);
      if (lease) return await this.#renewLeased(store, lease, held);
      if (performance.now() - startedAt > this.timeoutMs)
        throw new TokenFailure("Timed out waiting for another process to refresh the token.", false);
      await wait(10 + Math.random() * 30);
    }
  }

  async #renewLeased(store: Store, lease: Lease, held: HeldTokens): Promise<Tokens> {
    try {
      const stored = await this.#load(store);
      return stored && isUsable(stored, held)
        ? toTokens(stored)
        : await this.#renewAndSave(store, lease, stored);
    } finally {
      // A lease that cannot be released expires.
      await lease.release().catch(() => undefined);
    }
  }

  async #renewAndSave(store: Store, lease: Lease, stored: StoredTokens | undefined): Promise<Tokens> {
    const version = stored?.version ?? 0;
    if (this.#unsaved?.version !== version)
      this.#unsaved = { version, tokens: await this.#requestTokens(lease, stored?.refreshToken) };
    const { tokens } = this.#unsaved;
    const isSaved = await saveTokens(store, this.#family, version, {
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken!,
      remainingMs: tokens.expiresAt! - Date.now(),
    });
    this.#unsaved = undefined;
    const newest = isSaved ? undefined : await this.#load(store);
    return newest ? toTokens(newest) : tokens;
  }

  /** Refreshes with the newest refresh token. If it is refused, falls back to the configured one. */
  async #requestTokens(lease: Lease, newest: string | undefined): Promise<Tokens> {
    const { root } = this.identity;
    const configured = "login" in root ? undefined : root.refreshToken;
    const refreshToken = newest || configured;
    if (!refreshToken) throw new TokenFailure("The login has expired or was logged out. Log in again.", true);
    try {
      return await this.refresh({ refreshToken });
    } catch (error) {
      const isRefused = error instanceof TokenFailure && error.isRefused;
      if (!isRefused || !configured || refreshToken === configured || !(await lease.extend())) throw error;
      return this.refresh({ refreshToken: configured });
    }
  }
}

const toTokens = ({ accessToken, refreshToken, remainingMs }: StoredTokens): Tokens => ({
  accessToken,
  refreshToken,
  expiresAt: Date.now() + remainingMs,
});
