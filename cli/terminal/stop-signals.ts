/** Signals that stop a process, and waiting for them. */
import { setTimeout as pause } from "node:timers/promises";

/** Ctrl-C, kill, and a closed terminal. */
export const stopSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Resolves at the first stop signal. Call it before printing that Ctrl-C stops the command. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of stopSignals) process.off(signal, stop);
      resolve();
    };
    for (const signal of stopSignals) process.on(signal, stop);
  });
}

/** npx forwards signals that the terminal already sent, so one Ctrl-C may arrive several times. */
const duplicateSignalMs = 100;

/** Reports stop signals to a command instead of ending the process. */
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
