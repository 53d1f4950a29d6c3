/** Reports stop signals to a command instead of ending the process. */
import { setTimeout as pause } from "node:timers/promises";
import { stopSignals } from "./stop-signals";

/** npx forwards signals that the terminal already sent, so one Ctrl-C may arrive several times. */
const duplicateSignalMs = 100;

export class StopRequests {
  #resolveNext: () => void = () => undefined;
  readonly #onSignal = () => this.#resolveNext();

  constructor() {
    for (const signal of stopSignals) process.on(signal, this.#onSignal);
  }

  /** Resolves at the next stop signal. */
  next(): Promise<void> {
    return new Promise((resolve) => (this.#resolveNext = resolve));
  }

  /** Waits until duplicates of the last signal have arrived. */
  async waitForDuplicates(): Promise<void> {
    await pause(duplicateSignalMs);
  }

  /** Restores the default handling of signals. */
  dispose(): void {
    for (const signal of stopSignals) process.off(signal, this.#onSignal);
  }
}
