/** Generated pages are those that the examples and the declarations make; FXDESK_WRITE_DOCS=1 writes them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorsPage } from "../../build/errors-page";
import { settingsPage } from "../../build/settings-page";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { documentFiles } from "../../nodes/generate/document-files";
import { withQuoteProcedures } from "../../nodes/shared/node-names";
import { exampleFiles } from "../nodes/support/recipes";
import { formatDocs } from "../support/formatted-docs";

const root = join(__dirname, "../..");
const folders = ["recipes", "palette"].map((name) => join(root, "docs", name));

const examples = exampleFiles.map((file) => ({
  file,
  flow: JSON.parse(readFileSync(join(root, "examples", file), "utf8")),
}));

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

/** Taken by npm run pictures. */
const pictures = folders.flatMap(filesIn).filter((path) => /\.(png|webp)$/.test(path));
const slugs = new Set(pictures.flatMap((path) => /([^/\\]+)-page\.png$/.exec(path)?.[1] ?? []));

const service = withQuoteProcedures(fxdeskService);
const documents = documentFiles(service, examples, slugs);
const references = { "errors.md": errorsPage(), "settings.md": settingsPage(fxdeskService) };
const toFiles = (pages: Readonly<Record<string, string>>) =>
  Object.entries(pages).map(([path, text]) => [join(root, "docs", path), text] as const);
const files = toFiles(documents);
const allFiles = [...files, ...toFiles(references)];

/** Without what only aligns tables. */
const unaligned = (text: string) => text.replaceAll(/ +\|/g, " |").replaceAll(/-{3,}/g, "---");

if (process.env.FXDESK_WRITE_DOCS) {
  for (const path of folders.flatMap(filesIn).filter((each) => each.endsWith(".md"))) rmSync(path);
  for (const [path, text] of allFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  formatDocs();
}

test("every page is current, and there is no other", () => {
  const old = allFiles.filter(
    ([path, text]) => !existsSync(path) || unaligned(readFileSync(path, "utf8")) !== unaligned(text),
  );
  expect(old.map(([path]) => path)).toEqual([]);
  const all = folders.flatMap(filesIn).toSorted();
  expect(all).toEqual([...files.map(([path]) => path), ...pictures].toSorted());
});

test("every picture is on a page", () => {
  const pages = files.map(([, text]) => text).join("");
  expect(pictures.filter((path) => !pages.includes(`(images/${basename(path)})`))).toEqual([]);
});

test("they lead only to files that are there", () => {
  for (const [path, text] of files)
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)#]+)\)/g))
      expect([path, target, existsSync(join(dirname(path), target!))]).toEqual([path, target, true]);
});

test("every recipe is on a page of its own, and every group has one", () => {
  const pages = files.filter(([path]) => path.endsWith(".md"));
  expect(pages.length).toBeGreaterThan(examples.length);
  for (const [path, text] of pages.filter(([each]) => !each.endsWith("README.md")))
    expect([path, /!\[[^\]]+\]\(images\/[\w-]+\.webp\)/.test(text)]).toEqual([path, true]);
});

test("the pictures stay small", () => {
  const bytes = folders.flatMap(filesIn).reduce((sum, path) => sum + readFileSync(path).length, 0);
  expect(bytes).toBeLessThan(2_000_000);
});
