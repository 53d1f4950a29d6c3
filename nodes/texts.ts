/** What the editor asks for in its language when it is shown: the help of a node, the words of forms. Written with the package. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import { isForeign } from "./foreign-requests";

/** Those that are looked for, as Node-RED does: the one asked for, what it is a variant of, English. */
const languagesFor = (asked: string): readonly string[] => [asked, asked.split("-")[0]!, "en-US"];

/** What can name a file here, and none elsewhere. */
const isName = (text: string): boolean => /^[\w-]+$/.test(text);

/** The file in the first of the languages in which there is one; undefined where there is none. */
async function readIn(asked: string, pathOf: (language: string) => string): Promise<string | undefined> {
  for (const each of languagesFor(asked).filter(isName)) {
    const text = await readFile(join(__dirname, pathOf(each)), "utf8").catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The sections of the help of a type of node; undefined where there is no such type. */
const sectionsOf = async (type: string, language: string): Promise<string | undefined> =>
  isName(type) ? readIn(language, (each) => `help/${each}/${type}.html`) : undefined;

/** Serves who may read flows. */
export function serveTexts(RED: NodeAPI): void {
  const reader = RED.auth.needsPermission("fxdesk.read");
  RED.httpAdmin.get("/fxdesk/help/:type", reader, (request, response) => {
    const type = String(request.params.type);
    if (isForeign(request.headers)) response.status(403).end();
    else
      void sectionsOf(type, String(request.query.lang ?? "")).then((sections) =>
        sections === undefined
          ? response.status(404).json({ message: `There is no help for ${type}.` })
          : response.type("html").send(sections),
      );
  });
  RED.httpAdmin.get("/fxdesk/words", reader, (request, response) => {
    if (isForeign(request.headers)) response.status(403).end();
    else
      void readIn(String(request.query.lang ?? ""), (each) => `form-words/${each}.json`).then((words) =>
        words === undefined
          ? response.status(500).json({ message: "The words of forms are missing from the package." })
          : response.type("json").send(words),
      );
  });
}
