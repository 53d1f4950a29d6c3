/** Texts of the editor in every language. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { textsByLanguage, translationGaps } from "../../nodes/generate/locales";
import { nodeFiles } from "../../nodes/generate/node-files";
import { withQuoteProcedures } from "../../nodes/shared/node-names";

/** Service of the package's nodes. */
const service = withQuoteProcedures(fxdeskService);
const files = nodeFiles(service);

const read = (path: string): string =>
  files[path] ?? readFileSync(join(__dirname, "../../nodes", path), "utf8");

/** Every text by the path of its key. */
const textsOf = (value: unknown, path = ""): [string, string][] =>
  typeof value === "string"
    ? [[path, value]]
    : Object.entries(value as object).flatMap(([key, inner]) => textsOf(inner, `${path}.${key}`));

const catalogue = (language: string, set: string) =>
  textsOf(JSON.parse(read(`locales/${language}/${set}.json`)));

/** Abbreviations differ between languages. English node titles are in the declarations. */
const isOfLanguage = (key: string) => /^\.(editor\.)?(labels\.(?!fxdesk-)|short\.)/.test(key);

/** Words that are the same in both languages. */
const untranslated = new Set(
  "Alias Connection-ID Details Domain Format JSON Name Open Banking Operation PKCE Person Status Text URLs fxdesk".split(
    " ",
  ),
);

test("no translation is without a text, and no text of the editor without a translation", () => {
  const { missing, unused } = translationGaps(service);
  expect(unused).toEqual([]);
  // The build lists missing texts of declarations, which appear in English.
  expect(missing.filter((key) => !/^(forms|editor\.labels|help\.summaries)\./.test(key))).toEqual([]);
});

test.each(["releases", "mcp"])("the catalogues of %s have the same keys", (set) => {
  const keys = (language: string) => catalogue(language, set).map(([key]) => key);
  expect(keys("de")).toEqual(keys("en-US"));
});

test("a translation has the placeholders and names of its original", () => {
  const { "en-US": english, de } = textsByLanguage(service);
  const german = new Map(textsOf(de));
  const gaps = (text: string) => [...text.matchAll(/__\w+__|\$\{\w+\}/g)].map(([gap]) => gap).toSorted();
  const names = (text: string) =>
    [...text.matchAll(/`\w+`|\w+_\w+|\d+(?:[-.:]+\w*\d+)*/g)].map(([name]) => name).toSorted();
  const texts = textsOf(english).filter(([key, text]) => text !== "" && !isOfLanguage(key));
  const compared = (text: string, key: string) => (key.startsWith(".forms.") ? names : gaps)(text);
  expect(texts.map(([key]) => [key, compared(german.get(key)!, key)])).toEqual(
    texts.map(([key, text]) => [key, compared(text, key)]),
  );
  const same = texts.filter(([key, text]) => german.get(key) === text && !untranslated.has(text));
  expect(same).toEqual([]);
  expect(texts.length).toBeGreaterThan(500);
});

test("an operation without translation appears in English", () => {
  const added = operation({
    name: "fixings.get",
    tool: "get_fixing",
    title: "Get fixing",
    summary: "Returns a fixing.",
    effect: "read",
    method: "GET",
    path: "/fixings/{trade_id}",
    server: "service",
    credentials: [],
    parameters: { trade_id: z.string().meta({ title: "Fixing ID", description: "ID of the fixing." }) },
    responses: { 200: json(z.unknown(), "The fixing.") },
    errors: {},
    contract: "none",
  });
  const extended = { ...service, operations: [...service.operations, added] };
  const { forms } = textsByLanguage(extended).de!;
  expect(forms.operations["get-fixing"]).toMatchObject({ trade_id: { label: "Fixing ID" } });
  expect(translationGaps(extended).missing).toEqual(
    expect.arrayContaining(["editor.labels.get-fixing", "forms.operations.get-fixing.trade_id.label"]),
  );
});

const types = (html: string) => [...html.matchAll(/data-help-name="([^"]+)"/g)].map(([, type]) => type!);

test.each(["fxdesk", "releases", "mcp"])("the help of %s covers the same nodes in each language", (set) => {
  const [english, german] = ["en-US", "de"].map((language) => read(`locales/${language}/${set}.html`));
  expect(types(german!)).toEqual(types(english!));
  expect(types(german!).length).toBeGreaterThan(2);
  for (const [path, sections] of Object.entries(files))
    if (path.startsWith("help/de/")) expect(sections).not.toMatch(/<h3>(Fields|Outputs|Errors)<\/h3>/);
});
