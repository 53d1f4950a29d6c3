/** Results of procedures contain every row of all lists exactly once, as text and as data, however long they are. */
import type { z } from "zod";
import { createClient } from "../../core";
import { contract, defineService, type Procedure } from "../../core/operations";
import { procedures } from "../../core/procedures/all";
import { elementOf, kindOf, optionsOf, shapeOf } from "../../core/values/kind";
import type { JsonObject, ToolResult } from "../../mcp/render/content";
import { returnsRows } from "../../mcp/read-list";
import { maxResultLength } from "../../mcp/render/values";
import { withAssistant } from "../support/surfaces";
import { textOf } from "./support/clients";

/** Default number of rows per list. */
type Lengths = (list: string) => number;

/** Returns a value of a schema with texts from a name. Top-level lists have the given lengths, nested lists two items. */
function sample(schema: z.ZodType, name: string, length: Lengths, depth = 0): unknown {
  const element = elementOf(schema);
  const shape = Object.entries(shapeOf(schema));
  if (element)
    return Array.from({ length: depth <= 1 ? length(name) : 2 }, (_, index) =>
      sample(element, `${name}#${index};`, length, 2),
    );
  if (shape.length > 0)
    return Object.fromEntries(
      shape.map(([key, inner]) => [key, sample(inner, depth === 0 ? key : name, length, depth + 1)]),
    );
  const plain = { boolean: false, integer: 7, number: 7.5, object: {} } as const;
  const kind = kindOf(schema);
  return kind in plain ? plain[kind as keyof typeof plain] : (optionsOf(schema)?.[0] ?? name);
}

const bodyOf = ({ responses }: Pick<Procedure, "responses">, length: Lengths): JsonObject => {
  const response = responses[200]!;
  return sample(response.kind === "json" ? response.schema : undefined!, "", length) as JsonObject;
};

/** The procedures, with generated results instead of those of the service. */
const serviceWith = (length: Lengths) =>
  defineService({
    ...contract,
    procedures: procedures.map((procedure) => ({
      ...procedure,
      input: {},
      rules: [],
      run: async () => bodyOf(procedure, length),
    })),
  });

const listsOf = (content: JsonObject) =>
  Object.entries(content).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));

/** Returns the distinct rows that a text contains, from all lists. */
const namedIn = (text: string) => [...new Set(text.match(/\w+#\d+;/g))].toSorted();

async function readAllResults(tool: string, length: Lengths) {
  const client = createClient({ baseUrl: "http://127.0.0.1:9", clientId: "C" }, serviceWith(length));
  const results: ToolResult[] = [];
  await withAssistant({ client, toolsets: ["all"], allow: ["change"] }, async (assistant) => {
    for (let next: JsonObject | undefined = {}; next;) {
      const result = (await assistant.callTool({ name: tool, arguments: next })) as unknown as ToolResult;
      expect([result.isError, results.length < 40]).toEqual([undefined, true]);
      results.push(result);
      next = result.structuredContent!.next as JsonObject | undefined;
    }
  });
  await client.close();
  return results;
}

/** Writes numbers as text, because amounts of the service are decimal strings in results. */
const numbersAsText = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === "number" ? String(each) : each)));

const paged = procedures.filter(returnsRows).map((procedure) => [procedure.tool, procedure] as const);

describe.each(paged)("%s", (tool, procedure) => {
  const ofAnswer = procedure.resultList ?? listsOf(bodyOf(procedure, () => 1))[0]![0];
  test.each<[string, Lengths]>([
    ["all lists long", () => 300],
    ["only the answer long", (list) => (list === ofAnswer ? 500 : 1)],
    ["all but the answer long", (list) => (list === ofAnswer ? 0 : 400)],
    ["all lists short", () => 2],
    ["all lists empty", () => 0],
  ])("%s", async (_, length) => {
    const body = bodyOf(procedure, length);
    const results = await readAllResults(tool, length);
    const reported: Record<string, unknown[]> = {};
    for (const { structuredContent } of results)
      for (const [list, rows] of listsOf(structuredContent!)) (reported[list] ??= []).push(...rows);
    expect(numbersAsText(reported)).toEqual(numbersAsText(Object.fromEntries(listsOf(body))));
    for (const result of results) {
      const rows = Object.fromEntries(listsOf(result.structuredContent!));
      expect(namedIn(textOf(result))).toEqual(namedIn(JSON.stringify(rows)));
      expect(result.structuredContent).not.toHaveProperty("truncated");
      expect(textOf(result).length).toBeLessThan(1.3 * maxResultLength);
    }
    const [first] = results;
    for (const [list, rows] of listsOf(body)) {
      const here = (first!.structuredContent![list] as unknown[] | undefined)?.length ?? 0;
      const missing = `${here} of the ${rows.length} ${list}`;
      expect([textOf(first!).includes(missing), list]).toEqual([here < rows.length, list]);
      // An empty list would mean that there are no rows.
      expect([list, here === 0 && list in first!.structuredContent!]).toEqual([list, rows.length === 0]);
    }
  });
});

const whole = procedures
  .filter((each) => !returnsRows(each))
  .map((procedure) => [procedure.tool, procedure] as const);

test.each(whole)(
  "%s: links the complete result if it is too long, and states that lists are truncated",
  async (tool, procedure) => {
    const [result] = await readAllResults(tool, () => 400);
    const { truncated } = result!.structuredContent!;
    const isLong = JSON.stringify(bodyOf(procedure, () => 400)).length > maxResultLength;
    expect([typeof truncated === "string" && truncated.includes("lists"), isLong]).toEqual([isLong, isLong]);
    expect(result!.content.some(({ type }) => type === "resource_link")).toBe(isLong);
  },
);

test("links the complete row if it is longer than a result", async () => {
  const many = Array.from({ length: 800 }, (_, item) => ({ item, amount: "12.50" }));
  const matched = [{ kind: "several at once", items: many }];
  const reconcile = procedures.find(({ tool }) => tool === "reconcile_transactions")!;
  const service = defineService({
    ...contract,
    procedures: [
      { ...reconcile, input: {}, rules: [], run: async () => ({ matched, open_transactions: [] }) },
    ],
  });
  const client = createClient({ baseUrl: "http://127.0.0.1:9", clientId: "C" }, service);
  await withAssistant({ client, toolsets: ["all"] }, async (assistant) => {
    const result = (await assistant.callTool({
      name: reconcile.tool,
      arguments: {},
    })) as unknown as ToolResult;
    const { truncated, resource } = result.structuredContent as { truncated: string; resource: string };
    expect(truncated).toBe("1 of them is too long to show in full.");
    expect(textOf(result)).toContain(resource);
    expect(result.content).toContainEqual(expect.objectContaining({ type: "resource_link", uri: resource }));
    let text = "";
    for (let next: string | undefined = resource; next;) {
      const { contents } = await assistant.readResource({ uri: next });
      const [part] = contents as unknown as [{ text: string; _meta?: { next: string } }];
      text += part.text;
      next = part._meta?.next;
    }
    expect(JSON.parse(text)).toEqual({ matched });
  });
  await client.close();
});
