/** Removes declaration files that no entry point imports. Runs after the compiler; arguments are package folders. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

const importsIn = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom |\bimport\()"(\.[^"]+)"/g)].map(([, path]) => path!);

/** Returns the entry files and all declaration files that they import, directly or indirectly. */
async function findReached(
  entries: readonly string[],
  all: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const found = new Set(entries);
  for (const file of found) {
    const imports = importsIn(await readFile(file, "utf8"));
    for (const path of imports) {
      const target = join(file, "..", path.replace(/\.js$/, ""));
      const declarationFile = [`${target}.d.ts`, join(target, "index.d.ts")].find((each) => all.has(each));
      if (!declarationFile) throw new Error(`${file} imports ${path}, which does not exist.`);
      found.add(declarationFile);
    }
  }
  return found;
}

async function removeUnreached(folder: string): Promise<void> {
  const { exports } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
  const dist = join(folder, "dist");
  const paths = await readdir(dist, { recursive: true });
  const all = new Set(paths.filter((path) => path.endsWith(".d.ts")).map((path) => join(dist, path)));
  const entries = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [join(folder, entry.types)],
  );
  const reachedFiles = await findReached(entries, all);
  await Promise.all([...all].filter((file) => !reachedFiles.has(file)).map((file) => rm(file)));
}

async function main(): Promise<void> {
  for (const folder of process.argv.slice(2)) await removeUnreached(folder);
}

void main();
