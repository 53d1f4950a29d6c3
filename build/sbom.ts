/**
 * Prints the production dependencies of a checkout as a CycloneDX document, from its lock file. `npm sbom --omit=dev` leaves
 * out production dependencies that a development dependency needs as well, so it reads a copy without development ones.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeProductionLock } from "./production-lock";

const parent = mkdtempSync(join(tmpdir(), "fxdesk-sbom-"));
try {
  // npm names the document after the folder.
  const folder = join(parent, "fxdesk");
  mkdirSync(folder);
  writeProductionLock(folder);
  const options = ["--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=library"];
  execFileSync("npm", ["sbom", ...options], { cwd: folder, stdio: "inherit" });
} finally {
  rmSync(parent, { recursive: true });
}
