/** With these a person (Ctrl-C, a closed terminal) or the system asks a process to stop. */
export const stopSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Resolves when the process is asked to stop. Call it before saying that it can be asked: it listens from then on. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of stopSignals) process.off(signal, stop);
      resolve();
    };
    for (const signal of stopSignals) process.on(signal, stop);
  });
}
