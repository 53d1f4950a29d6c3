import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** package.json is one folder above the sources and two above the build output. */
const manifest = ["..", "../.."].map((up) => join(__dirname, up, "package.json")).find(existsSync);

export const version = manifest
  ? (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version
  : "0.0.0";
