/** Callers over HTTP: who they are, what their token permits, and which tools they have. */
import type { Requester } from "../core/people/requester";
import type { AllowableEffect } from "./offered-tools";
import type { Toolbox } from "./protocol";

export const scopes = ["read", "change", "money"] as const;

export type Scope = (typeof scopes)[number];

/** The authorization server of a company, whose access tokens people may send instead of personal tokens. */
export interface CompanyLogin {
  /** Its address, as in `iss` of its tokens. */
  readonly issuer: string;
  /** `aud` of the tokens. Default: the address of the MCP endpoint. */
  readonly audience?: string | undefined;
  /** Claim with the name that the person has in the people file. Default: `sub`. */
  readonly personClaim?: string | undefined;
}

/** An authorized caller: a person, or undefined for the token of the server. */
export interface AuthorizedCaller {
  readonly requester: Requester | undefined;
  /** What the token permits, if it is one of a company's authorization server. */
  readonly scopes?: ReadonlySet<Scope>;
}

/** The token has expired but is otherwise valid, so it is not a failed attempt: the host renews it. */
export class TokenExpired extends Error {}

/** The toolbox of a server, and smaller ones for callers who may not use all effects. */
export class ScopedToolboxes {
  readonly all: readonly Toolbox[];
  readonly #restricted: ReadonlyMap<string, Toolbox>;

  constructor(
    private readonly full: Toolbox,
    private readonly allow: readonly AllowableEffect[] = [],
    create?: (allow: readonly AllowableEffect[]) => Toolbox,
  ) {
    // There are two effects at most, so these are all parts.
    const parts = [[], ...allow.map((effect) => [effect])].filter(({ length }) => length < allow.length);
    this.#restricted = new Map(create ? parts.map((part) => [part.join(), create(part)]) : []);
    this.all = [full, ...this.#restricted.values()];
  }

  /** Returns the tools of a caller. A caller without scopes may use all. */
  for(granted: ReadonlySet<Scope> | undefined): Toolbox {
    const allow = this.allow.filter((effect) => !granted || granted.has(effect));
    return allow.length === this.allow.length ? this.full : this.#restricted.get(allow.join())!;
  }
}
