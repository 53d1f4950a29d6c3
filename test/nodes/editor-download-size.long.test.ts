/**
 * What a browser is given because of these nodes before a form is opened: the bodies of all responses, less those of an
 * editor without them. It asks for the words of all nodes once for each language of its list, and for those of its own twice.
 */
import type { Browser, Page, Response } from "playwright-core";
import { Editor, launchBrowser } from "./support/browser";
import { NodeRed } from "./support/node-red";

let browser: Browser;
let withNodes: NodeRed;
let withoutNodes: NodeRed;
beforeAll(async () => {
  browser = await launchBrowser();
  withNodes = await NodeRed.start();
  const nodesExcludes = ["toolkit", "node-red-dashboard", "node-red-node-email"];
  withoutNodes = await NodeRed.start({ settings: { nodesExcludes } });
}, 120_000);
afterAll(async () => {
  await browser.close();
  await withNodes.close();
  await withoutNodes.close();
});

interface DownloadedFile {
  readonly path: string;
  readonly bytes: number;
}

async function toDownloadedFile(response: Response): Promise<DownloadedFile> {
  const { pathname, search } = new URL(response.url());
  const body = response.status() === 200 ? await response.body() : "";
  return { path: pathname + search, bytes: body.length };
}

/** Opens the editor, and returns what the browser was given until nothing more came. */
async function openAndRecord({ url }: NodeRed, language: string): Promise<readonly DownloadedFile[]> {
  const responses: Promise<DownloadedFile>[] = [];
  const record = (response: Response) => void responses.push(toDownloadedFile(response));
  const prepare = (page: Page) => page.on("response", record);
  const { page } = await Editor.open(browser, url, { language, prepare });
  await page.waitForLoadState("networkidle");
  // The body of a response that arrives while the page closes cannot be read.
  page.off("response", record);
  const all = await Promise.all(responses);
  await page.context().close();
  return all;
}

/** The editor's own files, of which it loads some when it finds the time, are the same for all nodes. */
const isEditorFile = ({ path }: DownloadedFile): boolean => /^\/(vendor|red)\//.test(path);

const bytesOf = (all: readonly DownloadedFile[]): number =>
  all.filter((each) => !isEditorFile(each)).reduce((sum, { bytes }) => sum + bytes, 0);

/** In order of their preference: the list of such a browser. */
const catalogues = { "en-US": ["en-US", "en-US", "en"], "de-DE": ["de-DE", "de-DE", "de", "en-US"] };

test.each(Object.entries(catalogues))("is less than 256,000 bytes in %s", async (language, asked) => {
  const all = await openAndRecord(withNodes, language);
  const others = await openAndRecord(withoutNodes, language);

  const languages = all.flatMap(({ path }) => /^\/nodes\/messages\?lng=([\w-]+)/.exec(path)?.[1] ?? []);
  expect(languages.toSorted()).toEqual(asked.toSorted());
  const own = all.filter(({ path }) => path.startsWith("/resources/@fxdesk/toolkit/"));
  expect(own.length).toBeGreaterThan(10);
  expect(others.filter(({ path }) => path.includes("fxdesk"))).toEqual([]);
  expect(bytesOf(all) - bytesOf(others)).toBeGreaterThan(100_000);
  expect(bytesOf(all) - bytesOf(others)).toBeLessThan(256_000);
});
