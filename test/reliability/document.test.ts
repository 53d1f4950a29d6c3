/** docs/reliability.md matches the matrix. FXDESK_WRITE_DOCS=1 writes its tables. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exitCodeOf } from "../../cli/command-line/exit-codes";
import { FxdeskError, type ErrorCode } from "../../core";
import { formatDocs } from "../support/formatted-docs";
import { exitCodes } from "./matrix";
import { tables } from "./tables";

const root = join(__dirname, "../..");
const path = join(root, "docs/reliability.md");

const between = (name: string) => new RegExp(`(<!-- ${name} -->\\n)(.*?)(\\n<!-- end -->)`, "s");

/** Removes alignment from table lines. */
const cellsOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => line.replaceAll(/ +\|/g, " |").replaceAll(/-{3,}/g, "---"));

beforeAll(async () => {
  if (!process.env.FXDESK_WRITE_DOCS) return;
  let text = await readFile(path, "utf8");
  for (const [name, lines] of Object.entries(tables))
    text = text.replace(between(name), (_, begin: string, _old, end: string) =>
      [begin, ...lines.map((line) => `\n${line}`), end].join(""),
    );
  await writeFile(path, text);
  formatDocs();
});

test.each(Object.entries(tables))("the table %s matches the tested data", async (name, lines) => {
  const shown = between(name).exec(await readFile(path, "utf8"))?.[2];
  expect(cellsOf(shown ?? "")).toEqual(cellsOf(lines.join("\n")));
});

test("each error code has the exit code of the command", () => {
  for (const [code, exit] of Object.entries(exitCodes))
    if (code !== "done")
      expect([
        code,
        exitCodeOf(
          new FxdeskError("", { code: code as ErrorCode, operation: "trades.list", outcome: "unknown" }),
        ),
      ]).toEqual([code, exit]);
});
