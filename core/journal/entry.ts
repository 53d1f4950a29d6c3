/** What the journal knows of a call that commits money. */
import type { Outcome } from "../errors";
import type { StatementRunner } from "../store/database";
import type { Sealer } from "../store/sealer";

/** What a caller's key belongs to: the same key elsewhere is another one. */
export interface EntryKey {
  /** The environment by name and address, such as `sandbox https://sandbox.example.com`. */
  readonly environment: string;
  /** The client id of the service, or what else says on whose behalf the call is made. */
  readonly client: string;
  readonly operation: string;
  readonly key: string;
}

/** A call that is about to be made. */
export interface Intent extends EntryKey {
  /** SHA-256 of what the caller asked for: another call under the same key has another one. */
  readonly terms: string;
  /**
   * Whether nobody chose the key, as it is what can be used once: a call that asks for something else may have it, too, where
   * nothing was done under it.
   */
  readonly hasImplicitKey?: boolean;
  /** Where it was asked for: `client`, `cli`, `mcp`, `node-red`. */
  readonly surface: string;
  /** What the service will show again, by which the call is found later; undefined where it has none. */
  readonly reference: string | undefined;
  /** Who asked, and the call as it leaves, without credentials. Kept beside the chain: it may name persons. */
  readonly details: { readonly actor: string | undefined; readonly call: Readonly<Record<string, unknown>> };
}

/**
 * `intended`: on disk, and not on its way. `sent`: it may have left, and its end is not known yet. The rest is how it ended;
 * `unknown` until it is found or a person says what became of it.
 */
export type EntryState = "intended" | "sent" | "done" | Outcome;

/** How a call ended. */
export interface EntryOutcome {
  readonly state: "done" | Outcome;
  /** Who says so: the call itself, the search for what became of it, or a person. */
  readonly by: "call" | "recovery" | "person";
  readonly status?: number;
  readonly code?: string;
  readonly requestId?: string;
  /** What identifies what was done, such as a trade ID. */
  readonly identity?: string;
  /** Remarks, the body of the response and the like. Kept beside the chain. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** What a person can do about a call whose outcome is unknown. */
export const referenceHint = (reference: string): string => `Look for the reference ${reference}.`;

export interface Entry extends EntryKey {
  readonly id: string;
  readonly terms: string;
  readonly surface: string;
  readonly reference: string | undefined;
  readonly state: EntryState;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly begunAt: number;
  readonly changedAt: number;
  readonly ending: Omit<EntryOutcome, "details"> | undefined;
  /** Undefined once they are erased. */
  readonly intent: Intent["details"] | undefined;
  readonly endingDetails: EntryOutcome["details"] | undefined;
}

/** Refusals of who calls, before the call itself is looked at: by credentials, rights, or a limit on requests. */
const unprocessedStatuses: ReadonlySet<number | undefined> = new Set([401, 403, 429]);

/**
 * Whether the same call may be made again under its key, as nothing was done: it never left, or the service turned its
 * caller away. Any other end is final for the key.
 */
export const canRetry = ({ state, ending }: Pick<Entry, "state" | "ending">): boolean =>
  state === "not-sent" || (state === "rejected" && unprocessedStatuses.has(ending?.status));

/** Whether it is certain that nothing was done. */
export const isNotExecuted = ({ state }: Pick<Entry, "state">): boolean =>
  state === "not-sent" || state === "rejected";

/** The store while nobody else can change it, at the moment at which a call leaves. */
export interface SendTransaction {
  readonly run: StatementRunner;
  readonly sealer: Sealer;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly moment: number;
  /** The journal entry of the call. */
  readonly entry: string;
}

/** What is looked at and written in the same transaction in which a call leaves, which it does not where this throws. */
export type SendGuard = (transaction: SendTransaction) => Promise<void>;

/** Whether a call may go, decided on disk. */
export type Claim =
  /** It is this process's to make: its intent is on disk, and nobody else has it. */
  | { readonly kind: "mine"; readonly entry: Entry }
  /** Another process is making it, or was when it ended without a word: see `Journal.untilEnded`. */
  | { readonly kind: "theirs"; readonly entry: Entry }
  /** It was made before: the outcome is there. */
  | { readonly kind: "ended"; readonly entry: Entry }
  /** The key stands for another call. Nothing was written. */
  | { readonly kind: "other-terms"; readonly entry: Entry };

/**
 * The journal of one store. What it says is in force for all processes when its promise resolves, and durable; a claim is so
 * at the latest when its call leaves. It throws where that cannot be.
 */
export interface Journal {
  /** Writes the intent, unless the key is taken: see `mayRunAgain`. */
  claim(intent: Intent, holdMs: number): Promise<Claim>;
  /** Just before the head is written; throws where the claim is no longer this process's. */
  recordSent(entry: Entry, guard?: SendGuard): Promise<void>;
  /** How it ended; a second ending of the same entry is refused, but for one that follows `unknown`. */
  recordOutcome(entry: Entry, outcome: EntryOutcome): Promise<Entry>;
  get(id: string): Promise<Entry | undefined>;
  /** Newest first. */
  list(filter?: {
    readonly state?: readonly EntryState[];
    readonly limit?: number;
  }): Promise<readonly Entry[]>;
  /** Waits while another process makes the call; where that process is gone, the entry becomes `not-sent` or `unknown`. */
  waitForOutcome(id: string, signal: AbortSignal): Promise<Entry>;
  /** The other entries of the same operation, for the same client, that have the same reference. */
  listSameReference(entry: Entry): Promise<readonly Entry[]>;
  /** The entry whose call did what has an identity. */
  findByIdentity(scope: CallScope, identity: string): Promise<Entry | undefined>;
  /**
   * Takes entries that ended `unknown` and are due to be looked for, or all of them; for that long nobody else takes them.
   * Those whose process is gone end here, as with `untilEnded`.
   */
  leaseUnknown(scope: CallScope, which: "due" | "all", holdMs: number): Promise<readonly RecoveryCandidate[]>;
  /** Takes one of them, also where it is not due; undefined where it is not unknown, or somebody else looks for it. */
  leaseOne(id: string, holdMs: number): Promise<RecoveryCandidate | undefined>;
  /** What was looked for in vain is due again after that time. */
  reschedule(id: string, pauseMs: number): Promise<void>;
  /** In how many milliseconds the next entry is due; undefined where none is unknown. */
  nextRecoveryInMs(scope: CallScope): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Calls of one operation for one client: what is listed for it belongs to one of them, or was done elsewhere. */
export type CallScope = Omit<EntryKey, "key">;

/** An entry that is looked for. */
export interface RecoveryCandidate {
  readonly entry: Entry;
  /** How often it was looked for in vain. */
  readonly attempts: number;
}
