/** Writes the Node-RED nodes: sets for the service, releases and AI assistants, with editor, locales, help and icons. */
import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fxdeskService } from "../core/client/fxdesk-service";
import { fallbacksOf } from "../nodes/generate/declared-texts";
import { nodeFiles } from "../nodes/generate/node-files";
import { assistantFiles } from "../nodes/generate/assistant-files";
import { releaseFiles } from "../nodes/generate/release-files";
import { german } from "../nodes/generate/words/de";
import { withQuoteProcedures } from "../nodes/shared/node-names";

export async function generateNodes(dist: string): Promise<void> {
  for (const [path, content] of Object.entries({
    ...nodeFiles(withQuoteProcedures(fxdeskService)),
    ...releaseFiles(),
    ...assistantFiles(),
  })) {
    const file = join(dist, "nodes", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const icons = join(dist, "../icons");
  await cp(icons, join(dist, "nodes/icons"), { recursive: true });
  const fallbacks = fallbacksOf(withQuoteProcedures(fxdeskService), german, await readdir(icons));
  if (fallbacks.length > 0) console.warn(`Nodes with default texts or icons: ${fallbacks.join("; ")}`);
}
