import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** package.json lies one folder up from the sources and two from what is built. */
const manifest = ["..", "../.."].map((up) => join(__dirname, up, "package.json")).find(existsSync);

export const version = manifest
  ? (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version
  : "0.0.0";
