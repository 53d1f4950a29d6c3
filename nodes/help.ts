/** The help of the nodes, which the editor asks for when it is shown. It was written when the package was built. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import { isForeign } from "./admin";

const folder = join(__dirname, "help");

/** Those in which help is looked for, as Node-RED does: the one asked for, what it is a variant of, English. */
const languagesFor = (asked: string): readonly string[] => [asked, asked.split("-")[0]!, "en-US"];

/** What can name a file here, and none elsewhere. */
const isName = (text: string): boolean => /^[\w-]+$/.test(text);

/** The sections of the help of a type of node; undefined where there is no such type. */
async function sectionsOf(type: string, language: string): Promise<string | undefined> {
  if (!isName(type)) return undefined;
  for (const each of languagesFor(language).filter(isName)) {
    const text = await readFile(join(folder, each, `${type}.html`), "utf8").catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Serves who may read flows. */
export function serveHelp(RED: NodeAPI): void {
  RED.httpAdmin.get("/fxdesk/help/:type", RED.auth.needsPermission("fxdesk.read"), (request, response) => {
    const { lang = "" } = request.query;
    const type = String(request.params.type);
    if (isForeign(request.headers)) response.status(403).end();
    else
      void sectionsOf(type, String(lang)).then((sections) =>
        sections === undefined
          ? response.status(404).json({ message: `There is no help for ${type}.` })
          : response.type("html").send(sections),
      );
  });
}
