/** Tests the contents of the published package, and the count of its size. */
import { execFile } from "node:child_process";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import manifest from "../../package.json";
import sandboxManifest from "../../sandbox/package.json";
import { type PackedPackage, packPackage } from "../support/packed-package";
import { tempFolder } from "../support/resources";

const root = join(__dirname, "../..");

let packed: PackedPackage;
let files: readonly string[];
beforeAll(async () => {
  packed = await packPackage();
  files = packed.files.map(({ path }) => path);
}, 60_000);

test("contains only files that users need", () => {
  for (const path of [
    "dist/cli/main.js",
    "dist/core/index.d.ts",
    "dist/nodes/fxdesk.html",
    "dist/mcp/index.js",
  ])
    expect(files).toContain(path);
  expect(
    files.filter((path) =>
      /^(test|sandbox|bench|build|demo|evals)\/|^dist\/(bench|build|demo|evals)\//.test(path),
    ),
  ).toEqual([]);
});

test("contains all files linked from the guides", async () => {
  for (const guide of files.filter((path) => /^(README|docs\/\w+)\.md$/.test(path)))
    for (const [, target] of (await readFile(join(root, guide), "utf8")).matchAll(/\]\((?!https?:)([^)#]+)/g))
      expect(files).toContain(join(dirname(guide), target!));
});

test("declarations are small, and only of the modules that users import", () => {
  const declarations = packed.files.filter(({ path }) => path.endsWith(".d.ts"));
  expect(declarations.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(710_000);
  const inside = /^dist\/(?!core\/)|\/contract\/(trades|payments)\.d\.ts$/;
  expect(declarations.map(({ path }) => path).filter((path) => inside.test(path))).toEqual([]);
});

test("the command is executable after a build", async () => {
  const command = join(root, "dist/cli/main.js");
  expect(await readFile(command, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect((await stat(command)).mode & 0o777).toBe(0o755);
});

test("nothing builds when npm or npx uses the checkout, as a running demo reads dist", () => {
  const scripts = Object.keys(manifest.scripts);
  expect(scripts.filter((name) => /^(pre|post)?(install|prepare|start)$/.test(name))).toEqual(["start"]);
});

test("does not import development dependencies", async () => {
  const code = files.filter((path) => path.endsWith(".js"));
  const asked = new Set<string>();
  for (const path of code)
    for (const [, name] of (await readFile(join(root, path), "utf8")).matchAll(
      // An import after a quote is text of generated code.
      /(?<!["'`])(?:require|import)\("((?:@[^/"]+\/)?[^./"][^/"]*)/g,
    ))
      asked.add(name!);
  const peers: Readonly<Record<string, string>> = manifest.peerDependencies;
  const developing = new Set(Object.keys(manifest.devDependencies).filter((name) => !(name in peers)));
  expect([...asked].filter((name) => developing.has(name))).toEqual([]);
  for (const name of Object.keys(manifest.dependencies)) expect(asked).toContain(name);
});

test("the bill of materials lists production dependencies with their hashes", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, "dist/build/sbom.js")], {
    cwd: root,
    maxBuffer: 2 ** 24,
  });
  const { components } = JSON.parse(stdout) as { components: { name: string; hashes?: unknown[] }[] };
  const names = components.map(({ name }) => name);
  const declared = [manifest, sandboxManifest].flatMap(({ dependencies }) => Object.keys(dependencies));
  expect(names).toEqual(expect.arrayContaining(declared.filter((name) => !name.startsWith("@fxdesk/"))));
  expect(names.filter((name) => ["jest", "node-red", "typescript"].includes(name))).toEqual([]);
  for (const { name, hashes } of components)
    expect([name, name === "sandbox" || (hashes ?? []).length > 0]).toEqual([name, true]);
}, 60_000);

test("the size of a checkout counts tokens, without comments, blank lines and derived folders", async () => {
  const folder = await tempFolder();
  for (const path of ["core", "core/dist", "test"]) await mkdir(join(folder, path), { recursive: true });
  await writeFile(join(folder, "core/one.ts"), "// A comment.\n\nexport const one = `a\n${1}`; /* one */\n");
  await writeFile(join(folder, "core/dist/one.ts"), "export const one = 1;\n");
  await writeFile(join(folder, "test/one.test.ts"), "test();\n");
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(root, "dist/build/count-tokens.js"),
    folder,
  ]);
  const figures = stdout.split("\n").map((line) => line.match(/[\w/]+/g) ?? []);
  expect(figures).toContainEqual(["core", "1", "2", "8"]);
  expect(figures).toContainEqual(["product", "1", "2", "8"]);
  expect(figures).toContainEqual(["tests", "1", "1", "4"]);
});
