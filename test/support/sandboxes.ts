/** Sandboxes and clients of tests. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Sandbox, type SandboxOptions, type SavedSandbox, startSandbox } from "@fxdesk/sandbox";
import { closeLater } from "./resources";
import { sandboxClient } from "./samples";

/**
 * Starts a sandbox that is closed with its test. Seeding takes most of a start, so the first sandbox with given options is
 * saved for the whole test run, and later ones in any file start from it.
 */
export async function openSandbox(
  world: SandboxOptions = {},
  place: Pick<SandboxOptions, "port" | "host" | "dataDir" | "smtpUrl"> = {},
): Promise<Sandbox> {
  const start = () => startSandbox({ ...world, ...place });
  if (world.service ?? world.behaviours ?? world.saved ?? world.world) return closeLater(await start());
  const name = createHash("sha256").update(JSON.stringify(world)).digest("hex");
  const file = join(process.env.FXDESK_TEST_WORLDS!, name);
  if (existsSync(file)) {
    const saved = JSON.parse(readFileSync(file, "utf8")) as SavedSandbox;
    return closeLater(await startSandbox({ ...place, saved }));
  }
  const sandbox = closeLater(await start());
  // Renamed when complete, because other workers may read it.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(sandbox.save()));
  renameSync(`${file}.${process.pid}`, file);
  return sandbox;
}

/** Returns a client of the demo company, closed with its test. */
export const openClient = (...parameters: Parameters<typeof sandboxClient>): FxdeskClient =>
  closeLater(sandboxClient(...parameters));

/** Starts a sandbox and its client, both closed with their test. */
export async function openSandboxAndClient(
  options?: SandboxOptions,
): Promise<{ sandbox: Sandbox; client: FxdeskClient }> {
  const sandbox = await openSandbox(options);
  return { sandbox, client: openClient(sandbox) };
}
