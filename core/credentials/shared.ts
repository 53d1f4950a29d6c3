/**
 * Tokens that all processes share: the store holds the newest pair, one process at a time asks for the next, and each goes on
 * where the last one stopped.
 */
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { acquireLease, type Lease } from "../store/lease";
import { type Store, withStore } from "../store/open";
import type { StoreSettings } from "../store/settings";
import { expireTokens, type KeptTokens, loadTokens, saveTokens } from "../store/tokens";
import type { Secrets } from "./secrets";
import { type Pair, type Refresh, renewBefore, TokenFailure, type Tokens } from "./tokens";

/** Whose tokens they are: rotated ones follow from the refresh token that was configured, or from a login. */
export interface Identity {
  readonly environment: string;
  /** Address of the token endpoint. */
  readonly endpoint: string;
  readonly clientId: string;
  readonly root: { readonly refreshToken: string } | KeptLogin;
}

/** A login whose tokens are in the store from its beginning, and are good nowhere else. */
export interface KeptLogin {
  readonly login: string;
  /** The addresses to which its access tokens are sent. */
  readonly origins: readonly string[];
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

/** The name in the store of the tokens that follow from one root. */
export const familyOf = ({ environment, endpoint, clientId, root }: Identity): string => {
  const begun = "login" in root ? [root.login, ...root.origins] : [hash(root.refreshToken)];
  return hash(JSON.stringify([environment, endpoint, clientId, ...begun]));
};

/** Whether it is good for a while, and not the one that somebody holds and cannot use. */
const isUsable = ({ accessToken, lifeMs, remainingMs }: KeptTokens, held: Pair) =>
  accessToken !== held.accessToken && remainingMs > renewBefore(lifeMs);

export class SharedTokens {
  readonly #family: string;
  /** Renewed, and lost with the process: the store could not take them so far. They follow the version. */
  #unsaved: { readonly tokens: Tokens; readonly version: number } | undefined;

  constructor(
    /** Asks the token endpoint, which has `timeoutMs` to respond. */
    private readonly ask: Refresh,
    private readonly timeoutMs: number,
    private readonly identity: Identity,
    private readonly settings: StoreSettings,
    private readonly secrets: Secrets,
  ) {
    this.#family = familyOf(identity);
  }

  /** The tokens that follow those that somebody holds: another process may have renewed them. */
  readonly renew: Refresh = (held) => this.#using((store) => this.#inTurn(store, held));

  /** The service refused this access token: no other process shall begin with it. */
  readonly refused = (accessToken: string): Promise<void> =>
    this.#using(async (store) => {
      const kept = await this.#load(store);
      if (kept?.accessToken === accessToken) await expireTokens(store, this.#family, kept.version);
    });

  async #using<T>(work: (store: Store) => Promise<T>): Promise<T> {
    try {
      return await withStore(this.settings, work);
    } catch (error) {
      if (error instanceof TokenFailure) throw error;
      const cause = this.secrets.redactError(error);
      const message = `The store of tokens cannot be used (${cause.message}). FXDESK_STORE says where it is.`;
      throw new TokenFailure(message, false, { cause });
    }
  }

  async #load(store: Store): Promise<KeptTokens | undefined> {
    const kept = await loadTokens(store, this.#family);
    this.secrets.add(kept?.accessToken);
    this.secrets.add(kept?.refreshToken);
    return kept;
  }

  async #inTurn(store: Store, held: Pair): Promise<Tokens> {
    const begun = performance.now();
    for (;;) {
      const kept = await this.#load(store);
      if (kept && isUsable(kept, held)) return tokensOf(kept);
      const lease = await acquireLease(store.database, `tokens ${this.#family}`, this.timeoutMs);
      if (lease) return await this.#alone(store, lease, held);
      if (performance.now() - begun > this.timeoutMs)
        throw new TokenFailure("Another process renews the tokens, and has not come to an end.", false);
      await wait(10 + Math.random() * 30);
    }
  }

  async #alone(store: Store, lease: Lease, held: Pair): Promise<Tokens> {
    try {
      const kept = await this.#load(store);
      return kept && isUsable(kept, held) ? tokensOf(kept) : await this.#renewed(store, lease, kept);
    } finally {
      // It ends by itself where it cannot be given back.
      await lease.release().catch(() => undefined);
    }
  }

  async #renewed(store: Store, lease: Lease, kept: KeptTokens | undefined): Promise<Tokens> {
    const version = kept?.version ?? 0;
    if (this.#unsaved?.version !== version)
      this.#unsaved = { version, tokens: await this.#asked(lease, kept?.refreshToken) };
    const { tokens } = this.#unsaved;
    const isSaved = await saveTokens(store, this.#family, version, {
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken!,
      remainingMs: tokens.expiresAt! - Date.now(),
    });
    this.#unsaved = undefined;
    const newest = isSaved ? undefined : await this.#load(store);
    return newest ? tokensOf(newest) : tokens;
  }

  /** Where the newest refresh token is refused, the configured one may be good: nothing that is known is better. */
  async #asked(lease: Lease, newest: string | undefined): Promise<Tokens> {
    const { root } = this.identity;
    const configured = "login" in root ? undefined : root.refreshToken;
    const refreshToken = newest || configured;
    if (!refreshToken) throw new TokenFailure("The login has ended, or is forgotten. Log in again.", true);
    try {
      return await this.ask({ refreshToken });
    } catch (error) {
      const isRefused = error instanceof TokenFailure && error.refused;
      if (!isRefused || !configured || refreshToken === configured || !(await lease.extend())) throw error;
      return this.ask({ refreshToken: configured });
    }
  }
}

const tokensOf = ({ accessToken, refreshToken, remainingMs }: KeptTokens): Tokens => ({
  accessToken,
  refreshToken,
  expiresAt: Date.now() + remainingMs,
});
