/**
 * Prints the production dependencies of a checkout as a CycloneDX document, from its lock file. `npm sbom --omit=dev` leaves
 * out production dependencies that a development dependency needs as well, so it reads a copy without development ones.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface LockEntry {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  devDependencies?: unknown;
}

const readJson = (name: string) => JSON.parse(readFileSync(name, "utf8")) as Record<string, unknown>;

const manifest = readJson("package.json");
const lock = readJson("package-lock.json") as { packages: Record<string, LockEntry> };
delete manifest.devDependencies;
for (const [path, entry] of Object.entries(lock.packages)) {
  delete entry.devDependencies;
  if (entry.dev || entry.devOptional) delete lock.packages[path];
}

const parent = mkdtempSync(join(tmpdir(), "fxdesk-sbom-"));
try {
  // npm names the document after the folder.
  const folder = join(parent, "fxdesk");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  const options = ["--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=library"];
  execFileSync("npm", ["sbom", ...options], { cwd: folder, stdio: "inherit" });
} finally {
  rmSync(parent, { recursive: true });
}
