/** A request without a complete response. */
export class TransportError extends Error {
  constructor(
    override readonly cause: Error,
    /** True if any byte of the request may have been written. */
    readonly sent: boolean,
    /** Status, if the response was interrupted after it. */
    readonly status?: number,
  ) {
    super(cause.message);
  }
}

/** The connection failed, and fails again until a setting of the network is corrected. Nothing was sent. */
export class NetworkMisconfigured extends Error {}

/** The service requested a pause that exceeds the call's time limit. Nothing was sent. */
export class PauseTooLong extends Error {
  constructor(readonly retryAfterMs: number) {
    super(`The service requested a pause of another ${Math.ceil(retryAfterMs / 1_000)} s.`);
  }
}

/** The queue is full. Nothing was sent. */
export class QueueFull extends Error {
  constructor(waitingCount: number) {
    super(`The queue is full: ${waitingCount} calls are waiting.`);
  }
}

/** The response exceeds the size limit. */
export class ResponseTooLarge extends Error {}

/** The file may be incomplete. */
export class IncompleteFile extends Error {}

/** Returns the message of an error; of an AggregateError (one per address of a host) the first message. */
export function errorText(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return (first ?? error).message || (error as NodeJS.ErrnoException).code || error.name;
}
