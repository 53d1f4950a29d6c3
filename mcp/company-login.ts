/** Access tokens of a company's authorization server: fxdesk is a resource server of OAuth 2.1, as MCP requires. */
import {
  createRemoteJWKSet,
  errors,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import { loadPeople } from "../core/people/people-file";
import { Requester } from "../core/people/requester";
import { isLoopback } from "../core/values/host";
import { type AuthorizedCaller, type CompanyLogin, type Scope, scopes, TokenExpired } from "./scopes";

/** Only asymmetric signatures: the published keys check tokens and must not be able to create them. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const clockToleranceSeconds = 30;
const requestTimeoutMs = 5_000;
const pauseAfterFailureMs = 10_000;

const isSafe = ({ protocol, hostname }: URL): boolean => protocol === "https:" || isLoopback(hostname);

/** Throws a TypeError for an address to which keys must not be trusted. */
function parseIssuer(text: string): URL {
  if (!URL.canParse(text) || !isSafe(new URL(text)))
    throw new TypeError(`The issuer must be an https address, not ${JSON.stringify(text)}.`);
  return new URL(text);
}

/** Returns where an authorization server describes itself (RFC 8414, OpenID Connect Discovery). */
function discoveryAddresses({ origin, pathname }: URL): string[] {
  const folder = pathname.replace(/\/$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${folder}`,
    `${origin}${folder}/.well-known/openid-configuration`,
  ];
}

async function fetchJson(address: string): Promise<Record<string, unknown>> {
  const response = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(requestTimeoutMs) });
  if (!response.ok) throw new Error(`${address} answered with ${response.status}.`);
  return (await response.json()) as Record<string, unknown>;
}

/** Headers of access tokens: RFC 9068, and servers that do not distinguish their tokens. */
const accessTokenTypes = new Set(["at+jwt", "application/at+jwt", "jwt", undefined]);

/** Claims that only ID tokens and logout tokens have. */
const claimsOfOtherTokens = ["nonce", "at_hash", "c_hash", "events"];

const isAccessToken = ({ typ }: JWTHeaderParameters, claims: JWTPayload): boolean =>
  accessTokenTypes.has(typ?.toLowerCase()) && claimsOfOtherTokens.every((claim) => !(claim in claims));

/** True if the keys could not be read, which says nothing about the token. */
const isKeyFailure = (error: unknown): boolean =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error.code === errors.JOSEError.code;

/** Returns the scopes of a token: `scope` by RFC 9068, `scp` of other servers. */
function scopesOf({ scope, scp }: JWTPayload): ReadonlySet<Scope> {
  const texts = [scope, scp].flat().filter((text) => typeof text === "string");
  const given = new Set(texts.join(" ").split(" "));
  return new Set(scopes.filter((each) => given.has(each)));
}

export class CompanyTokens {
  readonly #issuer: URL;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  /** Throws a TypeError for an issuer that is no https address. */
  constructor(
    private readonly login: CompanyLogin,
    /** Path of the people file. */
    private readonly people: string,
    /** Returns the address of the MCP endpoint. */
    private readonly resource: () => string,
  ) {
    this.#issuer = parseIssuer(login.issuer);
  }

  /** The protected-resource metadata (RFC 9728), from which hosts learn where people log in. */
  get metadata(): object {
    return {
      resource: this.resource(),
      authorization_servers: [this.login.issuer],
      scopes_supported: scopes,
      bearer_methods_supported: ["header"],
      resource_name: "fxdesk",
    };
  }

  /**
   * Returns the person whom a token names, and what it permits; undefined if the token is wrong, or the people file has no active
   * person of the name. Throws TokenExpired, and an Error if the keys or the people file cannot be read.
   */
  async verify(token: string): Promise<AuthorizedCaller | undefined> {
    const { issuer, personClaim = "sub" } = this.login;
    const audience = this.login.audience ?? this.resource();
    const keys = await this.#loadKeys();
    let claims: JWTPayload;
    let header: JWTHeaderParameters;
    try {
      const options = { issuer, audience, algorithms, clockTolerance: clockToleranceSeconds };
      ({ payload: claims, protectedHeader: header } = await jwtVerify(token, keys, {
        ...options,
        requiredClaims: ["exp", personClaim],
      }));
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new TokenExpired("The token has expired.");
      if (isKeyFailure(error)) throw error;
      return undefined;
    }
    const name = claims[personClaim];
    if (typeof name !== "string" || !isAccessToken(header, claims)) return undefined;
    const requester = Requester.ofLogin(await loadPeople(this.people), name);
    return requester && { requester, scopes: scopesOf(claims) };
  }

  /** Loads the address of the keys once; after a failure again, when the pause is over. */
  #loadKeys(): Promise<JWTVerifyGetKey> {
    return (this.#keys ??= this.#discoverKeys().catch((error: unknown) => {
      setTimeout(() => (this.#keys = undefined), pauseAfterFailureMs).unref();
      throw error;
    }));
  }

  async #discoverKeys(): Promise<JWTVerifyGetKey> {
    const failures: string[] = [];
    for (const address of discoveryAddresses(this.#issuer)) {
      let found: Record<string, unknown>;
      try {
        found = await fetchJson(address);
      } catch (error) {
        failures.push((error as Error).message);
        continue;
      }
      const { issuer, jwks_uri: keys } = found;
      if (issuer !== this.login.issuer)
        throw new Error(`${address} describes the issuer ${String(issuer)} instead of ${this.login.issuer}.`);
      if (typeof keys !== "string" || !URL.canParse(keys) || !isSafe(new URL(keys)))
        throw new Error(`${address} has no https address of its keys.`);
      return createRemoteJWKSet(new URL(keys), { timeoutDuration: requestTimeoutMs });
    }
    throw new Error(
      `The authorization server ${this.login.issuer} does not describe itself: ${failures.join(" ")}`,
    );
  }
}
