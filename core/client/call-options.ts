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
}
