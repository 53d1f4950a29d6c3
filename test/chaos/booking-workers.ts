/** Worker processes that book trades; a killed one is replaced. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Result of a call as its worker reports it. */
export interface WorkerResult {
  readonly outcome: "done" | "not-sent" | "rejected" | "unknown" | "broken";
  readonly identity?: string;
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
}

export interface BookingRequest {
  readonly input: Readonly<Record<string, unknown>>;
  readonly key?: string;
}

interface PendingRequest extends BookingRequest {
  readonly id: number;
  readonly resolve: (answer: WorkerResult) => void;
}

/** A worker slot. Calls that were pending when its process was killed are repeated in the next process. */
export class Worker {
  /** Lines about calls that were recovered in the background. */
  readonly lines: string[] = [];
  kills = 0;
  readonly #pending = new Map<number, PendingRequest>();
  #count = 0;
  #process: ChildProcess;
  #isReady = false;
  #isClosed = false;

  constructor(private readonly environment: Readonly<Record<string, string | undefined>>) {
    this.#process = this.#start();
  }

  book(request: BookingRequest): Promise<WorkerResult> {
    return new Promise((resolve) => {
      const asked = { ...request, id: (this.#count += 1), resolve };
      this.#pending.set(asked.id, asked);
      if (this.#isReady) this.#send(asked);
    });
  }

  kill(): void {
    if (!this.#isReady) return;
    this.kills += 1;
    this.#isReady = false;
    this.#process.kill("SIGKILL");
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }

  #start(): ChildProcess {
    const child = fork(join(__dirname, "worker.cjs"), { env: this.environment, stdio: "inherit" });
    child.on("message", (message: WorkerResult & { id?: number; ready?: true; line?: string }) => {
      if (message.line !== undefined) this.lines.push(message.line);
      else if (message.ready) this.#markReady();
      else this.#resolve(message.id!, message);
    });
    child.once("exit", () => {
      this.#isReady = false;
      if (!this.#isClosed) this.#process = this.#start();
    });
    return child;
  }

  #markReady(): void {
    this.#isReady = true;
    for (const asked of this.#pending.values()) this.#send(asked);
  }

  #send({ id, input, key }: PendingRequest): void {
    // A dying process does not receive it; the next process gets it again.
    this.#process.send({ id, input, key }, () => undefined);
  }

  #resolve(id: number, answer: WorkerResult): void {
    const asked = this.#pending.get(id);
    this.#pending.delete(id);
    asked?.resolve(answer);
  }
}
