/** Files returned by procedures: links to all, and the beginning of text files in the result. */
import { createClient } from "../../core";
import { contract, defineService, type Procedure } from "../../core/operations";
import { convertStatements } from "../../core/procedures/convert-statements";
import { fetchStatements } from "../../core/procedures/fetch-statements";
import type { JsonObject, ToolResult } from "../../mcp/render/content";
import { maxResultLength } from "../../mcp/render/values";
import { withAssistant } from "../support/surfaces";
import { textOf } from "./support/clients";

interface File {
  readonly name: string;
  readonly contentType: string;
  readonly content: Buffer;
}
type Assistant = Parameters<Parameters<typeof withAssistant>[1]>[0];
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

async function withFiles(files: readonly File[], does: (assistant: Assistant) => Promise<void>) {
  const service = defineService({
    ...contract,
    procedures: [deliveringProcedure(files), convertStatements as unknown as Procedure],
  });
  const client = createClient({ baseUrl: "http://127.0.0.1:9", clientId: "C" }, service);
  await withAssistant({ client, toolsets: ["all"] }, does);
  await client.close();
}

const call = async (assistant: Assistant, name: string, input: JsonObject) =>
  (await assistant.callTool({ name, arguments: { ...input } })) as unknown as ToolResult;

const fetchStatementFiles = (assistant: Assistant, next: JsonObject = {}) =>
  call(assistant, "fetch_statements", { format: "csv", ...next });

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

test("shows the beginning of a long text file and links the complete file", async () => {
  const file = csv("a.csv", 50_000);
  await withFiles([file], async (assistant) => {
    const result = await fetchStatementFiles(assistant);
    const [{ text, truncated, uri }] = filesIn(result) as [DeliveredFile];
    expect(file.content.toString().startsWith((text as string).slice(0, -1))).toBe(true);
    expect((text as string).length).toBeGreaterThan(10_000);
    expect(truncated).toBe("Only the beginning is shown.");
    expect(JSON.stringify(result.structuredContent).length).toBeLessThan(maxResultLength + 500);
    expectLinked(result, filesIn(result));
    const { contents } = await assistant.readResource({ uri });
    expect(contents).toMatchObject([{ text: file.content.toString().slice(0, 20_000) }]);
  });
});

test("only links binary files, and divides the space among text files", async () => {
  await withFiles([pdf, csv("a.csv", 60_000), csv("b.csv", 100)], async (assistant) => {
    const result = await fetchStatementFiles(assistant);
    const [first, second, third] = filesIn(result) as [DeliveredFile, DeliveredFile, DeliveredFile];
    expect(first).not.toHaveProperty("text");
    expect((second.text as string).length).toBeGreaterThan(5_000);
    expect(third.text).toHaveLength(100);
    expect(third).not.toHaveProperty("truncated");
    expect(JSON.stringify(result.structuredContent).length).toBeLessThan(maxResultLength + 500);
    expectLinked(result, [first, second, third]);
  });
});

test("returns hundreds of files in the same shape, each linked once, through next", async () => {
  const names = Array.from({ length: 300 }, (_, index) => `statement-${index}.csv`);
  await withFiles(
    names.map((name) => csv(name, 400)),
    async (assistant) => {
      const received: DeliveredFile[] = [];
      for (let next: JsonObject | undefined = {}; next;) {
        const result = await fetchStatementFiles(assistant, next);
        expect(result.structuredContent).not.toHaveProperty("body");
        expect(JSON.stringify(result.structuredContent).length).toBeLessThan(maxResultLength + 1_500);
        expectLinked(result, filesIn(result));
        received.push(...filesIn(result));
        next = result.structuredContent!.next as JsonObject | undefined;
      }
      expect(received.map(({ name }) => name)).toEqual(names);
    },
  );
});

test("reports an evicted file", async () => {
  const large = (name: string): File => ({ ...pdf, name, content: Buffer.alloc(8 * 1024 * 1024) });
  await withFiles(["a", "b", "c", "d", "e"].map(large), async (assistant) => {
    const result = await fetchStatementFiles(assistant);
    const [first, ...others] = filesIn(result) as [DeliveredFile, ...DeliveredFile[]];
    expect(first).not.toHaveProperty("uri");
    expect(first.truncated).toBe("No longer stored on this server. Request fewer files at once.");
    expectLinked(result, others);
  });
});
