/** Generates all files that Node-RED reads for a service, including the runtime file, which registers the nodes. */
import { callablesOf, type Service } from "../../core/spec/service";
import { connectionCredentials } from "../connection/connection-node";
import { callType, connectionType, nodeTypeOf, watchType } from "../shared/node-names";
import { editorFile } from "./editor-file";
import { helpFiles } from "./help";
import { otherEditorFile, otherNodes } from "./other-nodes";
import { type Texts, textsByLanguage } from "./locales";

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

/** Returns the files of a language. The editor loads the texts of forms with the first form. */
const languageFiles = (
  service: Service,
  texts: Texts,
  language: string,
): Readonly<Record<string, string>> => ({
  [`locales/${language}/fxdesk.json`]: JSON.stringify(texts.editor),
  [`locales/${language}/forms.json`]: JSON.stringify(texts.forms),
  ...helpFiles(service, texts, language),
});

/** Returns file contents by path below dist/nodes. Runtime and texts of the release and assistant nodes are written by hand. */
export const nodeFiles = (service: Service): Readonly<Record<string, string>> =>
  Object.assign(
    {
      "fxdesk.js": runtimeFile(service),
      "fxdesk.html": editorFile(service),
      "releases.html": otherEditorFile(otherNodes.releases),
      "mcp.html": otherEditorFile(otherNodes.mcp),
    },
    ...Object.entries(textsByLanguage(service)).map(([language, texts]) =>
      languageFiles(service, texts, language),
    ),
  );
