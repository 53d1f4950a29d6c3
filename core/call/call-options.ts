/** Options of a single call. */
import type { Requester } from "../people/requester";
import type { DeliverFile, Progress } from "../spec/procedure";

/**
 * Open-banking headers that describe the payment service user on whose behalf the call is made, by header name, for
 * example `{ "PSU-IP-Address": "192.0.2.1" }`.
 */
export type PsuContext = Readonly<Record<string, string>>;

/** A list among the terms of a request, such as the payments of a bulk payment. */
export interface TermsTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The terms of a request in words, the same on every surface. */
export interface TermsDescription {
  /** What is requested, for example “Sell 250,000 EUR, get USD”. */
  readonly title: string;
  /** Rate limit of an order; number and total of payments. */
  readonly summary: string;
  /** Terms by title, in declared order. Texts are complete and unrounded. */
  readonly facts: readonly (readonly [title: string, text: string])[];
  readonly tables: readonly TermsTable[];
}

/** A release request before it is stored, for a final confirmation by the requester. */
export interface ReleaseProposal {
  readonly operation: string;
  /** Name and address of the environment. */
  readonly environment: string;
  readonly client: string;
  /** The order, or the encoded request. */
  readonly terms: Readonly<Record<string, unknown>>;
  readonly description: TermsDescription;
  /** Milliseconds since 1970. Nothing is sent after this time. */
  readonly validUntil: number;
  /** Required approvals, for example "release by anna or bert". */
  readonly needs: string;
  /** Hash of the caller's input: equal for the same request of the same person. */
  readonly requestHash: string;
}

/** Confirms that release is requested. If it resolves to false, the call ends and nothing is stored. */
export type ConfirmRelease = (proposal: ReleaseProposal) => Promise<boolean>;

/** Comparison of a call with earlier calls. */
export interface Comparison {
  /** Name of the procedure that compares the call again before it is sent. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** IDs of the journal entries and releases that may repeat the call, as far as they were known then. */
  readonly known: readonly string[];
}

/** Options of a single call. They override the settings of the client. */
export interface CallOptions {
  /**
   * Aborts the call, which then fails with `Aborted`. A call that commits money and was sent is not aborted: it is finished
   * within its time limit and returns its true outcome.
   */
  readonly signal?: AbortSignal;
  /** Time limit over all attempts in milliseconds, from the moment the rate limiter admits the call. Default: that of the client. */
  readonly timeoutMs?: number;
  /** Longest wait for the rate limiter in milliseconds, before `timeoutMs` starts. Default: that of the client. */
  readonly queueTimeoutMs?: number;
  /** Client ID for this call. Default: that of the client. */
  readonly clientId?: string;
  /** Contact ID for this call. Default: that of the client. */
  readonly contactId?: string;
  /** Open-banking headers that describe the user behind this call. */
  readonly psu?: PsuContext;
  /** X-Request-ID of an open-banking call. Generated if omitted. */
  readonly requestId?: string;
  /**
   * Idempotency key of a call that commits money: 1 to 200 characters that identify this one call, for example the number of
   * the invoice to pay. Repeating the call under its key returns the recorded outcome and sends nothing; a different call
   * under the key fails with `Conflict`. A call that was not sent, or was refused with 401, 403 or 429, runs again.
   *
   * Default: the value of the single-use field, for example the quote of a trade; calls without one get a unique key.
   */
  readonly key?: string;
  /**
   * Name of the user the call is made for, if several share a client. Waiting calls are scheduled round-robin by user, so that
   * one user's many calls do not delay the few of another.
   */
  readonly user?: string;
  /**
   * Name recorded in the journal, if several people share a client. Default: the actor of the client. Where a policy applies, it
   * must be that of the authenticated requester.
   */
  readonly actor?: string;
  /** Requester that a surface of fxdesk has authenticated, if several share a client. Default: that of the client. */
  readonly requester?: Requester | undefined;
  /** Surface that made the call, as recorded in the journal. Default: `client`. */
  readonly surface?: string;
  /**
   * Set to `needed` to require the release of one other person for each call that commits money, unless a rule of the policy
   * matches the call.
   */
  readonly release?: "needed";
  /**
   * Called with the proposal before a release is requested. Return false to stop: the call then fails with `release_refused`.
   * Returning true only requests the release; it does not grant it. Not called if the release was requested before.
   */
  readonly confirmRelease?: ConfirmRelease;
  /** What people must know before they release the call: shown with its terms and sealed with them. Not sent to the service. */
  readonly warnings?: readonly string[];
  /** Comparison of the call by its procedure. If it waits for release, it is compared again before it is sent. Not sent to the service. */
  readonly compared?: Comparison;
  /** JSON stored with the release request, if one is needed, and returned with it. Not sent to the service. */
  readonly correlation?: unknown;
  /** Called with the progress of a procedure. */
  readonly onProgress?: (step: Progress) => void;
  /** Destination of the files a procedure produces. Default: memory; `intoFolder(path)` writes them to a folder. */
  readonly deliver?: DeliverFile;
}
