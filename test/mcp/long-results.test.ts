/**
 * Results of procedures contain every row of all lists exactly once, as text and as data, however long they are. Their files are
 * linked, and text files begin in the result.
 */
import type { z } from "zod";
import { createClient } from "../../core";
import { contract, defineService, type Procedure } from "../../core/operations";
import { procedures } from "../../core/procedures/all";
import { convertStatements } from "../../core/procedures/convert-statements";
import { fetchStatements } from "../../core/procedures/fetch-statements";
import { elementOf, kindOf, optionsOf, shapeOf } from "../../core/values/kind";
import type { JsonObject, ToolResult } from "../../mcp/render/content";
import { returnsRows } from "../../mcp/read-list";
import { maxResultLength } from "../../mcp/render/values";
import { withAssistant } from "../support/surfaces";
import { textOf } from "./support/clients";

interface Assistant {
  readonly call: (name: string, input: JsonObject) => Promise<ToolResult>;
  /** Calls with `next` until there is none. */
  readonly readAll: (name: string, input: JsonObject) => Promise<ToolResult[]>;
  readonly read: (
    uri: string,
  ) => Promise<{ readonly text: string; readonly _meta?: { readonly next: string } }>;
}

/** Offers the given procedures instead of those of fxdesk. */
async function withProcedures<T>(
  offered: readonly Procedure[],
  use: (assistant: Assistant) => Promise<T>,
): Promise<T> {
  const service = defineService({ ...contract, procedures: offered });
  const client = createClient({ baseUrl: "http://127.0.0.1:9", clientId: "C" }, service);
  try {
    return await withAssistant(
      { client, toolsets: ["all"], allow: ["change", "money"], release: "never" },
      (host) => {
        const call = async (name: string, input: JsonObject) =>
          (await host.callTool({ name, arguments: { ...input } })) as unknown as ToolResult;
        return use({
          call,
          async readAll(name, input) {
            const results: ToolResult[] = [];
            for (let next: JsonObject | undefined = input; next;) {
              const result = await call(name, next);
              expect([result.isError, results.length < 60]).toEqual([undefined, true]);
              results.push(result);
              const { next: following } = result.structuredContent as {
                next?: { readonly continue: string };
              };
              next = following && { continue: following.continue };
            }
            return results;
          },
          read: async (uri) => (await host.readResource({ uri })).contents[0] as never,
        });
      },
    );
  } finally {
    await client.close();
  }
}

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

/** A procedure with a generated result instead of that of the service. */
const generated = (procedure: Procedure, run: Procedure["run"]): Procedure => ({
  ...procedure,
  input: {},
  rules: [],
  run,
});

const listsOf = (content: JsonObject) =>
  Object.entries(content).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));

/** Returns the distinct rows that a text contains, from all lists. */
const namedIn = (text: string) => [...new Set(text.match(/\w+#\d+;/g))].toSorted();

const readAllResults = (procedure: Procedure, length: Lengths): Promise<ToolResult[]> =>
  withProcedures([generated(procedure, async () => bodyOf(procedure, length))], ({ readAll }) =>
    readAll(procedure.tool, {}),
  );

/** Writes numbers as text, because amounts of the service are decimal strings in results. */
const numbersAsText = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === "number" ? String(each) : each)));

const paged = procedures.filter(returnsRows).map((procedure) => [procedure.tool, procedure] as const);

describe.each(paged)("%s", (_tool, procedure) => {
  const ofAnswer = procedure.resultList ?? listsOf(bodyOf(procedure, () => 1))[0]![0];
  test.each<[string, Lengths]>([
    ["all lists long", () => 150],
    ["only the answer long", (list) => (list === ofAnswer ? 250 : 1)],
    ["all but the answer long", (list) => (list === ofAnswer ? 0 : 200)],
    ["all lists short", () => 2],
    ["all lists empty", () => 0],
  ])("%s", async (_, length) => {
    const body = bodyOf(procedure, length);
    const results = await readAllResults(procedure, length);
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
  async (_tool, procedure) => {
    const [result] = await readAllResults(procedure, () => 400);
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
  const run = async () => ({ matched, open_transactions: [] });
  await withProcedures([generated(reconcile, run)], async ({ call, read }) => {
    const result = await call(reconcile.tool, {});
    const { truncated, resource } = result.structuredContent as { truncated: string; resource: string };
    expect(truncated).toBe("1 of them is too long to show in full.");
    expect(textOf(result)).toContain(resource);
    expect(result.content).toContainEqual(expect.objectContaining({ type: "resource_link", uri: resource }));
    let text = "";
    for (let next: string | undefined = resource; next;) {
      const part: Awaited<ReturnType<Assistant["read"]>> = await read(next);
      text += part.text;
      next = part._meta?.next;
    }
    expect(JSON.parse(text)).toEqual({ matched });
  });
});

test("a cursor stays short, however long the arguments of its call are", async () => {
  const reconcile = procedures.find(({ tool }) => tool === "reconcile_transactions")!;
  const open = Array.from({ length: 2_000 }, (_, item) => ({ item, amount: "12.50" }));
  const run = async () => ({ matched: [], open_items: open, open_transactions: [] });
  await withProcedures([{ ...reconcile, run }], async ({ call, readAll }) => {
    const input = { items_csv: `reference,amount,currency\n${"INV-1,12.50,EUR\n".repeat(300)}` };
    const { next } = (await call(reconcile.tool, input)).structuredContent as { next: { continue: string } };
    expect(Object.keys(next)).toEqual(["continue"]);
    expect(next.continue.length).toBeLessThan(60);
    const results = await readAll(reconcile.tool, input);
    const rows = results.flatMap(
      ({ structuredContent }) => structuredContent!.open_items as readonly unknown[],
    );
    expect(rows).toHaveLength(2_000);
  });
});

interface File {
  readonly name: string;
  readonly contentType: string;
  readonly content: Buffer;
}
type DeliveredFile = Readonly<Record<string, unknown>> & { readonly uri: string };

/** The declared fetch_statements, with the given files instead of those of the service. */
const deliveringProcedure = (files: readonly File[]): Procedure => ({
  ...(fetchStatements as unknown as Procedure),
  run: async ({ deliver }) => {
    const delivered = [];
    for (const { name, contentType, content } of files)
      delivered.push({
        account_id: "A",
        currency: "EUR",
        name,
        content_type: contentType,
        ...(await deliver({ name, contentType, content })),
      });
    return { period: { from: "2026-01-01", to: "2026-01-31" }, files: delivered, failed: [], complete: true };
  },
});

const withFiles = (files: readonly File[], use: (assistant: Assistant) => Promise<void>) =>
  withProcedures([deliveringProcedure(files), convertStatements as unknown as Procedure], use);

const asCsv = { format: "csv" };

const filesIn = ({ structuredContent }: ToolResult) => structuredContent!.files as DeliveredFile[];

/** Asserts one link for each file, and text that equals the data. */
function expectLinked(result: ToolResult, files: readonly DeliveredFile[]): void {
  const links = result.content.flatMap((part) => (part.type === "resource_link" ? [part] : []));
  expect(links).toEqual(
    files.map(({ uri, name, content_type: mimeType }) => ({
      type: "resource_link",
      uri,
      name,
      mimeType,
      description: expect.stringContaining("vailable for 15 minutes"),
    })),
  );
  expect(textOf(result).split("\n").slice(1).join("\n").trim()).toBe(
    JSON.stringify(result.structuredContent),
  );
}

const csv = (name: string, length: number): File => ({
  name,
  contentType: "text/csv",
  content: Buffer.from("date,amount\n".padEnd(length, "2026-01-31,12.50\n")),
});
const pdf: File = { name: "a.pdf", contentType: "application/pdf", content: Buffer.alloc(500, "%PDF-1.7 ") };

test("links every file, shows the beginning of long text files, and divides the space among them", async () => {
  const long = csv("a.csv", 60_000);
  await withFiles([pdf, long, csv("b.csv", 100)], async ({ call, read }) => {
    const result = await call("fetch_statements", asCsv);
    const [first, second, third] = filesIn(result) as [DeliveredFile, DeliveredFile, DeliveredFile];
    expect(first).not.toHaveProperty("text");
    const text = second.text as string;
    expect(text.length).toBeGreaterThan(5_000);
    expect(long.content.toString().startsWith(text.slice(0, -1))).toBe(true);
    expect(second.truncated).toBe("Only the beginning is shown.");
    expect(await read(second.uri)).toMatchObject({ text: long.content.toString().slice(0, 20_000) });
    expect(third.text).toHaveLength(100);
    expect(third).not.toHaveProperty("truncated");
    expect(JSON.stringify(result.structuredContent).length).toBeLessThan(maxResultLength + 500);
    expectLinked(result, [first, second, third]);
  });
});

test("returns hundreds of files in the same shape, each linked once, through next", async () => {
  const names = Array.from({ length: 300 }, (_, index) => `statement-${index}.csv`);
  const files = names.map((name) => csv(name, 400));
  await withFiles(files, async ({ readAll }) => {
    const results = await readAll("fetch_statements", asCsv);
    for (const result of results) {
      expect(result.structuredContent).not.toHaveProperty("body");
      expect(JSON.stringify(result.structuredContent).length).toBeLessThan(maxResultLength + 1_500);
      expectLinked(result, filesIn(result));
    }
    expect(results.flatMap(filesIn).map(({ name }) => name)).toEqual(names);
  });
});

test("reports an evicted file", async () => {
  const large = (name: string): File => ({ ...pdf, name, content: Buffer.alloc(8 * 1024 * 1024) });
  await withFiles(["a", "b", "c", "d", "e"].map(large), async ({ call }) => {
    const result = await call("fetch_statements", asCsv);
    const [first, ...others] = filesIn(result) as [DeliveredFile, ...DeliveredFile[]];
    expect(first).not.toHaveProperty("uri");
    expect(first.truncated).toBe("No longer stored on this server. Request fewer files at once.");
    expectLinked(result, others);
  });
});
