/** Writes all files derived from the declarations into dist. Runs after the compiler. */
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { fxdeskService } from "../core/client/fxdesk-service";
import { declarationsOf } from "../core/spec/service";
import { translationGaps } from "../nodes/generate/locales";
import { nodeFiles } from "../nodes/generate/node-files";
import { withQuoteProcedures } from "../nodes/shared/node-names";
import { Policy } from "../core/releases/policy";
import { writeOperationsDocument } from "./operations-document";
import { buildConfigEdits, buildExplorer } from "./bundles";
import { buildMcp } from "./mcp";
import { writeServerEntry } from "./server-json";
import { writeTypes } from "./types";

/** Writes derived files below a dist folder. */
type Generator = (dist: string) => Promise<void>;

/** Writes the Node-RED nodes: sets for the service, releases and AI assistants, with editor, locales, help and icons. */
async function generateNodes(dist: string): Promise<void> {
  const service = withQuoteProcedures(fxdeskService);
  const folder = join(dist, "nodes");
  await cp(join(dist, "../nodes/locales"), join(folder, "locales"), { recursive: true });
  for (const [path, content] of Object.entries(nodeFiles(service))) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const icons = join(dist, "../icons");
  await cp(icons, join(folder, "icons"), { recursive: true });
  const named = new Set(
    declarationsOf(service)
      .flatMap(({ icon, section }) => [icon ?? [], section?.icon ?? []].flat())
      .filter((icon) => icon.endsWith(".svg")),
  );
  const undrawn = [...named].filter((icon) => !existsSync(join(icons, icon)));
  if (undrawn.length > 0) console.warn(`Missing in icons/: ${undrawn.join(", ")}`);
  const { missing, unused } = translationGaps(service);
  if (missing.length > 0) console.warn(`Not translated: ${missing.join(", ")}`);
  if (unused.length > 0) console.warn(`Translations not used: ${unused.join(", ")}`);
}

/** Writes the JSON Schema of the policy file, for editors: `"$schema": "…/dist/policy.schema.json"` completes and checks it. */
const writePolicySchema: Generator = (dist) =>
  writeFile(
    join(dist, "policy.schema.json"),
    `${JSON.stringify(z.toJSONSchema(Policy, { io: "input", target: "draft-7" }), null, 2)}\n`,
  );

/** Restores the execute bit, which the compiler drops: npm links the command to this file. */
const makeExecutable: Generator = (dist) => chmod(join(dist, "cli/main.js"), 0o755);

const generators: readonly Generator[] = [
  buildMcp,
  buildConfigEdits,
  buildExplorer,
  generateNodes,
  writeTypes,
  writeOperationsDocument,
  writePolicySchema,
  writeServerEntry,
  makeExecutable,
];

async function main(): Promise<void> {
  const dist = join(__dirname, "..");
  for (const generate of generators) await generate(dist);
}

void main();
