/** Packs the package with npm. */
import { execFile } from "node:child_process";
import { cp, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import manifest from "../../package.json";
import { tempFolder } from "./resources";

const run = promisify(execFile);
const root = join(__dirname, "../..");

export interface PackedPackage {
  readonly tarball: string;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Packs a copy without scripts: some versions of npm always run `prepare`, which would delete dist during other tests. */
export async function packPackage(): Promise<PackedPackage> {
  const folder = await tempFolder();
  const copy = join(folder, "copy");
  const skipped = new Set(["node_modules", ".git", ".fxdesk", "test"]);
  await cp(root, copy, { recursive: true, filter: (path) => !skipped.has(basename(path)) });
  const { scripts: _, ...rest } = manifest;
  await writeFile(join(copy, "package.json"), JSON.stringify(rest));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: copy });
  const [{ filename, files }] = JSON.parse(stdout) as [Pick<PackedPackage, "files"> & { filename: string }];
  return { tarball: join(folder, filename), files };
}
