/** Compiles and runs code as a consumer of the built packages. */
import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import manifest from "../../package.json";
import { tempFolder } from "./resources";

const run = promisify(execFile);
const root = join(__dirname, "../..");

export type Sources = Readonly<Record<string, string>>;

export const tsc = join(root, "node_modules/typescript/bin/tsc");

const defaultCompilerOptions = {
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  module: "node20",
  target: "es2023",
  lib: ["es2023"],
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")],
};

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}

/** Dependencies of the package and the types of Node.js. */
async function linkDependencies(modules: string): Promise<void> {
  for (const name of [...Object.keys(manifest.dependencies), "@types/node"])
    await link(join(root, "node_modules", name), join(modules, name));
}

/** Creates a folder with both packages. */
async function consumerProject(): Promise<string> {
  const folder = await tempFolder();
  const modules = join(folder, "node_modules");
  await link(root, join(modules, "@fxdesk/toolkit"));
  await link(join(root, "sandbox"), join(modules, "@fxdesk/sandbox"));
  await linkDependencies(modules);
  return folder;
}

/** Creates a folder with only a packed package, its dependencies and the types of Node.js. */
export async function packedConsumer(tarball: string): Promise<string> {
  const folder = await tempFolder();
  const modules = join(folder, "node_modules");
  const own = join(modules, manifest.name);
  await mkdir(own, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", own, "--strip-components=1"]);
  await linkDependencies(modules);
  return folder;
}

/** Compiles sources in a folder; returns the errors. */
export async function compileIn(folder: string, sources: Sources, options: object = {}): Promise<string> {
  for (const [name, content] of Object.entries(sources)) await writeFile(join(folder, name), content);
  const project = { compilerOptions: { ...defaultCompilerOptions, ...options }, files: Object.keys(sources) };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project));
  const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

/** Compiles sources; returns the errors. */
export const compile = async (sources: Sources, options: object = {}): Promise<string> =>
  compileIn(await consumerProject(), sources, options);

/** Runs a module; returns its stdout. Rejects if it fails or times out. */
export async function runModule(code: string): Promise<string> {
  const main = join(await consumerProject(), "main.mjs");
  await writeFile(main, code);
  const { stdout } = await run(process.execPath, [main], { timeout: 50_000 });
  return stdout;
}
