/** TypeScript as a consumer of the built packages writes it. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(__dirname, "../..");

const compilerOptions = {
  strict: true,
  noEmit: true,
  module: "node20",
  target: "es2023",
  lib: ["es2023"],
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")],
};

/** What the compiler has to say about sources, by file name, in a folder in which both packages are installed. */
export async function compiled(sources: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-consumer-"));
  const packages = join(folder, "node_modules/@fxdesk");
  await mkdir(packages, { recursive: true });
  await symlink(root, join(packages, "toolkit"));
  await symlink(join(root, "sandbox"), join(packages, "sandbox"));
  for (const [name, content] of Object.entries(sources)) await writeFile(join(folder, name), content);
  const project = { compilerOptions, files: Object.keys(sources) };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch(
    (error: { stdout: string }) => error,
  );
  await rm(folder, { recursive: true });
  return stdout;
}
