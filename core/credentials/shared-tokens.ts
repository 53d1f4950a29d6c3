/**
 * Tokens that all processes share: the store holds the newest pair, one process at a time asks for the next, and each goes on
 * where the last one stopped.
 */
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

/** Whose tokens they are: rotated ones follow from the refresh token that was configured, or from a login. */
export interface TokenIdentity {
  readonly environment: string;
  /** Address of the token endpoint. */
  readonly endpoint: string;
  readonly clientId: string;
  readonly root: { readonly refreshToken: string } | LoginRoot;
}

/** A login whose tokens are in the store from its beginning, and are good nowhere else. */
export interface LoginRoot {
  readonly login: string;
  /** The addresses to which its access tokens are sent. */
  readonly origins: readonly string[];
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

/** The name in the store of the tokens that follow from one root. */
export const tokenFamilyOf = ({ environment, endpoint, clientId, root }: TokenIdentity): string => {
  const rootParts = "login" in root ? [root.login, ...root.origins] : [hash(root.refreshToken)];
  return hash(JSON.stringify([environment, endpoint, clientId, ...rootParts]));
};

/** Whether it is good for a while, and not the one that somebody holds and cannot use. */
const isUsable = ({ accessToken, lifetimeMs, remainingMs }: StoredTokens, held: HeldTokens) =>
  accessToken !== held.accessToken && remainingMs > renewalMarginMs(lifetimeMs);

export class SharedTokens {
  readonly #family: string;
  /** Renewed, and lost with the process: the store could not take them so far. They follow the version. */
  #unsaved: { readonly tokens: Tokens; readonly version: number } | undefined;

  constructor(
    /** Asks the token endpoint, which has `timeoutMs` to respond. */
    private readonly refresh: RefreshTokens,
    private readonly timeoutMs: number,
    private readonly identity: TokenIdentity,
    private readonly settings: StoreSettings,
    private readonly secrets: Secrets,
  ) {
    this.#family = tokenFamilyOf(identity);
  }

  /** The tokens that follow those that somebody holds: another process may have renewed them. */
  readonly renew: RefreshTokens = (held) => this.#withStore((store) => this.#renewOrWait(store, held));

  /** The service refused this access token: no other process shall begin with it. */
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
      const message = `The store of tokens cannot be used (${cause.message}). FXDESK_STORE says where it is.`;
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
        throw new TokenFailure("Another process renews the tokens, and has not come to an end.", false);
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
      // It ends by itself where it cannot be given back.
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

  /** Where the newest refresh token is refused, the configured one may be good: nothing that is known is better. */
  async #requestTokens(lease: Lease, newest: string | undefined): Promise<Tokens> {
    const { root } = this.identity;
    const configured = "login" in root ? undefined : root.refreshToken;
    const refreshToken = newest || configured;
    if (!refreshToken) throw new TokenFailure("The login has ended, or is forgotten. Log in again.", true);
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
