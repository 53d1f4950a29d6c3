/** Bundles: a file of ours with what it takes from packages that are not installed beside it. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as esbuild from "esbuild";

interface Bundle {
  /** The module as it is written. */
  readonly source: string;
  /** The module as it is loaded. */
  readonly file: string;
  readonly alias?: Record<string, string>;
  /** Where it runs: in Node.js, without. */
  readonly platform?: "browser";
  /** Where the licences of the packages in it are written. */
  readonly licences: string;
}

/** The licences of the packages that are in a bundle, as they ask. */
async function writeLicences(file: string, inputs: readonly string[]): Promise<void> {
  const packages = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const texts = [...packages].toSorted().map(async (path) => {
    const licence = (await readdir(path)).find((name) => /^licen[cs]e/i.test(name));
    const name = path.replace(/^.*node_modules\//, "");
    return `${name}\n\n${licence ? await readFile(join(path, licence), "utf8") : ""}`;
  });
  await writeFile(file, (await Promise.all(texts)).join("\n\n"));
}

/** What is written for browsers runs in those of the last years; a page loads it as a module. */
const platforms = {
  node: { platform: "node", target: "node20", format: "cjs", mainFields: ["module", "main"] },
  browser: {
    platform: "browser",
    target: "es2022",
    format: "esm",
    mainFields: ["browser", "module", "main"],
  },
} as const satisfies Record<string, esbuild.BuildOptions>;

export async function writeBundle({ source, file, alias = {}, platform, licences }: Bundle): Promise<void> {
  const { metafile } = await esbuild.build({
    entryPoints: [source],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    ...platforms[platform ?? "node"],
    // The ES modules of packages: what is not used of them is left out.
    conditions: ["import", "module"],
    alias,
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  await writeLicences(licences, Object.keys(metafile.inputs));
}
