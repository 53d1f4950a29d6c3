/** The guide says of the controls what they say of themselves. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { controls } from "@fxdesk/sandbox";

test("the guide lists every control, and no other", async () => {
  const guide = await readFile(join(__dirname, "../../../docs/sandbox.md"), "utf8");
  const [, section = ""] = /^## Controls$(.*?)^Money that comes in/ms.exec(guide) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (.*?) *\| `(.*?)` *\|$/gm)].map(([, ...cells]) => cells);
  expect(rows).toEqual(
    controls.map(({ name, summary, method, path }) => [
      name.replace("sandbox.", ""),
      summary,
      `${method} ${path}`,
    ]),
  );
});
