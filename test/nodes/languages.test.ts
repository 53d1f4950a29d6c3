/** What a person reads in the editor, in every language. */
import { fxdeskService } from "../../core/service";
import { nodeFiles } from "../../nodes/generate/files";
import { assistantFiles } from "../../nodes/generate/mcp";
import { releaseFiles } from "../../nodes/generate/releases";
import { NodeRed } from "./support/node-red";

const files: Readonly<Record<string, string>> = {
  ...nodeFiles(fxdeskService),
  ...releaseFiles(),
  ...assistantFiles(),
};

const catalogue = (language: string, set: string): unknown =>
  JSON.parse(files[`locales/${language}/${set}.json`]!);

/** Every text by the path of its key. */
const textsOf = (value: unknown, path = ""): [string, string][] =>
  typeof value === "string"
    ? [[path, value]]
    : Object.entries(value as object).flatMap(([key, inner]) => textsOf(inner, `${path}.${key}`));

/** What is put into a text. */
const gaps = (text: string) => [...text.matchAll(/__\w+__|\$\{\w+\}/g)].map(([gap]) => gap).toSorted();

/** Words that are the same in both languages. */
const same = new Set(["Name", "Person", "Operation", "JSON", "fxdesk"]);

describe.each(["fxdesk", "releases", "mcp"])("%s", (set) => {
  const english = textsOf(catalogue("en-US", set));
  const german = new Map(textsOf(catalogue("de", set)));

  test("the catalogues have the same keys, and none is empty", () => {
    expect([...german.keys()]).toEqual(english.map(([key]) => key));
    expect([...german.values()].filter((text) => text.trim() === "")).toEqual([]);
  });

  test("a translation has the gaps of its original", () => {
    expect([...german].map(([key, text]) => [key, gaps(text)])).toEqual(
      english.map(([key, text]) => [key, gaps(text)]),
    );
  });

  test("the frame is translated", () => {
    const frame = english.filter(([key]) => /^\.(form|status|palette|connection\.(?!settings))/.test(key));
    const left = frame.filter(([key, text]) => german.get(key) === text && !same.has(text));
    expect(left).toEqual([]);
    expect(frame.length).toBeGreaterThan(5);
  });
});

test("Node-RED gives the editor the words of its language", async () => {
  const nodeRed = await NodeRed.start();
  const words = await nodeRed.json<{ form: { connection: string } }>(
    "/locales/@fxdesk/toolkit/fxdesk?lng=de",
  );
  await nodeRed.close();

  expect(words.form.connection).toBe("Verbindung");
}, 60_000);
