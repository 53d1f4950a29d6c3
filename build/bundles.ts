/** Bundles modules with their dependencies, so that users need not install them. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as esbuild from "esbuild";

interface Bundle {
  /** Source module. */
  readonly source: string;
  /** Bundled module. */
  readonly file: string;
  readonly alias?: Record<string, string>;
  /** Default: Node.js. */
  readonly platform?: "browser";
  /** File for the licences of the bundled packages. */
  readonly licences: string;
}

/** Writes the licence texts of the bundled packages, as their licences require. */
async function writeLicences(file: string, inputs: readonly string[]): Promise<void> {
  const packages = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const texts = [...packages].toSorted().map(async (path) => {
    const licence = (await readdir(path)).find((name) => /^licen[cs]e/i.test(name));
    const name = path.replace(/^.*node_modules\//, "");
    return `${name}\n\n${licence ? await readFile(join(path, licence), "utf8") : ""}`;
  });
  await writeFile(file, (await Promise.all(texts)).join("\n\n"));
}

/** Browser bundles are ES modules for recent browsers. */
const platforms = {
  node: { platform: "node", target: "node20", format: "cjs", mainFields: ["module", "main"] },
  browser: {
    platform: "browser",
    target: "es2022",
    format: "esm",
    mainFields: ["browser", "module", "main"],
  },
} as const satisfies Record<string, esbuild.BuildOptions>;

/** Writes a bundle and the licences of the packages in it. */
export async function writeBundle({ source, file, alias = {}, platform, licences }: Bundle): Promise<void> {
  const { metafile } = await esbuild.build({
    entryPoints: [source],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    ...platforms[platform ?? "node"],
    // ES modules allow tree shaking.
    conditions: ["import", "module"],
    alias,
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  await writeLicences(licences, Object.keys(metafile.inputs));
}

/** Bundles the parsers of `fxdesk mcp install`, which runs rarely. */
export async function buildConfigEdits(dist: string): Promise<void> {
  const folder = join(dist, "cli/mcp-install");
  await writeBundle({
    source: join(folder, "../../../cli/mcp-install/config-edits.ts"),
    file: join(folder, "config-edits.js"),
    licences: join(folder, "LICENSES.txt"),
  });
}

/** Bundles the library of the sandbox's /docs page. */
export async function buildExplorer(dist: string): Promise<void> {
  const folder = join(dist, "../sandbox/dist/explorer");
  await mkdir(folder, { recursive: true });
  await writeBundle({
    // The sources, because the package's entry point is prepared for other bundlers.
    source: join(dist, "../node_modules/openapi-explorer/dist/es/openapi-explorer.js"),
    file: join(folder, "explorer.js"),
    platform: "browser",
    licences: join(folder, "LICENSES.txt"),
  });
}
