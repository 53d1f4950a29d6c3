/** The package as it is published. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import manifest from "../../package.json";

const run = promisify(execFile);
const root = join(__dirname, "../..");
const tool = (name: string) => join(root, "node_modules/.bin", name);

let folder: string;
let tarball: string;
let files: readonly string[];

/**
 * Packs a copy without scripts: npm runs `prepare` before it packs, some versions even when told not to, and a build
 * would pull dist away from under the other tests.
 */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fxdesk-package-"));
  const copy = join(folder, "copy");
  const skipped = new Set(["node_modules", ".git", ".fxdesk"]);
  await cp(root, copy, { recursive: true, filter: (path) => !skipped.has(basename(path)) });
  const { scripts: _, ...rest } = manifest;
  await writeFile(join(copy, "package.json"), JSON.stringify(rest));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: copy });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  tarball = join(folder, packed.filename);
  files = packed.files.map(({ path }) => path);
}, 60_000);

afterAll(() => rm(folder, { recursive: true }));

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

test("its entry points and types resolve in every module system that Node.js has", async () => {
  await run(tool("publint"), [tarball, "--strict"]);
  await run(tool("attw"), [tarball, "--profile", "node16"]);
}, 60_000);

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
  const developing = Object.keys(manifest.devDependencies);
  expect([...asked].filter((name) => developing.includes(name))).toEqual([]);
  for (const name of Object.keys(manifest.dependencies)) expect(asked).toContain(name);
});
