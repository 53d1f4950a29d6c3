/** The examples use nodes that the package registers, as it is built. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import { root } from "./support/node-red";
import { examples } from "./support/recipes";

const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Files that Node-RED loads. */
const runtimes = Object.values(manifest["node-red"].nodes);

const found = (paths: readonly string[], pattern: RegExp) =>
  paths.flatMap((path) => [...read(path).matchAll(pattern)].map(([, type]) => type!));

test("every fxdesk node of an example is registered", () => {
  const registered = new Set(found(runtimes, /RED\.nodes\.registerType\("([^"]+)"/g));
  const used = examples
    .flatMap(([, flow]) => flow.map(({ type }) => type))
    .filter((type) => type.startsWith("fxdesk-"));
  expect(used.length).toBeGreaterThan(50);
  expect(used.filter((type) => !registered.has(type))).toEqual([]);
});
