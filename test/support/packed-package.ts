/** The package as npm packs it. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import manifest from "../../package.json";

const run = promisify(execFile);
const root = join(__dirname, "../..");

export interface PackedPackage {
  readonly tarball: string;
  readonly files: readonly { readonly path: string; readonly size: number }[];
  remove(): Promise<void>;
}

/**
 * Packs a copy without scripts: npm runs `prepare` before it packs, some versions even when told not to, and a build
 * would pull dist away from under the other tests.
 */
export async function packPackage(): Promise<PackedPackage> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-package-"));
  const copy = join(folder, "copy");
  const skipped = new Set(["node_modules", ".git", ".fxdesk"]);
  await cp(root, copy, { recursive: true, filter: (path) => !skipped.has(basename(path)) });
  const { scripts: _, ...rest } = manifest;
  await writeFile(join(copy, "package.json"), JSON.stringify(rest));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: copy });
  const [{ filename, files }] = JSON.parse(stdout) as [Pick<PackedPackage, "files"> & { filename: string }];
  return { tarball: join(folder, filename), files, remove: () => rm(folder, { recursive: true }) };
}
