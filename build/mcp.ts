/** The MCP server as it is shipped: the SDK in one file with what is written against it, and the list of tools. */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { operations } from "../core/operations";
import { toolsOf } from "../mcp/tools";
import { toolsFile } from "../mcp/lazy-toolbox";

/** The module in which everything stands that is written against the SDK. */
const entry = "serving";

const bundle = (folder: string) =>
  esbuild.build({
    entryPoints: [join(folder, `../../mcp/${entry}.ts`)],
    outfile: join(folder, `${entry}.js`),
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

/** Modules that are in the bundle now; two declarations speak of the SDK, which is not there for readers. */
const bundled = ["http.js", "server.js", "server.d.ts", "serving.d.ts", "stdio.js"];

async function writeTools(folder: string): Promise<void> {
  await writeFile(join(folder, toolsFile), JSON.stringify(toolsOf(operations)));
}

export async function buildMcp(dist: string): Promise<void> {
  const folder = join(dist, "mcp");
  await writeTools(folder);
  const { metafile } = await bundle(folder);
  await writeLicences(folder, Object.keys(metafile.inputs));
  await Promise.all(bundled.map((name) => rm(join(folder, name), { force: true })));
}
