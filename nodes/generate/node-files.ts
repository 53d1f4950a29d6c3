/** Generates all files that Node-RED reads for a service. */
import type { Service } from "../../core/spec/service";
import { editorFile } from "./editor-file";
import { helpFile, helpSections } from "./help";
import { catalogueFiles, formWordFiles, helpFiles, helpSectionFiles } from "./language-files";
import { formWords, localeCatalogue } from "./locale-catalogue";
import { runtimeFile } from "./runtime-file";

/** Returns file contents by path below dist/nodes. */
export const nodeFiles = (service: Service): Readonly<Record<string, string>> => ({
  "fxdesk.js": runtimeFile(service),
  "fxdesk.html": editorFile(service),
  ...catalogueFiles("fxdesk", (words) => localeCatalogue(words, service)),
  ...helpFiles("fxdesk", (words, language) => helpFile(service, words, language)),
  ...formWordFiles((words) => formWords(words, service)),
  ...helpSectionFiles((words) => helpSections(service, words)),
});
