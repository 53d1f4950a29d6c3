/** The signals with which a person or the system stops a process, heard instead of obeyed. */
import { setTimeout as pause } from "node:timers/promises";
import { stopSignals } from "../until-stopped";

/** One wish to stop may come as several signals: npx passes on what the terminal has sent already. */
const duplicateSignalMs = 100;

export class StopRequests {
  #resolveNext: () => void = () => undefined;
  readonly #onSignal = () => this.#resolveNext();

  constructor() {
    for (const signal of stopSignals) process.on(signal, this.#onSignal);
  }

  /** The next wish to stop, from now on. */
  next(): Promise<void> {
    return new Promise((resolve) => (this.#resolveNext = resolve));
  }

  /** Waits until a signal would be another wish. */
  async waitForDuplicates(): Promise<void> {
    await pause(duplicateSignalMs);
  }

  /** From now on signals are obeyed again. */
  dispose(): void {
    for (const signal of stopSignals) process.off(signal, this.#onSignal);
  }
}
