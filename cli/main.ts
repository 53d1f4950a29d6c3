#!/usr/bin/env node
/** The fxdesk command. */
import { fxdesk } from "./fxdesk";

/** A reader that goes away, as `head` does, ends the command; it is no failure. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

async function main(): Promise<void> {
  const { stdin, stdout, stderr, env } = process;
  process.exitCode = await fxdesk(process.argv.slice(2), { stdin, stdout, stderr, environment: env });
}

void main();
