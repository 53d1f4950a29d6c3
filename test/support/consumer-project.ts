/** Compiles and runs code as a consumer of the built packages. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import manifest from "../../package.json";

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

/** Creates a folder and removes it after `work`. */
async function withTemporaryFolder<T>(action: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-consumer-"));
  try {
    return await action(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}

/** Dependencies of the package and the types of Node.js. */
async function linkDependencies(modules: string): Promise<void> {
  for (const name of [...Object.keys(manifest.dependencies), "@types/node"])
    await link(join(root, "node_modules", name), join(modules, name));
}

const writeAll = async (folder: string, sources: Sources): Promise<void> => {
  for (const [name, content] of Object.entries(sources)) await writeFile(join(folder, name), content);
};

/** Runs `work` in a folder with both packages and the given sources. */
export const withConsumerProject = <T>(
  sources: Sources,
  action: (folder: string) => Promise<T>,
): Promise<T> =>
  withTemporaryFolder(async (folder) => {
    const modules = join(folder, "node_modules");
    await link(root, join(modules, "@fxdesk/toolkit"));
    await link(join(root, "sandbox"), join(modules, "@fxdesk/sandbox"));
    await linkDependencies(modules);
    await writeAll(folder, sources);
    return action(folder);
  });

/** Runs `work` in a folder with only a packed package, its dependencies and the types of Node.js. */
export const withPackedConsumer = <T>(tarball: string, action: (folder: string) => Promise<T>): Promise<T> =>
  withTemporaryFolder(async (folder) => {
    const modules = join(folder, "node_modules");
    const own = join(modules, manifest.name);
    await mkdir(own, { recursive: true });
    await run("tar", ["-xzf", tarball, "-C", own, "--strip-components=1"]);
    await linkDependencies(modules);
    return action(folder);
  });

/** Compiles sources in a folder; returns the errors. */
export async function compileIn(folder: string, sources: Sources, options: object = {}): Promise<string> {
  await writeAll(folder, sources);
  const project = { compilerOptions: { ...defaultCompilerOptions, ...options }, files: Object.keys(sources) };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project));
  const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

/** Compiles sources; returns the errors. */
export const compile = (sources: Sources, options: object = {}): Promise<string> =>
  withConsumerProject(sources, (folder) => compileIn(folder, sources, options));

/** Runs a module; returns its stdout. Rejects if it fails or times out. */
export const runModule = (code: string): Promise<string> =>
  withConsumerProject({ "main.mjs": code }, async (folder) => {
    const { stdout } = await run(process.execPath, [join(folder, "main.mjs")], { timeout: 50_000 });
    return stdout;
  });
