/** The guide says of the controls what they say of themselves. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { controls } from "@fxdesk/sandbox";

test("the guide lists every control, and no other", async () => {
  const guide = await readFile(join(__dirname, "../../../docs/sandbox.md"), "utf8");
  const [, section = ""] = /^## Controls$(.*?)^The clock only/ms.exec(guide) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (.*?) *\|$/gm)].map(([, name, says]) => [name, says]);
  expect(rows).toEqual(controls.map(({ name, summary }) => [name.replace("sandbox.", ""), summary]));
});
