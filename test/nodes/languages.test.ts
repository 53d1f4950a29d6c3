/** What a person reads in the editor, in every language. */
import { dailyOf } from "../../core/declaration/service";
import { fxdeskService } from "../../core/service";
import { nodeFiles } from "../../nodes/generate/files";
import { assistantFiles, assistantNodes } from "../../nodes/generate/mcp";
import { releaseFiles, releaseNodes } from "../../nodes/generate/releases";
import { german } from "../../nodes/generate/words/de";
import { english, type Words } from "../../nodes/generate/words/en";
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
  const original = textsOf(catalogue("en-US", set));
  const translated = new Map(textsOf(catalogue("de", set)));

  test("the catalogues have the same keys, and none is empty", () => {
    expect([...translated.keys()]).toEqual(original.map(([key]) => key));
    expect([...translated.values()].filter((text) => text.trim() === "")).toEqual([]);
  });

  test("a translation has the gaps of its original", () => {
    expect([...translated].map(([key, text]) => [key, gaps(text)])).toEqual(
      original.map(([key, text]) => [key, gaps(text)]),
    );
  });

  test("the frame is translated", () => {
    const frame = original.filter(([key]) =>
      /^\.(form|status|palette|labels|connection\.(?!settings))/.test(key),
    );
    const left = frame.filter(([key, text]) => translated.get(key) === text && !same.has(text));
    expect(left).toEqual([]);
    expect(frame.length).toBeGreaterThan(5);
  });
});

/** What the frame of the help says, by the path of its key. */
const helpWords = (words: Words) => {
  const { summaries: _, ...frame } = words.help;
  return textsOf(frame);
};

test("the frame of the help is translated, with its gaps", () => {
  const inGerman = new Map(helpWords(german));
  const inEnglish = helpWords(english);
  expect([...inGerman.keys()]).toEqual(inEnglish.map(([key]) => key));
  expect(inEnglish.filter(([key, text]) => inGerman.get(key) === text && text !== "Details")).toEqual([]);
  const filled = inEnglish.filter(([, text]) => text !== "");
  expect(filled.map(([key]) => [key, gaps(inGerman.get(key)!)])).toEqual(
    filled.map(([key, text]) => [key, gaps(text)]),
  );
});

test("what is needed daily is summed up in each language", () => {
  const daily = dailyOf(fxdeskService).map(({ name }) => name);
  expect(Object.keys(german.help.summaries).toSorted()).toEqual(daily.toSorted());
});

const types = (html: string) => [...html.matchAll(/data-help-name="([^"]+)"/g)].map(([, type]) => type!);

test.each(["fxdesk", "releases", "mcp"])("the help of %s is there for the same nodes", (set) => {
  const [inEnglish, inGerman] = ["en-US", "de"].map((language) => files[`locales/${language}/${set}.html`]!);
  expect(types(inGerman!)).toEqual(types(inEnglish!));
  expect(types(inGerman!).length).toBeGreaterThan(2);
  for (const [path, sections] of Object.entries(files))
    if (path.startsWith("help/de/")) expect(sections).not.toMatch(/<h3>(Fields|Outputs|Errors)<\/h3>/);
});

test("every node whose texts are written for it has them in each language", () => {
  const written = [...releaseNodes, ...assistantNodes];
  expect(Object.keys(german.nodes)).toEqual(written.map(({ type }) => type));
  for (const { type, details } of written)
    expect([type, german.nodes[type]!.details.length]).toEqual([type, details.length]);
});

test("Node-RED gives the editor the words of its language", async () => {
  const nodeRed = await NodeRed.start();
  const words = await nodeRed.json<{ form: { connection: string } }>(
    "/locales/@fxdesk/toolkit/fxdesk?lng=de",
  );
  const round = await nodeRed.json<{ labels: Record<string, string> }>(
    "/locales/@fxdesk/toolkit/fxdesk-releases?lng=de",
  );
  const headers = { accept: "text/html", "accept-language": "de" };
  const nodes = await (await nodeRed.request("/nodes", { headers })).text();
  const help = async (language: string) =>
    (await nodeRed.request(`/fxdesk/help/fxdesk-list-trades?lang=${language}`)).text();
  const sections = await Promise.all(["de", "de-AT", "en-US", "fr", "../de", ""].map(help));
  await nodeRed.close();

  expect(words.form.connection).toBe("Verbindung");
  expect(round.labels["fxdesk-release"]).toBe("Freigeben");
  expect(nodes).toContain("Listet die Devisengeschäfte");
  const headings = sections.map((text) => /<h3>(Outputs|Ausgaben)<\/h3>/.exec(text)?.[1]);
  expect(headings).toEqual(["Ausgaben", "Ausgaben", "Outputs", "Outputs", "Outputs", "Outputs"]);
}, 60_000);
