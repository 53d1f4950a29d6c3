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

/** Does something in a folder in which both packages are installed and sources are, by file name. */
async function asConsumer<T>(
  sources: Readonly<Record<string, string>>,
  does: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-consumer-"));
  const packages = join(folder, "node_modules/@fxdesk");
  await mkdir(packages, { recursive: true });
  await symlink(root, join(packages, "toolkit"));
  await symlink(join(root, "sandbox"), join(packages, "sandbox"));
  for (const [name, content] of Object.entries(sources)) await writeFile(join(folder, name), content);
  try {
    return await does(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What the compiler has to say about sources, by file name. */
export const compiled = (sources: Readonly<Record<string, string>>): Promise<string> =>
  asConsumer(sources, async (folder) => {
    const project = { compilerOptions, files: Object.keys(sources) };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch(
      (error: { stdout: string }) => error,
    );
    return stdout;
  });

/** What a module writes to its standard output. Rejects when it fails, or does not end in time. */
export const outputOf = (code: string): Promise<string> =>
  asConsumer({ "main.mjs": code }, async (folder) => {
    const { stdout } = await run(process.execPath, [join(folder, "main.mjs")], { timeout: 50_000 });
    return stdout;
  });
