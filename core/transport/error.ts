/** A request that got no whole answer. `sent` tells whether its head may have left, `status` what broke off. */
export class TransportError extends Error {
  constructor(
    override readonly cause: Error,
    readonly sent: boolean,
    readonly attempts: number,
    readonly status?: number,
  ) {
    super(cause.message);
  }
}

/** A request for which there is no time left before the service wants it. */
export class Paused extends TransportError {
  constructor(
    readonly retryAfterMs: number,
    sent: boolean,
    attempts: number,
  ) {
    const seconds = Math.ceil(retryAfterMs / 1_000);
    super(new Error(`The service asked to wait another ${seconds} s.`), sent, attempts);
  }
}
