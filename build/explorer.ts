/** Bundles the library of the sandbox's /docs page, so that users need not install it. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeBundle } from "./bundle";

export async function buildExplorer(dist: string): Promise<void> {
  const folder = join(dist, "../sandbox/dist/explorer");
  await mkdir(folder, { recursive: true });
  await writeBundle({
    // The sources, because the package's entry point is prepared for other bundlers.
    source: join(dist, "../node_modules/openapi-explorer/dist/es/openapi-explorer.js"),
    file: join(folder, "explorer.js"),
    platform: "browser",
    licences: join(folder, "LICENSES.txt"),
  });
}
