/** Everything Node-RED reads, derived from a service. */
import type { Service } from "../../core/declaration/service";
import { editorFile } from "./definitions";
import { helpFile, helpSections } from "./help";
import { catalogues, formWordsIn, helpIn, helpSectionsIn } from "./catalogues";
import { formWords, localeCatalogue } from "./locale";
import { runtimeFile } from "./runtime";

/** Paths below dist/nodes and what they hold. */
export const nodeFiles = (service: Service): Readonly<Record<string, string>> => ({
  "fxdesk.js": runtimeFile(service),
  "fxdesk.html": editorFile(service),
  ...catalogues("fxdesk", (words) => localeCatalogue(words, service)),
  ...helpIn("fxdesk", (words, language) => helpFile(service, words, language)),
  ...formWordsIn((words) => formWords(words, service)),
  ...helpSectionsIn((words) => helpSections(service, words)),
});
