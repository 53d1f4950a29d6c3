/** How one gets in: authorization codes, access tokens and refresh tokens. */
import { demo } from "./parties";
import type { Random } from "./random";

/** For whom a token is: the contact who logged in and the clients that contact acts for. */
export interface Grant {
  readonly contactId: string;
  readonly clientIds: readonly string[];
}

interface Issued extends Grant {
  /** Never, when not given. */
  readonly expiresAt?: Date;
}

interface Code extends Grant {
  readonly redirectUri: string;
  readonly expiresAt: Date;
}

export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Seconds. */
export const accessTokenLife = 3_600;
const codeLife = 60;
const refreshTokenLife = 28 * 86_400;
/** How many of a contact's refresh tokens are good at a time. */
const refreshTokensKept = 10;

const demoGrant: Grant = { contactId: demo.contactId, clientIds: [demo.clientId] };

const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1_000);
const isGood = ({ expiresAt }: Issued, now: Date) => !expiresAt || expiresAt > now;

export class AccessTokens {
  readonly #access = new Map<string, Issued>([[demo.accessToken, demoGrant]]);
  readonly #refresh = new Map<string, Issued>([[demo.refreshToken, demoGrant]]);
  readonly #codes = new Map<string, Code>();

  constructor(private readonly random: Random) {}

  /** Whom an access token stands for, or why it stands for nobody. */
  check(token: string, now: Date): Grant | "unknown" | "expired" {
    const issued = this.#access.get(token);
    if (!issued) return "unknown";
    return isGood(issued, now) ? issued : "expired";
  }

  /** A code that can be exchanged once. */
  issueCode(grant: Grant, redirectUri: string, now: Date): string {
    const code = this.random.hex(32);
    this.#codes.set(code, { ...grant, redirectUri, expiresAt: after(now, codeLife) });
    return code;
  }

  /** Takes a code; undefined when it is not good or was meant for another address. */
  redeemCode(code: string, redirectUri: string, now: Date): Grant | undefined {
    const known = this.#codes.get(code);
    this.#codes.delete(code);
    return known && known.redirectUri === redirectUri && isGood(known, now) ? known : undefined;
  }

  /** Whom a refresh token stands for; it stays good beside those that follow it, as long as it is among the last. */
  redeemRefreshToken(token: string, now: Date): Grant | undefined {
    const known = this.#refresh.get(token);
    return known && isGood(known, now) ? known : undefined;
  }

  issue({ contactId, clientIds }: Grant, now: Date): TokenPair {
    const pair = { accessToken: this.random.hex(40), refreshToken: this.random.hex(40) };
    this.#access.set(pair.accessToken, { contactId, clientIds, expiresAt: after(now, accessTokenLife) });
    this.#refresh.set(pair.refreshToken, { contactId, clientIds, expiresAt: after(now, refreshTokenLife) });
    const kept = [...this.#refresh].filter(
      ([, issued]) => issued.contactId === contactId && issued.expiresAt,
    );
    for (const [old] of kept.slice(0, -refreshTokensKept)) this.#refresh.delete(old);
    return pair;
  }
}
