/** Writes into dist what derives from the declarations. Runs after the compiler. */
import { join } from "node:path";
import { writeOperationsDocument } from "./docs";
import { buildMcp } from "./mcp";
import { generateNodes } from "./nodes";
import { writeClientTypes } from "./types";

/** One derivation: writes its files below the given dist folder. */
export type Generator = (dist: string) => Promise<void>;

const generators: readonly Generator[] = [buildMcp, generateNodes, writeClientTypes, writeOperationsDocument];

async function main(): Promise<void> {
  const dist = join(__dirname, "..");
  for (const generate of generators) await generate(dist);
}

void main();
