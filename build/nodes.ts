/** The files of the Node-RED nodes: a set for the service, one for releases and one for AI assistants, with editor, words, help and icons. */
import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fxdeskService } from "../core/service";
import { nodeFiles } from "../nodes/generate/files";
import { assistantFiles } from "../nodes/generate/mcp";
import { releaseFiles } from "../nodes/generate/releases";
import { withAllNodes } from "../nodes/service";

export async function generateNodes(dist: string): Promise<void> {
  for (const [path, content] of Object.entries({
    ...nodeFiles(withAllNodes(fxdeskService)),
    ...releaseFiles(),
    ...assistantFiles(),
  })) {
    const file = join(dist, "nodes", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await cp(join(dist, "../icons"), join(dist, "nodes/icons"), { recursive: true });
}
