/** Compares the table of controls in the documentation with their declarations. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { controls } from "@fxdesk/sandbox";

test("the documentation lists every control and no others", async () => {
  const guide = await readFile(join(__dirname, "../../../docs/sandbox.md"), "utf8");
  const [, section = ""] = /^## Controls$(.*?)^## /ms.exec(guide) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (.*?) *\| `(.*?)` *\|$/gm)].map(([, ...cells]) => cells);
  expect(rows).toEqual(
    controls.map(({ name, summary, method, path }) => [
      name.replace("sandbox.", ""),
      summary,
      `${method} ${path}`,
    ]),
  );
});
