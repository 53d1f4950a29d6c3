/** Everything Node-RED reads, derived from a service. */
import type { Service } from "../../core/declaration/service";
import { editorFile } from "./editor";
import { helpFile, helpSections } from "./help";
import { catalogues, helpIn, helpSectionsIn } from "./catalogues";
import { localeCatalogue } from "./locale";
import { runtimeFile } from "./runtime";

/** Paths below dist/nodes and what they hold. */
export const nodeFiles = (service: Service): Readonly<Record<string, string>> => ({
  "fxdesk.js": runtimeFile(service),
  "fxdesk.html": editorFile(service),
  ...catalogues("fxdesk", (words) => localeCatalogue(service, words)),
  ...helpIn("fxdesk", (words, language) => helpFile(service, words, language)),
  ...helpSectionsIn((words) => helpSections(service, words)),
});
