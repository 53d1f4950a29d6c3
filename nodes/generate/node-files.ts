/** Generates all files that Node-RED reads for a service, including the runtime file, which registers the nodes. */
import { callablesOf, type Service } from "../../core/spec/service";
import { connectionCredentials } from "../connection/connection-node";
import { callType, connectionType, nodeTypeOf, watchType } from "../shared/node-names";
import { editorFile } from "./editor-file";
import { helpFile, helpSections } from "./help";
import { catalogueFiles, formWordFiles, helpFiles, helpSectionFiles } from "./language-files";
import { formWords, localeCatalogue } from "./locale-catalogue";

const registrationCode = (type: string, constructor: string) =>
  `  RED.nodes.registerType(${JSON.stringify(type)}, ${constructor});`;

/** Returns the runtime file. Types are literals because flow-library tools read them without running the file. */
const runtimeFile = (service: Service): string => `"use strict";
const { lazyNodeTypes } = require("./lazy-nodes");

module.exports = (RED) => {
  const { connection, operation, watch } = lazyNodeTypes(RED);
  const credentials = ${JSON.stringify(connectionCredentials(service))};

${registrationCode(connectionType, "connection, { credentials }")}
${registrationCode(callType, "operation()")}
${registrationCode(watchType, "watch()")}
${callablesOf(service)
  .map((each) => registrationCode(nodeTypeOf(each), `operation(${JSON.stringify(each.name)})`))
  .join("\n")}
${(service.watches ?? [])
  .map((each) => registrationCode(nodeTypeOf(each), `watch(${JSON.stringify(each.name)})`))
  .join("\n")}
};
`;

/** Returns file contents by path below dist/nodes. */
export const nodeFiles = (service: Service): Readonly<Record<string, string>> => ({
  "fxdesk.js": runtimeFile(service),
  "fxdesk.html": editorFile(service),
  ...catalogueFiles("fxdesk", (words) => localeCatalogue(words, service)),
  ...helpFiles("fxdesk", (words, language) => helpFile(service, words, language)),
  ...formWordFiles((words) => formWords(words, service)),
  ...helpSectionFiles((words) => helpSections(service, words)),
});
