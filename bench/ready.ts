/** Measures the start of a process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** Starts a script and stops it at the first line of output that contains `text`; returns the milliseconds until then. */
export async function msUntilReady(
  script: string,
  args: readonly string[],
  text: string,
  input = "",
): Promise<number> {
  const begin = performance.now();
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(child, "exit");
  child.stdin.write(input);
  try {
    for await (const line of createInterface({ input: child.stdout }))
      if (line.includes(text)) return performance.now() - begin;
    throw new Error(`${script} ended before it was ready.`);
  } finally {
    child.kill();
    await ended;
  }
}
