/** The signals with which a person or the system stops a process, heard instead of obeyed. */
import { setTimeout as pause } from "node:timers/promises";
import { stopSignals } from "../until-stopped";

/** One wish to stop may come as several signals: npx passes on what the terminal has sent already. */
const oneWishMs = 100;

export class StopRequests {
  #heard: () => void = () => undefined;
  readonly #onSignal = () => this.#heard();

  constructor() {
    for (const signal of stopSignals) process.on(signal, this.#onSignal);
  }

  /** The next wish to stop, from now on. */
  next(): Promise<void> {
    return new Promise((resolve) => (this.#heard = resolve));
  }

  /** Waits until a signal would be another wish. */
  async settled(): Promise<void> {
    await pause(oneWishMs);
  }

  /** From now on signals are obeyed again. */
  release(): void {
    for (const signal of stopSignals) process.off(signal, this.#onSignal);
  }
}
