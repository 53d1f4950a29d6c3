/** Generated editor files and their texts in each language. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { z } from "zod";
import {
  byConnection,
  callerFields,
  contract,
  json,
  operation,
  operations,
} from "@fxdesk/toolkit/operations";
import type { Callable, Declaration } from "../../core/spec/operation";
import manifest from "../../package.json";
import { openEnum } from "../../core/values/values";
import { settingsOf } from "../../core/call/settings";
import { checkInput } from "../../core/spec/check";
import { callerFieldDocs, describeOperation } from "../../core/spec/describe-operation";
import { declarationsOf } from "../../core/spec/service";
import { isWatch } from "../../core/spec/watch";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { nodeFiles } from "../../nodes/generate/node-files";
import { textsByLanguage, translationGaps } from "../../nodes/generate/locales";
import { otherNodes } from "../../nodes/generate/other-nodes";
import { paletteGroupsOf } from "../../nodes/generate/palette";
import { filterPalette, searchPhrases } from "./support/palette-search";
import {
  callType,
  connectionType,
  withNodeTitles,
  nodeTypeOf,
  watchType,
  withQuoteProcedures,
} from "../../nodes/shared/node-names";

type Files = Readonly<Record<string, string>>;

/** The files of all generated node sets, in the order in which Node-RED loads them. */
const setsIn = (all: Files, ending: string): string =>
  Object.entries(all)
    .filter(([path]) => /^fxdesk[\w-]*\.\w+$/.test(path) && path.endsWith(ending))
    .map(([, text]) => text)
    .join("\n");

const files = nodeFiles(contract);
const editor = setsIn(files, ".html");
const runtime = setsIn(files, ".js");
const words = JSON.parse(files["locales/en-US/fxdesk.json"]!);
const formWords = JSON.parse(files["locales/en-US/forms.json"]!);
const help = files["locales/en-US/fxdesk.html"]!;

/** The words of a field of a node: its own, or those that its name has in most. */
const wordsOf = (slug: string, name: string): { label?: string } | undefined =>
  formWords.operations[slug]?.[name] ?? formWords.fields[name];

interface Definition {
  inputs: number;
  outputs: number;
  category: string;
  color: string;
  icon: string;
  paletteLabel(): string;
  defaults: Record<string, { value?: unknown; type?: string }>;
  credentials?: Record<string, { type: string }>;
  fxdesk: {
    slug: string;
    title: string;
    searchWords?: string;
    controls: { name: string; control?: string; required?: true; options?: string[] }[];
  };
}

/** Returns the definitions that the editor registers when it loads the file, by type. */
function definitionsIn(html: string): Map<string, Definition> {
  const scripts = [...html.matchAll(/<script type="text\/javascript">([\s\S]*?)<\/script>/g)];
  const found = new Map<string, Definition>();
  const validators = { number: () => () => true };
  const script = scripts.map(([, code]) => code).join("\n");
  runInNewContext(script, {
    document: { querySelectorAll: () => [] },
    RED: {
      _: (key: string, { defaultValue }: { defaultValue: string }) =>
        words.short[key.split(":short.")[1]!] ?? defaultValue,
      validators,
      events: { on: () => undefined },
      nodes: { registerType: (type: string, definition: Definition) => found.set(type, definition) },
    },
  });
  return found;
}

const definitions = definitionsIn(editor);

/** An operation with a field of every kind. */
const everyKindOperation = operation({
  name: "extras.tryAll",
  tool: "try_all",
  title: "Try all",
  summary: "Takes everything.",
  effect: "change",
  method: "POST",
  path: "/extras/{day}",
  server: "service",
  credentials: [],
  parameters: { day: z.string().meta({ title: "Day", description: "A <day>.", format: "date" }) },
  query: {
    client_id: byConnection(z.string(), "clientId"),
    size: z.int().default(50),
    exact: z.boolean().optional(),
    side: z.enum(["buy", "sell"]),
    sides: z.array(z.enum(["buy", "sell"])).optional(),
    ids: z.array(z.int()).optional(),
  },
  body: z.object({ extra: z.object({ deep: z.string() }).optional() }),
  responses: { 200: json(z.unknown(), "Done.") },
  errors: { 400: "No." },
  contract: "none",
});

test("every operation has a node: runtime, editor, form, texts and help", () => {
  for (const each of operations) {
    const type = nodeTypeOf(each);
    expect(runtime).toContain(`RED.nodes.registerType("${type}", `);
    expect(editor).toContain(`.registerType("${type}", {`);
    expect(editor).toContain(`data-template-name="${type}"`);
    expect(help).toContain(`data-help-name="${type}"`);
    const definition = definitions.get(type)!;
    const { fxdesk } = definition;
    const label = words.short[fxdesk.slug] ?? each.title;
    expect(definition.paletteLabel()).toBe(label.replaceAll("-", "\u2011"));
    expect(fxdesk.title).toBe(each.title);
    const names = callerFields(each).map(({ name }) => name);
    expect(fxdesk.controls.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    for (const { name, title } of callerFieldDocs(describeOperation(each)))
      expect([type, name, wordsOf(fxdesk.slug, name)]).toMatchObject([type, name, { label: title }]);
  }
  const types = [...definitions.keys()];
  expect(types[0]).toBe(connectionType);
  expect(types.slice(1).toSorted()).toEqual([callType, watchType, ...operations.map(nodeTypeOf)].toSorted());
});

test("a watch has a node without input, with changes and status as outputs", () => {
  const all = nodeFiles(fxdeskService);
  const own = definitionsIn(setsIn(all, ".html"));
  for (const watch of fxdeskService.watches!) {
    const type = nodeTypeOf(watch);
    const { inputs, outputs, defaults, fxdesk } = own.get(type)!;
    expect([type, inputs, outputs]).toEqual([type, 0, 2]);
    expect(Object.keys(defaults)).toEqual(["name", "connection", "fields", "from", "every", "version"]);
    expect(fxdesk.controls.map(({ name }) => name).toSorted()).toEqual(
      callerFields(watch)
        .map(({ name }) => name)
        .toSorted(),
    );
    expect(setsIn(all, ".js")).toContain(`RED.nodes.registerType("${type}", watch("${watch.name}"));`);
    const told = helpOf(watch, all);
    expect(told).toContain("null if it no longer exists");
    for (const { name } of declarationsOf(fxdeskService))
      expect([type, name, told.includes(name)]).toEqual([type, name, false]);
  }
});

test("an added operation gets everything without another line", () => {
  const added = nodeFiles({ ...contract, operations: [everyKindOperation] });
  const { category, icon, fxdesk } = definitionsIn(setsIn(added, ".html")).get("fxdesk-try-all")!;

  expect({ category, icon }).toEqual({ category: "fxdesk extras", icon: "fxdesk.svg" });
  expect(fxdesk.controls).toEqual([
    { name: "day", required: true, hint: "YYYY-MM-DD", moment: "day" },
    { name: "side", required: true, options: ["buy", "sell"] },
    { name: "size", control: "number", hint: "50" },
    { name: "exact", options: ["true", "false"] },
    { name: "sides", control: "choices", options: ["buy", "sell"] },
    { name: "ids", control: "list" },
    {
      name: "extra",
      control: "json",
      part: { kind: "object", parts: { deep: { kind: "text", required: true } } },
    },
  ]);
  expect(helpOf(everyKindOperation, added)).toContain("A &lt;day&gt;.");
});

/** The help of a node, below its summary. */
const helpOf = (node: { tool: string }, from = files, language = "en-US"): string =>
  from[`help/${language}/${nodeTypeOf(node as Declaration)}.html`]!;

const responseOperation = operation({
  ...everyKindOperation,
  name: "extras.answer",
  tool: "answer_all",
  notes: "As extras.tryAll does.",
  responses: {
    200: json(
      z.array(
        z.object({
          id: z.string().meta({ description: "Its <id>." }),
          state: openEnum(["New", "Old"]).nullish(),
          amount: z.object({ currency: z.string().meta({ description: "Its currency." }) }).optional(),
          parts: z.array(z.object({ count: z.int(), deep: z.object({ deeper: z.string() }) })),
          tags: z.array(z.string()),
        }),
      ),
      "All of them.",
    ),
  },
});

test("help describes result fields and those one level below", () => {
  const own = helpOf(
    responseOperation,
    nodeFiles({ ...contract, operations: [everyKindOperation, responseOperation] }),
  );
  const items = [...own.matchAll(/<li><code>(.*?)<\/code> <i>(.*?)<\/i>(.*?)<\/li>/g)];

  expect(own).toContain('payload <span class="property-type">array of object</span>');
  expect(items.map(([, ...item]) => item)).toEqual([
    ["id", "string", ": Its &lt;id&gt;."],
    ["state", "string", ""],
    ["amount", "object", ""],
    ["amount.currency", "string", ": Its currency."],
    ["parts", "array of object", ""],
    ["parts[].count", "integer", ""],
    ["parts[].deep", "object", ""],
    ["tags", "array of string", ""],
  ]);
  expect(own).toContain("As “Try all” does.");
  const order = [
    ["en-US", "Worst rate"],
    ["de", "Schlechtester Kurs"],
  ].map(([language, title]) => [helpOf({ tool: "order_trade" }, packageFiles, language), title] as const);
  for (const [html, title] of order)
    expect(html).toContain(`>${title} <small><code>worst_rate</code></small>`);
  expect(helpOf({ tool: "list_open_banking_transactions" })).toContain(
    "Each entry of transactions.booked, transactions.pending, transactions.information:",
  );
});

test.each(["en-US", "de"])("help has a result of the sandbox, shortened, in %s", (language) => {
  const { headings, example } = textsByLanguage(contract)[language]!.help;
  const section = `<h3>${headings.example}</h3>\n<p>${example}</p>\n<pre`;
  for (const tool of ["list_trades", "book_trade", "get_cash_position", "watch_trades"]) {
    const [, shown] = helpOf({ tool }, packageFiles, language).split(section);
    expect([tool, shown]).toEqual([tool, expect.stringMatching(/^[^\n]*>\[?\{\n  "\w+": "[^]*\}.*<\/pre>/)]);
  }
  for (const tool of ["get_statement_file", "email_accounts_statement", "watch_calendar"])
    expect([tool, helpOf({ tool }, packageFiles, language).includes("<pre")]).toEqual([tool, false]);
});

test("no help or form shows operation names instead of node titles", () => {
  const shown = JSON.stringify([words.labels, formWords]) + help;
  const texts = shown + operations.map((each) => helpOf(each)).join("");
  for (const { name } of operations) expect([name, texts.includes(name)]).toEqual([name, false]);
});

test("the editor loads the summaries and requests the help sections", () => {
  expect(help).not.toContain("<h3>");
  for (const each of operations) {
    const type = nodeTypeOf(each);
    const own = help.split(`data-help-name="${type}">`)[1]!.split("</script>")[0]!;
    expect(own).toBe(
      `<p>${withNodeTitles(each.summary, operations)}</p><fxdesk-help type="${type}"></fxdesk-help>`,
    );
    expect(helpOf(each)).toMatch(/^<svg .*>\n<h3>/);
    expect(helpOf(each, files, "de")).toContain("<h3>Ausgaben</h3>");
  }
});

test("the connection's form has every setting, and keeps the secrets apart", () => {
  const { defaults, credentials } = definitions.get("fxdesk-connection")!;
  const settings = settingsOf(contract);
  const secrets = settings.filter(({ secret }) => secret).map(({ name }) => name);

  expect(Object.keys(credentials!)).toEqual(secrets);
  for (const { name, secret } of settings) {
    expect(name in defaults).toBe(!secret);
    expect(editor).toContain(`id="node-config-input-${name}"`);
  }
});

test("no property uses a reserved name of the editor", () => {
  const reserved =
    /^(id|type|wires|users|valid|changed|dirty|moved|selected|inputLabels|outputLabels|validationErrors|[a-z]|_.*)$/;
  for (const { defaults } of definitions.values())
    for (const property of Object.keys(defaults)) expect(property).not.toMatch(reserved);
});

test("type, definition and defaults of each node are written out, as the library's scorecard reads them", () => {
  const written = [...editor.matchAll(/\.registerType\("([\w-]+)", (\{[\s\S]*?\n\})\);/g)];
  expect(written.map(([, type]) => type)).toEqual([...definitionsIn(editor).keys()]);
  for (const [, , definition] of written) {
    expect(definition).toMatch(/\n {2}defaults: \{/);
    expect(definition).not.toContain("...");
  }
});

/** Service of the package's nodes. */
const packageService = withQuoteProcedures(fxdeskService);
const packageFiles = nodeFiles(packageService);

describe("the palette", () => {
  const palette = [...definitionsIn(setsIn(packageFiles, ".html"))].filter(
    ([type]) => type !== connectionType,
  );
  const categories = [...new Set(palette.map(([, { category }]) => category))];
  const daily = new Set(
    paletteGroupsOf(declarationsOf(packageService)).flatMap(({ category, isDaily }) =>
      isDaily ? category : [],
    ),
  );

  test("has groups in the order of work, with at most 30 nodes in those of daily work", () => {
    expect(categories.slice(0, daily.size)).toEqual(
      ["cash", "transactions", "statements", "trades", "payments"].map((name) => `fxdesk ${name}`),
    );
    const nodes = palette.filter(([, { category }]) => daily.has(category)).map(([type]) => type);
    expect(nodes.length + otherNodes.releases.length).toBeLessThanOrEqual(30);
    expect(nodes).toContain("fxdesk-order-trade");
    expect(nodes).not.toContain("fxdesk-book-trade");
    expect(palette).toHaveLength(declarationsOf(packageService).length + 2);
  });

  test("has a node set for each group, which the palette manager can hide", () => {
    const sets = Object.entries(manifest["node-red"].nodes);
    expect(sets.map(([name]) => name).filter((name) => !/fxdesk(-releases|-mcp)?$/.test(name))).toEqual(
      categories.map((category) => category.replaceAll(" ", "-")),
    );
    for (const [, path] of sets)
      expect([path, existsSync(join(__dirname, "../..", path))]).toEqual([path, true]);
  });

  test("gives triggers, money and each procedure an appearance of their own", () => {
    const colorsOf = (isIt: (each: Callable) => boolean) =>
      new Set(
        declarationsOf(packageService)
          .filter(isIt)
          .map((each) => palette.find(([type]) => type === nodeTypeOf(each))![1].color),
      );
    const [triggers, money, reads] = [
      colorsOf(isWatch),
      colorsOf(({ effect }) => effect === "money"),
      colorsOf((each) => each.effect === "read" && !isWatch(each)),
    ];
    expect([triggers.size, money.size, reads.size, new Set([...triggers, ...money, ...reads]).size]).toEqual([
      1, 1, 1, 3,
    ]);
    const icons = packageService.procedures!.map((each) => definitionOf(nodeTypeOf(each)).icon);
    expect(new Set(icons).size).toBe(icons.length);
  });

  const definitionOf = (wanted: string) => palette.find(([type]) => type === wanted)![1];

  test.each(["en-US", "de"])("finds the expected node among the first three in %s", (language) => {
    const { labels } = JSON.parse(packageFiles[`locales/${language}/fxdesk.json`]!) as {
      labels: Record<string, string>;
    };
    const entries = palette.map(([type, { category, fxdesk }]) => ({
      type,
      category,
      text: [labels[fxdesk.slug] ?? fxdesk.title, fxdesk.title, fxdesk.searchWords].join(", "),
    }));
    const releases = otherNodes.releases.map(({ type, palette: entry }) => ({
      type,
      category: "fxdesk releases",
      text: entry?.searchWords ?? "",
    }));
    const position = entries.findLastIndex(({ category }) => daily.has(category)) + 1;
    const missed = searchPhrases.filter(([phrase, expected]) => {
      const found = filterPalette(entries.toSpliced(position, 0, ...releases), phrase);
      return !found.slice(0, 3).includes(expected);
    });
    expect(missed).toEqual([]);
    expect(searchPhrases.length).toBe(60);
  });

  test("finds the nodes that read or write CSV, and no others", () => {
    const entries = palette.map(([type, { fxdesk }]) => ({ type, text: fxdesk.searchWords ?? "" }));
    const found = filterPalette(entries, "csv").map((type) => type.replace("fxdesk-", ""));
    expect(found.toSorted()).toEqual([
      "convert-statement",
      "create-statement-file",
      "email-accounts-statement",
      "email-incoming-funds-statement",
      "fetch-statements",
      "get-exposure",
      "initiate-payment-run",
      "prepare-payment-run",
      "reconcile-transactions",
    ]);
  });
});

const read = (path: string): string =>
  packageFiles[path] ?? readFileSync(join(__dirname, "../../nodes", path), "utf8");

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
  "Alias BBAN BIC Connection-ID Details Domain Format IBAN ID JSON MSISDN Name Open Banking Operation PAN PKCE Person Status Text URLs fxdesk".split(
    " ",
  ),
);

test("a label that is shortened in English is so in German, or English would appear", () => {
  const [english, german] = ["en-US", "de"].map((language) => {
    const { short } = JSON.parse(read(`locales/${language}/fxdesk.json`)) as { short: object };
    return Object.keys(short);
  });
  expect(english!.filter((slug) => !german!.includes(slug))).toEqual([]);
});

test("no translation is without a text, and no text of the editor without a translation", () => {
  const { missing, unused } = translationGaps(packageService);
  expect(unused).toEqual([]);
  // The build lists missing texts of declarations, which appear in English.
  expect(missing.filter((key) => !/^(forms|editor\.labels|help\.summaries)\./.test(key))).toEqual([]);
});

test.each(["releases", "mcp"])("the catalogues of %s have the same keys", (set) => {
  const keys = (language: string) => catalogue(language, set).map(([key]) => key);
  expect(keys("de")).toEqual(keys("en-US"));
});

test("a translation has the placeholders and names of its original", () => {
  const { "en-US": english, de } = textsByLanguage(packageService);
  const german = new Map(textsOf(de));
  const gaps = (text: string) => [...text.matchAll(/__\w+__|\$\{\w+\}/g)].map(([gap]) => gap).toSorted();
  const names = (text: string) =>
    [...text.matchAll(/`\w+`|\w+_\w+|\d+(?:[-.:]+\w*\d+)*/g)].map(([name]) => name).toSorted();
  const texts = textsOf(english).filter(([key, text]) => text !== "" && !isOfLanguage(key));
  const compared = (text: string, key: string) => (key.startsWith(".forms.") ? names : gaps)(text);
  expect(texts.map(([key]) => [key, compared(german.get(key)!, key)])).toEqual(
    texts.map(([key, text]) => [key, compared(text, key)]),
  );
  const isWord = (text: string) => !untranslated.has(text) && !/^[A-Z0-9]+$/.test(text);
  const same = texts.filter(([key, text]) => german.get(key) === text && isWord(text));
  expect(same).toEqual([]);
  expect(texts.length).toBeGreaterThan(500);
});

test.each(["en-US", "de"])(
  "a form in %s shows words for options, unless they are identifiers",
  (language) => {
    const { options: titles } = textsByLanguage(packageService)[language]!.forms;
    const shown = [...definitionsIn(setsIn(packageFiles, ".html")).values()]
      .flatMap(({ fxdesk }) => fxdesk.controls ?? [])
      .flatMap(({ options = [] }) => options)
      .map((option) => titles[option] ?? option);
    expect(shown.length).toBeGreaterThan(300);
    expect(
      shown.filter((text) => !/^[A-ZÄÖÜ][\w äöüßÄÖÜ,()-]+$/.test(text) && !/^(\w+[./]|\d+$)/.test(text)),
    ).toEqual([]);
  },
);

test("titles of options come from an alternative spelling that corrects them, and from options of parts", () => {
  const { options } = textsByLanguage(packageService)["en-US"]!.forms;
  expect(options).toMatchObject({
    EveryTwoWeeks: "Every two weeks",
    allAccountsWithOwnerName: "All accounts with owner name",
    mortage_repayment: "Mortgage repayment",
    mt940: "MT940",
    "pain.001-sepa-credit-transfers": "pain.001 SEPA credit transfers",
    true: "Yes",
    working_day_of_month: "Working day of month",
  });
});

test("each message about a field has a German template", () => {
  const { messages } = textsByLanguage(packageService).de!.forms as unknown as { messages: object };
  const patterns = Object.keys(messages).map(
    (each) => new RegExp(`^${each.replace(/[.()]/g, "\\$&").replaceAll("{}", "(.*)")}$`, "s"),
  );
  const values = [
    undefined,
    "",
    "x",
    -1,
    1.5,
    1e9,
    "2026-02-30",
    "101",
    "1,000",
    "1.000,50",
    "http://x",
    [],
    [""],
    {},
    "x".repeat(5_000),
  ];
  const said = declarationsOf(packageService).flatMap((each) =>
    callerFields(each as Declaration).flatMap(({ name }) =>
      values
        .flatMap((value) => checkInput(each, { [name]: value }, new Date()))
        .flatMap(({ message, rule }) => (rule ? [] : message.replace(/, not .*$/s, ""))),
    ),
  );
  // A format that is no sentence is the same in both languages.
  const isFormat = (message: string) => /^must be [^ ]+(, such as [^ ]+)?$/.test(message);
  const known = (message: string) => isFormat(message) || patterns.some((each) => each.test(message));
  expect([...new Set(said)].filter((message) => !known(message))).toEqual([]);
  expect(new Set(said).size).toBeGreaterThan(60);
});

test("an operation without translation appears in English", () => {
  const extended = { ...packageService, operations: [...packageService.operations, everyKindOperation] };
  const { forms } = textsByLanguage(extended).de!;
  expect(forms.fields).toMatchObject({ exact: { label: "Exact" } });
  expect(translationGaps(extended).missing).toEqual(
    expect.arrayContaining(["editor.labels.try-all", "forms.fields.exact.label"]),
  );
});

const types = (html: string) => [...html.matchAll(/data-help-name="([^"]+)"/g)].map(([, type]) => type!);

test.each(["fxdesk", "releases", "mcp"])("the help of %s covers the same nodes in each language", (set) => {
  const [english, german] = ["en-US", "de"].map((language) => read(`locales/${language}/${set}.html`));
  expect(types(german!)).toEqual(types(english!));
  expect(types(german!).length).toBeGreaterThan(2);
  for (const [path, sections] of Object.entries(packageFiles))
    if (path.startsWith("help/de/")) expect(sections).not.toMatch(/<h3>(Fields|Outputs|Errors)<\/h3>/);
});
