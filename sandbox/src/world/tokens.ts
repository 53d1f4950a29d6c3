/** The access tokens in use. */

export interface AccessToken {
  readonly token: string;
  /** The clients it is valid for. */
  readonly clientIds: readonly string[];
  /** Never, when not given. */
  readonly expiresAt?: Date;
}

export class AccessTokens {
  readonly #tokens = new Map<string, AccessToken>();

  add(token: AccessToken): void {
    this.#tokens.set(token.token, token);
  }

  find(token: string): AccessToken | undefined {
    return this.#tokens.get(token);
  }
}
