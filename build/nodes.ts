/** The files of the Node-RED nodes: one set for the service, its editor, words, help and icons. */
import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { contract } from "../core/contract/contract";
import { nodeFiles } from "../nodes/generate/files";

export async function generateNodes(dist: string): Promise<void> {
  for (const [path, content] of Object.entries(nodeFiles(contract))) {
    const file = join(dist, "nodes", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await cp(join(dist, "../icons"), join(dist, "nodes/icons"), { recursive: true });
}
