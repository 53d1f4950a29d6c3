/** The packages as they are published, and the Node-RED they are installed into. */
import { execFile } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { newestModule, newestNode } from "../../support/newest";
import { tempFolder } from "../../support/resources";
import { type NodeRedOptions, root } from "./node-red";

const run = promisify(execFile);

const excludedNames = new Set(["node_modules", ".git", ".fxdesk", "test"]);

/**
 * Packs a folder of the repository. A copy without scripts is packed, because npm builds before it packs, and a build
 * would pull dist away from under the other tests.
 */
async function packFolder(folder: string, into: string): Promise<string> {
  const copy = join(into, `copy-of-${basename(folder)}`);
  await cp(folder, copy, { recursive: true, filter: (path) => !excludedNames.has(basename(path)) });
  const manifest = join(copy, "package.json");
  const {
    scripts: _scripts,
    workspaces: _workspaces,
    ...rest
  } = JSON.parse(await readFile(manifest, "utf8"));
  await writeFile(manifest, JSON.stringify(rest));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", into], { cwd: copy });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(into, filename);
}

/** An empty user directory into which both packages are installed from their tarballs. */
export async function installedUserDir(): Promise<string> {
  const userDir = await tempFolder();
  const tarballs = [await packFolder(root, userDir), await packFolder(join(root, "sandbox"), userDir)];
  await writeFile(join(userDir, "package.json"), JSON.stringify({ name: "flows", private: true }));
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...tarballs], { cwd: userDir });
  return userDir;
}

/** The oldest Node-RED we support, which is that of this repository; FXDESK_NEWEST adds the newest. */
export const supportedVersions: readonly (readonly [string, () => Promise<NodeRedOptions>])[] = [
  ["4.1", async () => ({})],
  ...(process.env.FXDESK_NEWEST
    ? [["5.0", async () => ({ node: newestNode, script: newestModule("node-red/red.js") })] as const]
    : []),
];
