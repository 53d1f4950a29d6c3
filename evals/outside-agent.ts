/** Runs an agent that is a command and speaks MCP with a server of its own, over standard input and output. */
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Agent } from "./run";
import type { Message } from "./session";

/** Names the file with the configuration of the server for the agent. */
const serverVariable = "FXDESK_EVALS_SERVER";
const timeLimitMs = 600_000;

function parseAnswer(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

/** Creates an agent from a shell command, which reads the task on standard input; its last line of output is the answer. */
export const outsideAgent =
  (command: string): Agent =>
  async ({ text: task, desk, offered: { toolsets, allow } }) => {
    const [server, record] = [join(desk.folder, "server.json"), join(desk.folder, "session.jsonl")];
    const flags = ["--toolsets", toolsets.join(), ...allow.flatMap((effect) => ["--allow", effect])];
    const fxdesk = {
      command: process.execPath,
      args: [join(__dirname, "relay.js"), record, ...flags],
      env: desk.variables(),
    };
    await writeFile(server, JSON.stringify({ mcpServers: { fxdesk } }), { mode: 0o600 });
    await writeFile(record, "");
    const child = spawn(command, {
      shell: true,
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, [serverVariable]: server },
      timeout: timeLimitMs,
    });
    child.stdin.on("error", () => undefined).end(task);
    const output = await text(child.stdout);
    const lines = (await readFile(record, "utf8")).split("\n").filter(Boolean);
    return {
      answer: parseAnswer(output.trimEnd().split("\n").at(-1)!),
      messages: lines.map((line) => JSON.parse(line) as Message),
    };
  };
