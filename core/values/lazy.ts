/** A value that is loaded on first use, once. */
export class Lazy<T> {
  /** Undefined until the first use. */
  started: Promise<T> | undefined;

  constructor(private readonly load: () => Promise<T>) {}

  get(): Promise<T> {
    return (this.started ??= this.load());
  }
}
