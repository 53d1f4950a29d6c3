/** What is said of one call beside its input. */
import type { DeliverFile, Progress } from "../declaration/procedure";
import type { ConfirmRelease } from "../releases/proposal";

/** The headers of the open-banking standard that describe the person or company behind a call. */
export type PsuContext = Readonly<Record<string, string>>;

/** What one call may say differently from its connection. */
export interface CallOptions {
  /** Ends the call; not one that commits money and has left, whose outcome is waited for. */
  readonly signal?: AbortSignal;
  /** Time limit over all attempts, from the moment the call may go, in milliseconds. */
  readonly timeoutMs?: number;
  /** How long the call waits for its turn before that, in milliseconds. */
  readonly queueTimeoutMs?: number;
  readonly clientId?: string;
  readonly contactId?: string;
  readonly psu?: PsuContext;
  /** X-Request-ID of an open-banking call; made when not given. */
  readonly requestId?: string;
  /**
   * Of a call that commits money: text of 1 to 200 characters that stands for this call and no other, such as the number of
   * the invoice that is paid. The same call under the same key again returns what became of the first, and nothing is sent;
   * another call under it is refused. What was not sent, or was refused before it was looked at (401, 403, 429), runs again.
   * By default it is the value of the field that can be used once, as the quote of a trade; else no call shares it.
   */
  readonly key?: string;
  /**
   * For whom the call is made, in any words, where several share a connection: while calls wait, users go in turn, so that
   * the many of one do not hold up the few of another.
   */
  readonly user?: string;
  /** Who asks, where several people share a connection: by default the actor of the connection. */
  readonly actor?: string;
  /** Where the call was asked for, as the journal has it; `client` by default. */
  readonly surface?: string;
  /**
   * `needed`: where no policy says what needs a person's release, each call that commits money does. Where one does, it
   * alone says so.
   */
  readonly release?: "needed";
  /**
   * Hears what is about to be asked for release, and says whether it is; false ends the call with `release_refused`. It releases
   * nothing, and is not asked where the release was asked for before.
   */
  readonly confirmRelease?: ConfirmRelease;
  /** JSON that is told again with the release that the call needs, where it needs one: what it was about. It is not sent. */
  readonly correlation?: unknown;
  /** Hears how far a procedure has come. */
  readonly onProgress?: (step: Progress) => void;
  /** Where the files of a procedure go: into memory by default; `intoFolder` takes them into a folder. */
  readonly deliver?: DeliverFile;
}
