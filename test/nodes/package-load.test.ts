/** Code that Node-RED loads from this package at startup. */
import { execFile } from "node:child_process";
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
