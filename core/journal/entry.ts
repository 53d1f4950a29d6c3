/** The model of the journal: entries, intents, outcomes and claims. */
import type { Outcome } from "../spec/errors";
import type { CallScope } from "../store/call-scope";

/** Identifies an entry. The same caller's key with another client or operation is another entry. */
export interface EntryKey extends CallScope {
  readonly key: string;
}

/** A money call about to be sent. */
export interface Intent extends EntryKey {
  /** SHA-256 of the caller's input. Detects a key that is reused for another call. */
  readonly terms: string;
  /**
   * True if the key was derived from a single-use field, not chosen by the caller. A call with other terms may then reuse the
   * key if the earlier call was certainly not carried out.
   */
  readonly hasImplicitKey?: boolean;
  /** Surface of the caller: `client`, `cli`, `mcp` or `node-red`. */
  readonly surface: string;
  /** Reference that the service lists again, by which recovery finds the call. Undefined if the operation has none. */
  readonly reference: string | undefined;
  /** Value of the single-use field, which no other call may use. Undefined if the operation has none. */
  readonly singleUse?: string | undefined;
  /** The caller and the encoded request without credentials. Stored outside the hash chain: it may contain personal data. */
  readonly details: { readonly actor: string | undefined; readonly call: Readonly<Record<string, unknown>> };
}

/**
 * `intended`: stored, not sent. `sent`: bytes may have been written, no outcome yet. The other states are outcomes; `unknown`
 * lasts until recovery finds the call or a person resolves it.
 */
export type EntryState = "intended" | "sent" | "done" | Outcome;

/** The outcome of a call, as recorded. */
export interface EntryOutcome {
  readonly state: "done" | Outcome;
  /** Source of the outcome: the call itself, recovery, or a person who resolved the entry. */
  readonly by: "call" | "recovery" | "person";
  readonly status?: number;
  readonly code?: string;
  readonly requestId?: string;
  /** Identifier of the created resource, for example a trade ID. */
  readonly identity?: string;
  /** Remark, response body and similar. Stored outside the hash chain. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Returns the advice for a person on how to resolve a call whose outcome is unknown. */
export const referenceHint = (reference: string): string =>
  `Search the service for the reference ${reference}.`;

export interface Entry extends EntryKey {
  readonly id: string;
  readonly terms: string;
  readonly surface: string;
  readonly reference: string | undefined;
  readonly singleUse?: string | undefined;
  readonly state: EntryState;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly begunAt: number;
  readonly changedAt: number;
  readonly ending: Omit<EntryOutcome, "details"> | undefined;
  /** Undefined once erased. */
  readonly intent: Intent["details"] | undefined;
  readonly endingDetails: EntryOutcome["details"] | undefined;
}

/** Statuses that reject the caller (credentials, permissions, rate limit) before the service processes the request. */
const unprocessedStatuses: ReadonlySet<number | undefined> = new Set([401, 403, 429]);

/**
 * True if the call may be sent again under its key: it was not sent, or the service rejected the caller before processing the
 * request. Every other outcome is final for the key.
 */
export const canRetry = ({ state, ending }: Pick<Entry, "state" | "ending">): boolean =>
  state === "not-sent" || (state === "rejected" && unprocessedStatuses.has(ending?.status));

/** True if the call was certainly not carried out. */
export const isNotExecuted = ({ state }: Pick<Entry, "state">): boolean =>
  state === "not-sent" || state === "rejected";

/** Result of claiming a key: decides whether this process may send the call. */
export type Claim =
  /**
   * This process may send the call. The intent is stored and no other process holds the claim. `uncheckedSince`: look the call up
   * first, because it may have been made since then; see `uncheckedSince`.
   */
  | { readonly kind: "mine"; readonly entry: Entry; readonly uncheckedSince?: number | undefined }
  /** Another process holds the claim; it may have died. See `Journal.waitForOutcome`. */
  | { readonly kind: "theirs"; readonly entry: Entry }
  /** The call was made before and its outcome is recorded. */
  | { readonly kind: "ended"; readonly entry: Entry }
  /** The key belongs to a call with other terms. Nothing was written. */
  | { readonly kind: "other-terms"; readonly entry: Entry };

/** An entry leased for recovery. */
export interface RecoveryCandidate {
  readonly entry: Entry;
  /** Number of earlier searches without result. */
  readonly attempts: number;
}
