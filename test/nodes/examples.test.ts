/** The examples have every node of the package, as it is built. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import { root } from "./support/node-red";
import { examples } from "./support/recipes";

const read = (path: string) => readFileSync(join(root, path), "utf8");

/** What Node-RED loads, and what its editor loads beside each. */
const runtimes = Object.values(manifest["node-red"].nodes);
const editors = runtimes.map((path) => path.replace(/\.js$/, ".html"));

const found = (paths: readonly string[], pattern: RegExp) =>
  paths.flatMap((path) => [...read(path).matchAll(pattern)].map(([, type]) => type!));

test("every type of node that is registered is in an example, unless it is a config node", () => {
  const registered = found(runtimes, /RED\.nodes\.registerType\("([^"]+)"/g);
  const config = new Set(found(editors, /RED\.nodes\.registerType\("([^"]+)", \{\s*category: "config"/g));
  const used = new Set(examples.flatMap(([, flow]) => flow.map(({ type }) => type)));

  expect(registered.length).toBeGreaterThan(config.size);
  expect(registered.filter((type) => !config.has(type) && !used.has(type))).toEqual([]);
});
