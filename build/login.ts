/** Bundles the OAuth library into the module that re-exports it. */
import { join } from "node:path";
import { writeBundle } from "./bundle";

export function buildLogin(dist: string): Promise<void> {
  const folder = join(dist, "core/http");
  return writeBundle({
    source: join(folder, "../../../core/http/oauth.ts"),
    file: join(folder, "oauth.js"),
    licences: join(folder, "LICENSES.txt"),
  });
}
