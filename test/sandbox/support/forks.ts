/** Sandboxes with equal contents. Seeding takes most of a start, so only the first is seeded and the others fork it. */
import { type Sandbox, type SandboxOptions, startSandbox } from "@fxdesk/sandbox";

const originals = new Map<string, Promise<Sandbox>>();
afterAll(async () => {
  for (const original of originals.values()) await (await original).close();
});

export async function forkSandbox(options: SandboxOptions): Promise<Sandbox> {
  const key = JSON.stringify(options);
  const original = originals.get(key) ?? startSandbox(options);
  originals.set(key, original);
  return (await original).fork();
}
