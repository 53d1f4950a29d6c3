/** Signals that stop a process, and waiting for them. */
import { setTimeout as pause } from "node:timers/promises";

/** Ctrl-C, kill, and a closed terminal. */
const stopSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

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
  waitForDuplicates(): Promise<void> {
    return pause(duplicateSignalMs);
  }

  /** Restores the default handling of signals. */
  dispose(): void {
    for (const signal of stopSignals) process.off(signal, this.#onSignal);
  }
}

/** Resolves at the first stop signal. Call it before printing that Ctrl-C stops the command. */
export async function untilStopped(): Promise<void> {
  const stopRequests = new StopRequests();
  await stopRequests.next();
  stopRequests.dispose();
}
