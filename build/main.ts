/** Writes all files derived from the declarations into dist. Runs after the compiler. */
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { writeOperationsDocument } from "./operations-document";
import { buildExplorer } from "./explorer";
import { buildLogin } from "./login";
import { buildMcp } from "./mcp";
import { generateNodes } from "./nodes";
import { writePolicySchema } from "./policy-schema";
import { writeTypes } from "./types";

/** Writes derived files below a dist folder. */
export type Generator = (dist: string) => Promise<void>;

/** Restores the execute bit, which the compiler drops: npm links the command to this file. */
const makeExecutable: Generator = (dist) => chmod(join(dist, "cli/main.js"), 0o755);

const generators: readonly Generator[] = [
  buildMcp,
  buildLogin,
  buildExplorer,
  generateNodes,
  writeTypes,
  writeOperationsDocument,
  writePolicySchema,
  makeExecutable,
];

async function main(): Promise<void> {
  const dist = join(__dirname, "..");
  for (const generate of generators) await generate(dist);
}

void main();
