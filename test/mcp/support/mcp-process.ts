/** A process of `fxdesk mcp`, called with plain JSON-RPC. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { fxdeskMcp } from "./clients";

/** The first message of a host. */
export const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

export const toolCall = (id: number, name: string, args: Record<string, unknown>) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

export const cancelRequest = (requestId: number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

export class McpProcess {
  readonly process: ChildProcessWithoutNullStreams;
  out = "";
  err = "";
  /** The exit code, or the signal that ended the process. */
  readonly exit: Promise<number | string>;
  readonly #events = new EventEmitter();

  constructor(args: readonly string[], env: Record<string, string>) {
    const { command, args: all, env: its } = fxdeskMcp(args, env);
    this.process = spawn(command, all, { env: its });
    this.process.stdin.on("error", () => undefined);
    this.process.stdout.setEncoding("utf8").on("data", (chunk: string) => this.#append("out", chunk));
    this.process.stderr.setEncoding("utf8").on("data", (chunk: string) => this.#append("err", chunk));
    this.exit = new Promise((resolve) =>
      this.process.on("close", (code, signal) => resolve(code ?? signal!)),
    );
    void this.exit.then(() => this.#events.emit("change"));
  }

  /** Writes messages to standard input. */
  send(...messages: readonly object[]): void {
    for (const message of messages) this.process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async initialized(): Promise<this> {
    this.send(initialize, { jsonrpc: "2.0", method: "notifications/initialized" });
    await this.until(() => this.out.includes("serverInfo"));
    return this;
  }

  /** Waits until a condition on the output is true. Throws if the process exits first. */
  async until(enough: () => boolean): Promise<void> {
    while (!enough()) {
      const ended = this.process.exitCode !== null || this.process.signalCode !== null;
      if (ended && this.process.stderr.closed) throw new Error(`It ended, and said: ${this.out}${this.err}`);
      await once(this.#events, "change");
    }
  }

  /** The lines of the log. */
  log(): string[] {
    return this.err.split("\n").filter((line) => line.startsWith("fxdesk: "));
  }

  /** Returns the text of the result of a call, or undefined before it arrives. */
  result(id: number): string | undefined {
    const messages = this.out.split("\n").filter(Boolean);
    const found = messages
      .map((line) => JSON.parse(line) as { id?: number; result?: { content: { text: string }[] } })
      .find((message) => message.id === id);
    return found?.result?.content[0]!.text;
  }

  #append(stream: "out" | "err", chunk: string): void {
    this[stream] += chunk;
    this.#events.emit("change");
  }
}
