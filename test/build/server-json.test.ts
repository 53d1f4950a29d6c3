/** The entry of the MCP registry, by the rules of the registry. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { settingsOf, environmentName } from "../../core/call/settings";
import { fxdeskService } from "../../core/client/fxdesk-service";
import manifest from "../../package.json";

interface Entry {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly packages: readonly {
    readonly identifier: string;
    readonly version: string;
    readonly environmentVariables: readonly { readonly name: string; readonly isSecret: boolean }[];
  }[];
}

test("server.json names this package, and marks every secret", async () => {
  const entry = JSON.parse(await readFile(join(__dirname, "../../dist/server.json"), "utf8")) as Entry;
  // The registry compares the name with that of the published package.
  expect(entry.name).toBe(manifest.mcpName);
  expect(entry.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(entry.description.length).toBeLessThanOrEqual(100);
  const [npm, ...others] = entry.packages;
  expect(others).toEqual([]);
  expect(npm).toMatchObject({ identifier: manifest.name, version: manifest.version });
  expect(entry.version).toBe(manifest.version);
  const settings = new Map(
    settingsOf(fxdeskService).map(({ name, secret }) => [environmentName(name), secret]),
  );
  expect(npm!.environmentVariables).toHaveLength(8);
  for (const { name, isSecret } of npm!.environmentVariables)
    expect([name, isSecret]).toEqual([name, settings.get(name)]);
});
