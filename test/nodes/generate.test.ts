/** The files derive from the service alone, and say everything literally. */
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
import type { ResponseDeclaration, Declaration } from "../../core/spec/operation";
import { elementOf, shapeOf } from "../../core/values/kind";
import { openEnum } from "../../core/values/values";
import { settingsOf } from "../../core/call/settings";
import { callerFieldDocs, describeOperation } from "../../core/spec/describe-operation";
import { dailyOf, declarationsOf } from "../../core/spec/service";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { nodeFiles } from "../../nodes/generate/node-files";
import { commonValues } from "../../nodes/generate/deduplicate";
import { shortWords } from "../../nodes/generate/locales";
import {
  callType,
  connectionType,
  withNodeTitles,
  nodeTypeOf,
  watchType,
} from "../../nodes/shared/node-names";

const files = nodeFiles(contract);
const editor = files["fxdesk.html"]!;
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
  /** Returns the default if the catalogue has no text. */
  paletteLabel(this: Definition & { _(key: string, options: { defaultValue: string }): string }): string;
  defaults: Record<string, { value?: unknown; type?: string }>;
  credentials?: Record<string, { type: string }>;
  fxdesk: {
    slug: string;
    title: string;
    searchWords?: string;
    controls: { name: string; control: string; required?: true; options?: string[] }[];
  };
}

/** Returns the definitions that the editor registers when it loads the file, by type. */
function definitionsIn(html: string): Map<string, Definition> {
  const script = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(html)![1]!;
  const found = new Map<string, Definition>();
  const validators = { number: () => () => true };
  runInNewContext(script, {
    document: { querySelectorAll: () => [] },
    RED: {
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

test("the same service gives the same files", () => {
  expect(nodeFiles(contract)).toEqual(files);
});

test("every operation has a node: runtime, editor, form, texts and help", () => {
  for (const each of operations) {
    const type = nodeTypeOf(each);
    expect(files["fxdesk.js"]).toContain(`RED.nodes.registerType("${type}", `);
    expect(editor).toContain(`.registerType("${type}", {`);
    expect(editor).toContain(`data-template-name="${type}"`);
    expect(help).toContain(`data-help-name="${type}"`);
    const definition = definitions.get(type)!;
    const { fxdesk } = definition;
    const _ = (key: string, { defaultValue }: { defaultValue: string }) =>
      key.startsWith("short.") ? (shortWords[key.slice(6)] ?? defaultValue) : defaultValue;
    const label = definition.paletteLabel.call({ ...definition, _ });
    expect(label.split(" ")).toEqual(each.title.split(" ").map((word) => shortWords[word] ?? word));
    expect(fxdesk.title).toBe(each.title);
    const names = callerFields(each).map(({ name }) => name);
    expect(fxdesk.controls.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    for (const { name, title } of callerFieldDocs(describeOperation(each)))
      expect([type, name, wordsOf(fxdesk.slug, name)]).toMatchObject([type, name, { label: title }]);
  }
  const types = [...definitions.keys()];
  expect(types.slice(0, 3)).toEqual([connectionType, callType, watchType]);
  expect(types.slice(3).toSorted()).toEqual(operations.map(nodeTypeOf).toSorted());
});

test("daily operations are in the first palette group, the rest by section", () => {
  const all = [...definitionsIn(nodeFiles(fxdeskService)["fxdesk.html"]!)].filter(
    ([type]) => type !== connectionType,
  );
  const first = all.filter(([, { category }]) => category === "fxdesk").map(([type]) => type);
  const daily = dailyOf(fxdeskService).map(nodeTypeOf);
  expect(first).toEqual([...daily, callType, watchType]);
  expect(all.slice(0, first.length).map(([type]) => type)).toEqual(first);
  expect(all).toHaveLength(declarationsOf(fxdeskService).length + 2);
  expect(new Set(all.slice(first.length).map(([, { category }]) => category))).not.toContain("fxdesk");
});

test("a watch has a node without input, with changes and status as outputs", () => {
  const all = nodeFiles(fxdeskService);
  const own = definitionsIn(all["fxdesk.html"]!);
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
    expect(all["fxdesk.js"]).toContain(`RED.nodes.registerType("${type}", watch("${watch.name}"));`);
    const told = helpOf(watch, all);
    expect(told).toContain("null if it no longer exists");
    for (const { name } of declarationsOf(fxdeskService))
      expect([type, name, told.includes(name)]).toEqual([type, name, false]);
  }
});

test("an added operation gets everything without another line", () => {
  const added = nodeFiles({ ...contract, operations: [everyKindOperation] });
  const { category, icon, fxdesk } = definitionsIn(added["fxdesk.html"]!).get("fxdesk-try-all")!;

  expect({ category, icon }).toEqual({ category: "fxdesk extras", icon: "fxdesk.svg" });
  expect(fxdesk.controls).toEqual([
    { name: "day", control: "text", required: true, hint: "YYYY-MM-DD", moment: "day" },
    { name: "side", control: "choice", required: true, options: ["buy", "sell"] },
    { name: "size", control: "number", hint: "50" },
    { name: "exact", control: "choice", options: ["true", "false"] },
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
});

test("help of every response in JSON names its fields", () => {
  for (const each of operations) {
    const described = Object.values<ResponseDeclaration>(each.responses).flatMap((response) =>
      response.kind === "json" ? Object.keys(shapeOf(elementOf(response.schema) ?? response.schema)) : [],
    );
    for (const name of described)
      expect([each.name, helpOf(each)]).toEqual([each.name, expect.stringContaining(`<code>${name}</code>`)]);
  }
  expect(helpOf({ tool: "list_open_banking_transactions" })).toContain(
    "Each entry of transactions.booked, transactions.pending, transactions.information:",
  );
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
      `<p>${withNodeTitles(each.summary, operations)}</p><fxdesk-help type="${type}" language="en-US"></fxdesk-help>`,
    );
    expect(helpOf(each)).toMatch(/^<h3>/);
    expect(helpOf(each, files, "de")).toContain("<h3>Ausgaben</h3>");
  }
});

test("common field values are written once", () => {
  const all = [...definitions.values()].flatMap(({ fxdesk }) => fxdesk.controls ?? []);
  expect(editor.split('{"name":"').length).toBeLessThan(all.length * 0.6);
  expect(JSON.stringify(formWords).split('"TPP-Redirect-URI"')).toHaveLength(2);
  expect(commonValues(["a", "b", "b", "c"].map((value) => ["name", { value }]))).toEqual({
    name: { value: "b" },
  });
});

test("the node that calls any operation has a form, texts and help", () => {
  const { defaults, fxdesk } = definitions.get(callType)!;

  expect(Object.keys(defaults)).toEqual([
    "name",
    "connection",
    "operation",
    "input",
    "requestKey",
    "pages",
    "rows",
    "saveTo",
    "resultTo",
    "outputs",
    "timeoutMs",
    "version",
  ]);
  expect(editor).toContain(`data-template-name="${callType}"`);
  expect(help).toContain(`data-help-name="${callType}"`);
  expect(words.labels[fxdesk.slug]).toBe("Call operation");
});

test("the connection's form is that of the service", () => {
  const settings = [{ name: "tenant", title: "Tenant", description: "Whose.", secret: true }];
  const { credentials } = definitionsIn(
    nodeFiles({ ...contract, settings, operations: [] })["fxdesk.html"]!,
  ).get(connectionType)!;

  expect(Object.keys(credentials!)).toEqual(["tenant", "storeKey"]);
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
