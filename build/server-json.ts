/** The entry of the MCP registry: how hosts install and configure the server. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { environmentName, settingsOf } from "../core/call/settings";
import { fxdeskService } from "../core/client/fxdesk-service";

const schema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/** Settings that a person enters first; the documentation has the others. */
const firstSettings = new Set([
  "environment",
  "domain",
  "clientId",
  "accessToken",
  "apiKey",
  "contactId",
  "policy",
  "people",
]);

/** Writes server.json, which `mcp-publisher` publishes. */
export async function writeServerEntry(dist: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(dist, "../package.json"), "utf8")) as Record<
    "name" | "version" | "mcpName",
    string
  >;
  const { name, version, mcpName } = manifest;
  const environmentVariables = settingsOf(fxdeskService)
    .filter((setting) => firstSettings.has(setting.name))
    .map((setting) => ({
      name: environmentName(setting.name),
      description: setting.description,
      isSecret: setting.secret,
    }));
  const entry = {
    $schema: schema,
    name: mcpName,
    title: "fxdesk",
    description: "Cash, transactions, FX trades and payments of a company; people release money calls.",
    version,
    packages: [
      {
        registryType: "npm",
        identifier: name,
        version,
        runtimeHint: "npx",
        transport: { type: "stdio" },
        packageArguments: [{ type: "positional", value: "mcp" }],
        environmentVariables,
      },
    ],
  };
  await writeFile(join(dist, "server.json"), `${JSON.stringify(entry, null, 2)}\n`);
}
