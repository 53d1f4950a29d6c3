/** Everything Node-RED reads, derived from a list of operations. */
import type { Declaration } from "../../core/operations/declaration";
import { editorFile } from "./editor";
import { helpFile } from "./help";
import { localeCatalogue } from "./locale";
import { runtimeFile } from "./runtime";

/** Paths below dist/nodes and what they hold. */
export const nodeFiles = (operations: readonly Declaration[]): Readonly<Record<string, string>> => ({
  "fxdesk.js": runtimeFile(operations),
  "fxdesk.html": editorFile(operations),
  "locales/en-US/fxdesk.json": `${JSON.stringify(localeCatalogue(operations), undefined, 2)}\n`,
  "locales/en-US/fxdesk.html": helpFile(operations),
});
