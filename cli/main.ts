#!/usr/bin/env node
/** Entry point of the `fxdesk` command. */
import { runCommandLine } from "./command-line";

/** Without a listener, EPIPE would crash the process; `write` reports it to the caller. */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

async function main(): Promise<void> {
  const { stdin, stdout, stderr, env, argv } = process;
  const code = await runCommandLine(argv.slice(2), { stdin, stdout, stderr, environment: env });
  // All output is written; an abandoned call in flight must not keep the process alive.
  process.exit(code);
}

void main();
