/** Bundles the MCP server with its SDK, and writes the list of tools. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fxdeskService } from "../core/client/fxdesk-service";
import { buildInventory } from "../mcp/inventory";
import { toolsFile } from "../mcp/toolbox";
import { writeBundle } from "./bundles";

/** Entry module of all code that uses the SDK. */
const entry = "serving";

/** Files replaced by the bundle. Some declarations import the SDK, which consumers do not have. */
const bundledFiles = [
  "company-login.js",
  "company-login.d.ts",
  "elicitation.js",
  "elicitation.d.ts",
  "http.js",
  "person-links.js",
  "person-links.d.ts",
  "sdk-platform.js",
  "sdk-platform.d.ts",
  "server.js",
  "server.d.ts",
  "serving.d.ts",
  "stdio.js",
];

export async function buildMcp(dist: string): Promise<void> {
  const folder = join(dist, "mcp");
  await writeFile(join(folder, toolsFile), JSON.stringify(buildInventory(fxdeskService)));
  await writeBundle({
    source: join(folder, `../../mcp/${entry}.ts`),
    file: join(folder, `${entry}.js`),
    // The smaller of the SDK's two validators.
    alias: { "@modelcontextprotocol/server/_shims": join(folder, "../../mcp/sdk-platform.ts") },
    licences: join(folder, "LICENSES.txt"),
  });
  await Promise.all(bundledFiles.map((name) => rm(join(folder, name), { force: true })));
}
