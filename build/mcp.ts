/** The MCP server as it is shipped: one file with the SDK in it, beside the list of tools. */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { operations } from "../core/operations";
import { toolsOf } from "../mcp/tools";
import { writtenTools } from "../mcp/written";

/** The client core stays a module of its own: its error classes must be the same for everybody. */
const coreStaysOutside: esbuild.Plugin = {
  name: "core stays outside",
  setup(build) {
    build.onResolve({ filter: /^\.\.\/core\// }, ({ path, importer }) =>
      importer.includes("node_modules") ? undefined : { path, external: true },
    );
  },
};

const bundle = (folder: string) =>
  esbuild.build({
    entryPoints: [join(folder, "../../mcp/index.ts")],
    outfile: join(folder, "index.js"),
    allowOverwrite: true,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    // The SDK's ES modules: what is not used of them is left out.
    conditions: ["import", "module"],
    mainFields: ["module", "main"],
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    metafile: true,
    plugins: [coreStaysOutside],
    logLevel: "warning",
  });

/** The licences of the packages that are in the bundle, as they ask. */
async function writeLicences(folder: string, inputs: readonly string[]): Promise<void> {
  const packages = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const texts = [...packages].toSorted().map(async (path) => {
    const file = (await readdir(path)).find((name) => /^licen[cs]e/i.test(name));
    const name = path.replace(/^.*node_modules\//, "");
    return `${name}\n\n${file ? await readFile(join(path, file), "utf8") : ""}`;
  });
  await writeFile(join(folder, "LICENSES.txt"), (await Promise.all(texts)).join("\n\n"));
}

/** The compiler's own output is in the bundle; one declaration file speaks of the SDK, which is not there for readers. */
async function removeParts(folder: string): Promise<void> {
  const parts = (await readdir(folder)).filter((name) => /^(?!index\.).*\.js$|^server\.d\.ts$/.test(name));
  await Promise.all(parts.map((name) => rm(join(folder, name))));
}

async function writeTools(folder: string): Promise<void> {
  await writeFile(join(folder, writtenTools), JSON.stringify(toolsOf(operations)));
}

export async function buildMcp(dist: string): Promise<void> {
  const folder = join(dist, "mcp");
  await writeTools(folder);
  const { metafile } = await bundle(folder);
  await writeLicences(folder, Object.keys(metafile.inputs));
  await removeParts(folder);
}
