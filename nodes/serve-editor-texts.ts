/** What the editor asks for in its language when it is shown: the help of a node, the words of forms. Written with the package. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import { isCrossOrigin } from "./cross-origin";

/** Those that are looked for, as Node-RED does: the one asked for, what it is a variant of, English. */
const languageFallbacks = (requested: string): readonly string[] => [
  requested,
  requested.split("-")[0]!,
  "en-US",
];

/** What can name a file here, and none elsewhere. */
const isSafeName = (text: string): boolean => /^[\w-]+$/.test(text);

/** The file in the first of the languages in which there is one; undefined where there is none. */
async function readInLanguage(
  requested: string,
  pathOf: (language: string) => string,
): Promise<string | undefined> {
  for (const each of languageFallbacks(requested).filter(isSafeName)) {
    const text = await readFile(join(__dirname, pathOf(each)), "utf8").catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The sections of the help of a type of node; undefined where there is no such type. */
const readHelpSections = async (type: string, language: string): Promise<string | undefined> =>
  isSafeName(type) ? readInLanguage(language, (each) => `help/${each}/${type}.html`) : undefined;

/** Serves who may read flows. */
export function serveEditorTexts(RED: NodeAPI): void {
  const requireRead = RED.auth.needsPermission("fxdesk.read");
  RED.httpAdmin.get("/fxdesk/help/:type", requireRead, (request, response) => {
    const type = String(request.params.type);
    if (isCrossOrigin(request.headers)) response.status(403).end();
    else
      void readHelpSections(type, String(request.query.lang ?? "")).then((sections) =>
        sections === undefined
          ? response.status(404).json({ message: `There is no help for ${type}.` })
          : response.type("html").send(sections),
      );
  });
  RED.httpAdmin.get("/fxdesk/words", requireRead, (request, response) => {
    if (isCrossOrigin(request.headers)) response.status(403).end();
    else
      void readInLanguage(String(request.query.lang ?? ""), (each) => `form-words/${each}.json`).then(
        (words) =>
          words === undefined
            ? response.status(500).json({ message: "The words of forms are missing from the package." })
            : response.type("json").send(words),
      );
  });
}
