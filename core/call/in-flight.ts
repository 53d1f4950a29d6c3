/** Calls in progress, including files that are still being received. `close` waits for them. */
import { createError } from "../spec/errors";
import { ReceivedFile } from "./received-file";
import type { ServiceResponse } from "./response";

const unreadFileError = (operation: string) =>
  createError(
    operation,
    "aborted",
    "unknown",
    `${operation}: The client was closed before the file was read.`,
    {
      attempts: 1,
    },
  );

export class InFlight {
  #count = 0;
  #idleWaiters: (() => void)[] = [];
  readonly #openFiles = new Set<ReceivedFile>();

  /** Counts a call until it ends; if its response is a file, until that is received. */
  async track(call: () => Promise<ServiceResponse>): Promise<ServiceResponse> {
    this.#count += 1;
    try {
      const response = await call();
      if (response.body instanceof ReceivedFile) this.#trackFile(response.body);
      return response;
    } finally {
      this.#end();
    }
  }

  /** Abandons files of which no byte was read, and waits for everything else. */
  async whenIdle(): Promise<void> {
    for (const { stream, operation } of this.#openFiles)
      if (!stream.readableDidRead) stream.destroy(unreadFileError(operation));
    if (this.#count > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  #trackFile(file: ReceivedFile): void {
    const { stream } = file;
    if (stream.closed) return;
    this.#count += 1;
    this.#openFiles.add(file);
    stream.once("close", () => {
      this.#openFiles.delete(file);
      this.#end();
    });
  }

  #end(): void {
    this.#count -= 1;
    if (this.#count === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
