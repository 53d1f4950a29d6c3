/** Generates all files that Node-RED reads for a service, including the runtime file, which registers the nodes. */
import { declarationsOf, type Service } from "../../core/spec/service";
import { isWatch } from "../../core/spec/watch";
import { connectionCredentials } from "../connection/connection-node";
import { callType, connectionType, nodeTypeOf, watchType } from "../shared/node-names";
import { catalogueOf } from "./catalogue";
import { editorFiles } from "./editor-file";
import { helpFiles } from "./help";
import { otherEditorFile, otherNodes } from "./other-nodes";
import { type Texts, textsByLanguage } from "./locales";
import { generalCategory, paletteGroupsOf, setOf, sharedSet } from "./palette";

const registrationCode = (type: string, constructor: string) =>
  `  RED.nodes.registerType(${JSON.stringify(type)}, ${constructor});`;

/** Returns a runtime file. Types are literals because flow-library tools read them without running the file. */
const runtimeFile = (lines: readonly string[]): string => `"use strict";
const { lazyNodeTypes } = require("./lazy-nodes");

module.exports = (RED) => {
  const { connection, operation, watch } = lazyNodeTypes(RED);
${lines.join("\n")}
};
`;

/** Returns the runtime files by node set. */
function runtimeFiles(service: Service): Readonly<Record<string, string>> {
  const credentials = JSON.stringify(connectionCredentials(service));
  const groups = paletteGroupsOf(declarationsOf(service)).map(({ category, members }) => {
    const lines = members.map((each) => {
      const kind = isWatch(each) ? "watch" : "operation";
      return registrationCode(nodeTypeOf(each), `${kind}(${JSON.stringify(each.name)})`);
    });
    return [setOf(category), runtimeFile(lines)] as const;
  });
  const general = [registrationCode(callType, "operation()"), registrationCode(watchType, "watch()")];
  return {
    [sharedSet]: runtimeFile([
      registrationCode(connectionType, `connection, { credentials: ${credentials} }`),
    ]),
    ...Object.fromEntries(groups),
    [setOf(generalCategory)]: runtimeFile(general),
  };
}

const withEnding = (files: Readonly<Record<string, string>>, ending: string) =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${name}${ending}`, content]));

/** Returns the title of the palette group of a set. */
const paletteTextsOf = (set: string, { editor }: Texts) => ({
  label: Object.fromEntries(
    Object.entries(editor.palette.label).filter(([category]) => category.replaceAll("_", "-") === set),
  ),
});

/** Returns the files of a language. The editor loads the texts of forms with the first form. */
const languageFiles = (
  service: Service,
  texts: Texts,
  language: string,
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.keys(runtimeFiles(service))
      .filter((set) => set !== sharedSet)
      .map((set) => [
        `locales/${language}/${set}.json`,
        JSON.stringify({ palette: paletteTextsOf(set, texts) }),
      ]),
  ),
  [`locales/${language}/${sharedSet}.json`]: JSON.stringify(texts.editor),
  [`locales/${language}/forms.json`]: JSON.stringify(texts.forms),
  ...helpFiles(service, texts, language),
});

/** Returns file contents by path below dist/nodes. Runtime and texts of the release and assistant nodes are written by hand. */
export const nodeFiles = (service: Service): Readonly<Record<string, string>> =>
  Object.assign(
    {
      ...withEnding(runtimeFiles(service), ".js"),
      ...withEnding(editorFiles(service), ".html"),
      "releases.html": otherEditorFile(otherNodes.releases),
      "mcp.html": otherEditorFile(otherNodes.mcp),
      "catalogue.json": JSON.stringify(catalogueOf(service)),
    },
    ...Object.entries(textsByLanguage(service)).map(([language, texts]) =>
      languageFiles(service, texts, language),
    ),
  );
