/** Writes into dist what derives from the declarations. Runs after the compiler. */
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { writeOperationsDocument } from "./operations-document";
import { buildExplorer } from "./explorer";
import { buildLogin } from "./login";
import { buildMcp } from "./mcp";
import { generateNodes } from "./nodes";
import { writePolicySchema } from "./policy-schema";
import { writeTypes } from "./types";

/** One derivation: writes its files below the given dist folder. */
export type Generator = (dist: string) => Promise<void>;

/** The compiler writes the command without its execute bit: what npm has linked to it would not run after a build. */
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
