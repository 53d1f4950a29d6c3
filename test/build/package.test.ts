/** The package as it is published. */
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import manifest from "../../package.json";
import { type PackedPackage, packPackage } from "../support/packed-package";

const root = join(__dirname, "../..");

let packed: PackedPackage;
let files: readonly string[];
beforeAll(async () => {
  packed = await packPackage();
  files = packed.files.map(({ path }) => path);
}, 60_000);
afterAll(() => packed.remove());

test("has what a user needs and nothing else", () => {
  for (const path of [
    "dist/cli/main.js",
    "dist/core/index.d.ts",
    "dist/nodes/fxdesk.html",
    "dist/mcp/index.js",
  ])
    expect(files).toContain(path);
  expect(
    files.filter((path) => /^(test|sandbox|bench|build|demo)\/|^dist\/(bench|build|demo)\//.test(path)),
  ).toEqual([]);
});

test("has what its guides lead to", async () => {
  for (const guide of files.filter((path) => /^(README|docs\/\w+)\.md$/.test(path)))
    for (const [, target] of (await readFile(join(root, guide), "utf8")).matchAll(/\]\((?!https?:)([^)#]+)/g))
      expect(files).toContain(join(dirname(guide), target!));
});

test("its declarations are small, and only those that its entry points lead to", () => {
  const declarations = packed.files.filter(({ path }) => path.endsWith(".d.ts"));
  expect(declarations.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(300_000);
  const inside = /^dist\/(?!core\/)|\/(trades|payments|call|transport)\.d\.ts$/;
  expect(declarations.map(({ path }) => path).filter((path) => inside.test(path))).toEqual([]);
});

test("its command is a program, which runs as it is built", async () => {
  const command = join(root, "dist/cli/main.js");
  expect(await readFile(command, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect((await stat(command)).mode & 0o777).toBe(0o755);
});

test("needs nothing that is only there to develop it", async () => {
  const code = files.filter((path) => path.endsWith(".js"));
  const asked = new Set<string>();
  for (const path of code)
    for (const [, name] of (await readFile(join(root, path), "utf8")).matchAll(
      // What a quote comes before is text, of code that is written elsewhere.
      /(?<!["'`])(?:require|import)\("((?:@[^/"]+\/)?[^./"][^/"]*)/g,
    ))
      asked.add(name!);
  const peers: Readonly<Record<string, string>> = manifest.peerDependencies;
  const developing = new Set(Object.keys(manifest.devDependencies).filter((name) => !(name in peers)));
  expect([...asked].filter((name) => developing.has(name))).toEqual([]);
  for (const name of Object.keys(manifest.dependencies)) expect(asked).toContain(name);
});
