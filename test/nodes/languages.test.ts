/** Texts of the editor in every language. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { withQuoteProcedures } from "../../nodes/shared/node-names";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { nodeFiles } from "../../nodes/generate/node-files";
import { assistantFiles, assistantNodes } from "../../nodes/generate/assistant-files";
import { releaseFiles, releaseNodes } from "../../nodes/generate/release-files";
import { declaredTexts, fallbacksOf, translateDeclared } from "../../nodes/generate/declared-texts";
import { german } from "../../nodes/generate/words/de";
import { english, type Words } from "../../nodes/generate/words/en";
import { NodeRed } from "./support/node-red";

const icons = join(__dirname, "../../icons");

/** Service of the package's nodes. */
const service = withQuoteProcedures(fxdeskService);

const files: Readonly<Record<string, string>> = {
  ...nodeFiles(service),
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

/** Returns the placeholders of a text. */
const gaps = (text: string) => [...text.matchAll(/__\w+__|\$\{\w+\}/g)].map(([gap]) => gap).toSorted();

/** Words that are the same in both languages. */
const untranslated = new Set(["Name", "Person", "Operation", "JSON", "fxdesk"]);

/** The titles of nodes that declarations say in English, and what is short for their words in the palette. */
const isOfTitles = (key: string) => /^\.(labels\.(?!fxdesk-)|short\.)/.test(key);

describe.each(["fxdesk", "releases", "mcp"])("%s", (set) => {
  const original = textsOf(catalogue("en-US", set));
  const translated = new Map(textsOf(catalogue("de", set)));

  test("the catalogues have the same keys except node titles, and no empty texts", () => {
    const others = (keys: Iterable<string>) => [...keys].filter((key) => !isOfTitles(key));
    expect(others(translated.keys())).toEqual(others(original.map(([key]) => key)));
    expect([...translated.values()].filter((text) => text.trim() === "")).toEqual([]);
  });

  test("a translation has the placeholders of its original", () => {
    const others = original.filter(([key]) => !isOfTitles(key));
    expect(others.map(([key]) => [key, gaps(translated.get(key)!)])).toEqual(
      others.map(([key, text]) => [key, gaps(text)]),
    );
  });

  test("the frame is translated", () => {
    const frame = original.filter(([key]) =>
      /^\.(form|status|palette|labels|connection\.(?!settings))/.test(key),
    );
    const left = frame.filter(([key, text]) => translated.get(key) === text && !untranslated.has(text));
    expect(left).toEqual([]);
    expect(frame.length).toBeGreaterThan(5);
  });
});

describe("texts of declarations on forms", () => {
  const declared = declaredTexts(service);
  const lines = (texts: Iterable<string>) =>
    [...texts].map((text) => `${text} [${declared.get(text) ?? "nowhere"}]`);
  /** The same in German. */
  const kept = new Set(["Alias", "Domain", "Format", "Name", "PKCE", "Text", "URLs"]);

  test("falls back to English, and is listed, where it has no translation", () => {
    const [text] = [...declared.keys()];
    const { [text!]: _, ...rest } = german.declared;
    const without = { ...german, declared: { ...rest, "No such text.": "Kein solcher Text." } };
    expect(fallbacksOf(service, without, readdirSync(icons))).toEqual(
      expect.arrayContaining([
        expect.stringContaining(`not translated: ${text} (`),
        "translation not used: No such text.",
      ]),
    );
    expect(fallbacksOf(service, german, [])).toContain("no icon: section trades");
    expect(translateDeclared(without, text!)).toBe(text);
    expect(declared.size).toBeGreaterThan(400);
  });

  test("is translated unless it is the same in both languages", () => {
    const left = Object.keys(german.declared).filter((text) => german.declared[text] === text);
    expect(lines(left.filter((text) => !kept.has(text)))).toEqual([]);
  });

  test("names the same values, fields and operations", () => {
    const named = (text: string) =>
      [...text.matchAll(/`\w+`|\w+_\w+|\b[a-z]+[A-Z]\w+(\.\w+)?|\d+(?:[-.:]+\w*\d+)*/g)]
        .map(([each]) => each)
        .toSorted();
    expect(Object.entries(german.declared).map(([text, said]) => [text, named(said)])).toEqual(
      Object.keys(german.declared).map((text) => [text, named(text)]),
    );
  });

  test("falls back to the text of an extension", () => {
    expect(translateDeclared(german, "Quote a price")).toBe("Quote a price");
    expect(translateDeclared(german, "List trades")).toBe("Geschäfte auflisten");
  });

  test("uses the node titles of its language", () => {
    const { fields, operations } = JSON.parse(files["form-words/de.json"]!);
    expect(operations["get-trade"].trade_id).toEqual({
      label: "Geschäfts-ID",
      description: "`trade_id` aus „Geschäfte auflisten“.",
    });
    expect(fields.creditorAccount.parts.iban.label).toBe("IBAN");
  });
});

/** Returns the help texts by key path. */
const helpWords = (words: Words) => {
  const { summaries: _, ...frame } = words.help;
  return textsOf(frame);
};

test("the help texts are translated, with their placeholders", () => {
  const inGerman = new Map(helpWords(german));
  const inEnglish = helpWords(english);
  expect([...inGerman.keys()]).toEqual(inEnglish.map(([key]) => key));
  expect(inEnglish.filter(([key, text]) => inGerman.get(key) === text && text !== "Details")).toEqual([]);
  const filled = inEnglish.filter(([, text]) => text !== "");
  expect(filled.map(([key]) => [key, gaps(inGerman.get(key)!)])).toEqual(
    filled.map(([key, text]) => [key, gaps(text)]),
  );
});

const types = (html: string) => [...html.matchAll(/data-help-name="([^"]+)"/g)].map(([, type]) => type!);

test.each(["fxdesk", "releases", "mcp"])("the help of %s covers the same nodes in each language", (set) => {
  const [inEnglish, inGerman] = ["en-US", "de"].map((language) => files[`locales/${language}/${set}.html`]!);
  expect(types(inGerman!)).toEqual(types(inEnglish!));
  expect(types(inGerman!).length).toBeGreaterThan(2);
  for (const [path, sections] of Object.entries(files))
    if (path.startsWith("help/de/")) expect(sections).not.toMatch(/<h3>(Fields|Outputs|Errors)<\/h3>/);
});

test("every node without a declaration has texts in each language", () => {
  const written = [...releaseNodes, ...assistantNodes];
  expect(Object.keys(german.nodes)).toEqual(written.map(({ type }) => type));
  for (const { type, details } of written)
    expect([type, german.nodes[type]!.details.length]).toEqual([type, details.length]);
});

test("Node-RED serves the texts in the language of the editor", async () => {
  const nodeRed = await NodeRed.start();
  const words = await nodeRed.json<{ form: { connection: string } }>(
    "/locales/@fxdesk/toolkit/fxdesk?lng=de",
  );
  const round = await nodeRed.json<{ labels: Record<string, string> }>(
    "/locales/@fxdesk/toolkit/fxdesk-releases?lng=de",
  );
  const headers = { accept: "text/html", "accept-language": "de" };
  const nodes = await (await nodeRed.request("/nodes", { headers })).text();
  const form = async (language: string) =>
    (
      await nodeRed.json<{ settings: { clientId: { description: string } } }>(
        `/fxdesk/words?lang=${language}`,
      )
    ).settings.clientId.description;
  const meanings = await Promise.all(["de", "de-AT", "en-US", "fr", "../de", ""].map(form));
  const help = async (language: string) =>
    (await nodeRed.request(`/fxdesk/help/fxdesk-list-trades?lang=${language}`)).text();
  const sections = await Promise.all(["de", "de-AT", "en-US", "fr", "../de", ""].map(help));
  await nodeRed.close();

  expect(words.form.connection).toBe("Verbindung");
  expect(round.labels["fxdesk-release"]).toBe("Freigeben");
  const [inGerman, inEnglish] = [/^ID des Firmenkunden/, /^ID of the corporate client/].map((text) =>
    expect.stringMatching(text),
  );
  expect(meanings).toEqual([inGerman, inGerman, inEnglish, inEnglish, inEnglish, inEnglish]);
  expect(nodes).toContain("Listet die Devisengeschäfte");
  const headings = sections.map((text) => /<h3>(Outputs|Ausgaben)<\/h3>/.exec(text)?.[1]);
  expect(headings).toEqual(["Ausgaben", "Ausgaben", "Outputs", "Outputs", "Outputs", "Outputs"]);
}, 60_000);
