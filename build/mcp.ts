/** The MCP server as it is shipped: the SDK in one file with what is written against it, and the list of tools. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fxdeskService } from "../core/service";
import { toolListOf } from "../mcp/tools";
import { toolsFile } from "../mcp/lazy-toolbox";
import { writeBundle } from "./bundle";

/** The module in which everything stands that is written against the SDK. */
const entry = "serving";

/** Modules that are in the bundle now; some declarations speak of the SDK, which is not there for readers. */
const bundledFiles = [
  "elicitation.js",
  "elicitation.d.ts",
  "http.js",
  "sdk-platform.js",
  "sdk-platform.d.ts",
  "server.js",
  "server.d.ts",
  "serving.d.ts",
  "stdio.js",
];

export async function buildMcp(dist: string): Promise<void> {
  const folder = join(dist, "mcp");
  await writeFile(join(folder, toolsFile), JSON.stringify(toolListOf(fxdeskService)));
  await writeBundle({
    source: join(folder, `../../mcp/${entry}.ts`),
    file: join(folder, `${entry}.js`),
    // The smaller of the two validators that the SDK knows.
    alias: { "@modelcontextprotocol/server/_shims": join(folder, "../../mcp/sdk-platform.ts") },
    licences: join(folder, "LICENSES.txt"),
  });
  await Promise.all(bundledFiles.map((name) => rm(join(folder, name), { force: true })));
}
