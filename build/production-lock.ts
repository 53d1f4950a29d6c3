/** The manifest and lock file of the package with production dependencies alone. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface LockEntry {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  devDependencies?: unknown;
}

export type Manifest = Record<string, unknown> & { readonly name: string; readonly version: string };

const readJson = (name: string) => JSON.parse(readFileSync(name, "utf8")) as Record<string, unknown>;

/** Writes both into a folder, without scripts, and returns the manifest. Reads those of the working directory. */
export function writeProductionLock(folder: string): Manifest {
  const manifest = readJson("package.json") as Manifest;
  const lock = readJson("package-lock.json") as { packages: Record<string, LockEntry> };
  delete manifest.devDependencies;
  delete manifest.scripts;
  for (const [path, entry] of Object.entries(lock.packages)) {
    delete entry.devDependencies;
    if (entry.dev || entry.devOptional) delete lock.packages[path];
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  return manifest;
}
