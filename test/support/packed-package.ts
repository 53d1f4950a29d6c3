/** Packs the package with npm. */
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

/** Packs a copy without scripts: some versions of npm always run `prepare`, which would delete dist during other tests. */
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
