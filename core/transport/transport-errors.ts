/** A request that got no whole response. */
export class TransportError extends Error {
  constructor(
    override readonly cause: Error,
    /** Whether the head of the request may have left this machine. */
    readonly sent: boolean,
    /** The status, where the response broke off after it. */
    readonly status?: number,
  ) {
    super(cause.message);
  }
}

/** A request for which there is no time left before the service wants it. Nothing was sent. */
export class PauseTooLong extends Error {
  constructor(readonly retryAfterMs: number) {
    super(`The service asked to wait another ${Math.ceil(retryAfterMs / 1_000)} s.`);
  }
}

/** A request for which too many others wait already. Nothing was sent. */
export class QueueFull extends Error {
  constructor(waitingCount: number) {
    super(`Too many calls wait for their turn (${waitingCount}).`);
  }
}

/** A response larger than what is read. */
export class ResponseTooLarge extends Error {}

/** A file of which nobody can tell whether it is whole. */
export class IncompleteFile extends Error {}

/** A connection is refused at every address of a name: then the first refusal says enough. */
export function errorText(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return (first ?? error).message || (error as NodeJS.ErrnoException).code || error.name;
}
