/**
 * What the editor is given because of these nodes before it is shown: their page, words, scripts and styles, each once. A browser
 * asks for the words again for each further language of its list.
 */
import manifest from "../../package.json";
import { NodeRed } from "./support/node-red";

let nodeRed: NodeRed;
beforeAll(async () => {
  nodeRed = await NodeRed.start();
});
afterAll(() => nodeRed.close());

/** The text of what must be there. */
async function textOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await nodeRed.request(path, { headers });
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

/** What the page of all nodes has of this package: definitions, forms, and the help in a language. */
async function ownPage(language: string): Promise<string> {
  const page = await textOf("/nodes", { accept: "text/html", "accept-language": language });
  const sets = page.split(/(?=<!-- --- \[red-module:)/);
  return sets.filter((set) => set.includes(`[red-module:${manifest.name}/`)).join("");
}

/** The catalogues of this package in a language. */
async function ownWords(language: string): Promise<string> {
  const all = JSON.parse(await textOf(`/nodes/messages?lng=${language}`)) as Record<string, unknown>;
  const own = Object.entries(all).filter(([set]) => set.startsWith(`${manifest.name}/`));
  return JSON.stringify(Object.fromEntries(own));
}

/** The scripts and styles that a page names, and the modules that these import. */
async function resourcesOf(page: string): Promise<string[]> {
  const texts = new Map<string, string>();
  const paths = [...page.matchAll(/(?:src|href)="(resources\/[^"]+)"/g)].map(([, path]) => `/${path}`);
  for (const path of paths) {
    if (texts.has(path)) continue;
    const text = await textOf(path);
    texts.set(path, text);
    for (const [, name] of text.matchAll(/^import .*?"(\.\/[^"]+)";$/gm))
      paths.push(new URL(name!, nodeRed.url + path).pathname);
  }
  return [...texts.values()];
}

test.each(["en-US", "de"])("is less than 250,000 bytes in %s", async (language) => {
  const page = await ownPage(language);
  const words = await ownWords(language);
  const resources = await resourcesOf(page);

  expect(page).toContain("data-help-name");
  expect(words).toContain("palette");
  expect(resources.length).toBeGreaterThan(10);
  const sizes = [page, words, ...resources].map((text) => Buffer.byteLength(text));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
});
