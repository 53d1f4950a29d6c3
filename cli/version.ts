import { readFileSync } from "node:fs";

/** Returns the version of this package. */
export function version(): string {
  const manifest = readFileSync(require.resolve("@fxdesk/toolkit/package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
