/** Code that Node-RED loads from this package at startup. */
import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import manifest from "../../package.json";
import { root } from "./support/node-red";
import { examples } from "./support/recipes";

const files = Object.values(manifest["node-red"].nodes);

/** Loads the files as Node-RED does, and says what was loaded behind them. */
const loadScript = `const nothing = () => undefined;
const types = [];
const RED = {
  nodes: { registerType: (type) => types.push(type) },
  auth: { needsPermission: nothing },
  httpAdmin: { get: nothing, use: nothing },
  httpNode: { use: nothing },
};
for (const file of ${JSON.stringify(files)}) require("./" + file)(RED);
console.log(JSON.stringify({ types, loaded: Object.keys(require.cache) }));`;

test("registers the nodes of all examples before it loads the code behind them", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--eval", loadScript], { cwd: root });
  const { types, loaded } = JSON.parse(stdout) as Record<"types" | "loaded", string[]>;

  expect(types.length).toBeGreaterThan(70);
  const used = examples.flatMap(([, flow]) => flow.map(({ type }) => type));
  expect(types).toEqual(expect.arrayContaining(used.filter((type) => type.startsWith("fxdesk-"))));
  expect(loaded.filter((path) => !path.startsWith(`${root}/dist/nodes/`))).toEqual([]);
  expect(loaded.length).toBeLessThan(files.length + 6);
});

test.each(files)("%s says which version of Node.js it requires", async (file) => {
  const script =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } });' +
    `try { require("./${file}"); } catch ({ message }) { console.log(message); }`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--eval", script], { cwd: root });
  expect(stdout).toBe("fxdesk requires Node.js 20.19 or later; this is 18.20.8.\n");
});

/** The modules of the editor that a module imports, itself included. Those that it imports on demand come with a form. */
function modulesFrom(name: string, found = new Set<string>()): Set<string> {
  found.add(name);
  const code = readFileSync(join(root, "resources", name), "utf8");
  for (const [, imported] of code.matchAll(/^(?:import|} from|export .* from) [^;]*"\.\/(.+?)";$/gm))
    if (!found.has(imported!)) modulesFrom(imported!, found);
  return found;
}

test.each(["en-US", "de"])(
  "the editor loads less than 250,000 bytes in %s before a form is opened",
  (language) => {
    const bytesIn = (folder: string, names: readonly string[]) =>
      names.reduce((sum, name) => sum + statSync(join(root, folder, name)).size, 0);
    const sets = files.map((file) => basename(file, ".js"));
    const catalogues = (each: string) =>
      bytesIn(
        `dist/nodes/locales/${each}`,
        sets.map((set) => `${set}.json`),
      );
    const loaded = [
      bytesIn("resources", ["form.css", ...modulesFrom("form.js")]),
      bytesIn(
        "dist/nodes",
        sets.map((set) => `${set}.html`),
      ),
      bytesIn(
        `dist/nodes/locales/${language}`,
        ["fxdesk", "releases", "mcp"].map((set) => `${set}.html`),
      ),
      // The editor requests the catalogues of its language twice.
      2 * catalogues(language),
      catalogues("en-US"),
    ];
    expect(loaded.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(250_000);
  },
);
