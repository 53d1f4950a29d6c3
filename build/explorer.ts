/** The page at the sandbox's /docs stands on a library: one file with all that is in it, so that nobody installs it. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeBundle } from "./bundle";

export async function buildExplorer(dist: string): Promise<void> {
  const folder = join(dist, "../sandbox/dist/explorer");
  await mkdir(folder, { recursive: true });
  await writeBundle({
    // As it is written: what its package gives to importers is made for other bundlers.
    source: join(dist, "../node_modules/openapi-explorer/dist/es/openapi-explorer.js"),
    file: join(folder, "explorer.js"),
    platform: "browser",
    licences: join(folder, "LICENSES.txt"),
  });
}
