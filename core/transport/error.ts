/** A request that got no answer. `sent` tells whether its head may have left. */
export class TransportError extends Error {
  constructor(
    override readonly cause: Error,
    readonly sent: boolean,
    readonly attempts: number,
  ) {
    super(cause.message);
  }
}
