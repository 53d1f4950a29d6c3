/** Processes that book, each of which may be killed at any moment and is replaced by another. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** How a worker's call ended, as it heard of it. */
export interface Answer {
  readonly outcome: "done" | "not-sent" | "rejected" | "unknown" | "broken";
  readonly identity?: string;
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
}

export interface Wish {
  readonly input: Readonly<Record<string, unknown>>;
  readonly key?: string;
}

interface Asked extends Wish {
  readonly id: number;
  readonly resolve: (answer: Answer) => void;
}

/** One place at which a process works; what it was asked when it was killed is asked again of the next. */
export class Worker {
  /** Lines of what was found in the background. */
  readonly lines: string[] = [];
  kills = 0;
  readonly #asked = new Map<number, Asked>();
  #count = 0;
  #process: ChildProcess;
  #isReady = false;
  #isClosed = false;

  constructor(private readonly environment: Readonly<Record<string, string | undefined>>) {
    this.#process = this.#start();
  }

  ask(wish: Wish): Promise<Answer> {
    return new Promise((resolve) => {
      const asked = { ...wish, id: (this.#count += 1), resolve };
      this.#asked.set(asked.id, asked);
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
    child.on("message", (message: Answer & { id?: number; ready?: true; line?: string }) => {
      if (message.line !== undefined) this.lines.push(message.line);
      else if (message.ready) this.#begin();
      else this.#answered(message.id!, message);
    });
    child.once("exit", () => {
      this.#isReady = false;
      if (!this.#isClosed) this.#process = this.#start();
    });
    return child;
  }

  #begin(): void {
    this.#isReady = true;
    for (const asked of this.#asked.values()) this.#send(asked);
  }

  #send({ id, input, key }: Asked): void {
    // One that is dying does not take it: the next one is sent it again.
    this.#process.send({ id, input, key }, () => undefined);
  }

  #answered(id: number, answer: Answer): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    asked?.resolve(answer);
  }
}
