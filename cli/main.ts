#!/usr/bin/env node
/** The fxdesk command. */
import { runCommandLine } from "./command-line";

/** Whoever writes hears that the reader has gone away, and knows what that means. */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

async function main(): Promise<void> {
  const { stdin, stdout, stderr, env, argv } = process;
  const code = await runCommandLine(argv.slice(2), { stdin, stdout, stderr, environment: env });
  // All is written; a call may be under way for which nobody waits any more.
  process.exit(code);
}

void main();
