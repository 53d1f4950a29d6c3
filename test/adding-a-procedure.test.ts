/** Tests that a procedure appears on every surface by its declaration alone. */
import { z } from "zod";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { createClient, type Client } from "../core";
import { contract, defineService, json, operations, procedureFor } from "../core/operations";
import { operationsDocument } from "../build/operations-document";
import { callAndSend } from "../nodes/operation/output";
import type { TrackedMessages } from "../nodes/operation/output/backpressure";
import { nodeFiles } from "../nodes/generate/node-files";
import { variablesOf } from "./cli/run-command";
import { listNumbers, numbersService, runs } from "./support/numbers-procedure";
import { runForOutput, withAssistant } from "./support/surfaces";

const countAccounts = procedureFor<Client<typeof operations>>()({
  name: "accounts.count",
  tool: "count_accounts",
  title: "Count accounts",
  summary: "Counts the accounts in some currencies.",
  effect: "read",
  uses: ["accounts.list"],
  input: { codes: z.array(z.string().length(3)).min(1).meta({ description: "Such as EUR." }) },
  output: json(z.object({ count: z.int().meta({ description: "How many." }) }), "The count."),
  async run({ client, progress }, { codes }) {
    progress({ done: 0, total: 1, message: "Counting" });
    return { count: (await client.accounts.list({ currencies: codes.join(",") })).length };
  },
});

const service = defineService({ ...contract, procedures: [countAccounts] });

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

function options() {
  const { baseUrl, demo } = sandbox;
  const { clientId, contactId, accessToken } = demo;
  return { baseUrl, clientId, contactId, credentials: { accessToken } };
}

const connect = () => createClient(options(), service);
const connectNumbers = () => createClient(options(), numbersService);

test("as a client method, with its types, its options and its progress", async () => {
  const client = connect();
  const steps: string[] = [];
  const { count } = await client.accounts.count(
    { codes: ["EUR"] },
    { onProgress: ({ message }) => steps.push(message) },
  );
  expect([count.toFixed(0), steps]).toEqual(["1", ["Counting"]]);
  expect(await client.accounts.count.response({ codes: ["EUR"] })).toMatchObject({
    status: 200,
    attempts: 1,
  });
  await expect(client.accounts.count({ codes: ["EUR"] }, { clientId: "nobody" })).rejects.toMatchObject({
    operation: "accounts.list",
  });
  await expect(client.accounts.count({ codes: [] })).rejects.toMatchObject({
    code: "invalid_input",
    operation: "accounts.count",
  });
  await client.close();
});

test("as a tool", async () => {
  const client = connect();
  await withAssistant({ client }, async (assistant) => {
    const asked = await assistant.callTool({ name: "count_accounts", arguments: { codes: ["EUR", "USD"] } });
    expect(asked.structuredContent).toMatchObject({ count: 2 });
  });
  await client.close();
});

test("as a command, with its help", async () => {
  const variables = variablesOf(sandbox);
  expect(
    JSON.parse(await runForOutput(["call", "accounts.count", "--codes", "EUR"], variables, service)),
  ).toEqual({
    count: 1,
  });
  expect(await runForOutput(["call", "accounts.count", "--help"], {}, service)).toContain("Such as EUR.");
  expect(await runForOutput(["operations"], {}, service)).toContain("accounts.count");
});

test("as a node: runtime, form, words and help", () => {
  const files = nodeFiles(service);
  expect(files["fxdesk.js"]).toContain('registerType("fxdesk-count-accounts"');
  expect(files["fxdesk.html"]).toMatch(/registerType\(["']fxdesk-count-accounts["']/);
  expect(files["locales/en-US/forms.json"]).toContain("Such as EUR.");
  expect(files["locales/en-US/fxdesk.html"]).toContain("Counts the accounts in some currencies.");
});

test("as a section of the documentation", () => {
  expect(operationsDocument([countAccounts])).toContain("`accounts.count`, calls `accounts.list`");
});

describe("the main list of its result", () => {
  test("as a table below the other values", async () => {
    const args = ["call", "numbers.list", "--many", "3", "--table"];
    expect(await runForOutput(args, variablesOf(sandbox), numbersService)).toBe(
      [
        "count      3",
        "span.from  0",
        "span.to    2",
        "complete   true",
        "",
        "sums",
        "parity  sum",
        "odd      25",
        "",
        "numbers",
        "id  note               value",
        'N0  even, "two lines"      0',
        "N1                         1",
        'N2  even, "two lines"      2',
        "",
      ].join("\n"),
    );
  });

  test("as a summary and CSV for a model, and completely in the structured content", async () => {
    const client = connectNumbers();
    await withAssistant({ client }, async (assistant) => {
      const asked = await assistant.callTool({ name: "list_numbers", arguments: { many: 2 } });
      expect(asked.structuredContent).toEqual({
        count: 2,
        span: { from: 0, to: 1 },
        complete: true,
        sums: [{ parity: "odd", sum: "25" }],
        gaps: [],
        numbers: [
          { id: "N0", value: 0, note: 'even, "two\nlines"' },
          { id: "N1", value: 1 },
        ],
      });
      const [{ text }] = asked.content as unknown as [{ text: string }];
      expect(text.split("\n")).toEqual([
        "List numbers: The numbers.",
        "count 2, span.from 0, span.to 1, complete true.",
        "sums:",
        "parity,sum",
        "odd,25",
        "numbers:",
        "id,note,value",
        String.raw`N0,"even, \"two\nlines\"",0`,
        "N1,,1",
      ]);
    });
    await client.close();
  });

  test("continues from the stored result: no new call, each row once", async () => {
    const client = connectNumbers();
    runs.count = 0;
    await withAssistant({ client }, async (assistant) => {
      const found: unknown[] = [];
      let next: Record<string, unknown> | undefined = { many: 2_000 };
      let results = 0;
      while (next && results < 20) {
        const asked = await assistant.callTool({ name: "list_numbers", arguments: next });
        const page = asked.structuredContent as {
          numbers: unknown[];
          next?: Record<string, unknown>;
          count?: number;
        };
        expect(page.count).toBe(results === 0 ? 2_000 : undefined);
        found.push(...page.numbers);
        next = page.next;
        const [{ text }] = asked.content as unknown as [{ text: string }];
        expect(text.includes("next: ")).toBe(next !== undefined);
        if (next) expect(text).toContain(`next: ${JSON.stringify(next)}`);
        results += 1;
      }
      expect(results).toBeGreaterThan(1);
      expect(found).toEqual(Array.from({ length: 2_000 }, (_, value) => expect.objectContaining({ value })));
    });
    expect(runs.count).toBe(1);
    await client.close();
  });

  test("as messages of a node: complete, or one per entry", async () => {
    const client = connectNumbers();
    const sentIn = async (rows: "whole" | "each") => {
      const sent: Record<string, any>[] = [];
      const msg = { _msgid: "m", payload: "was", topic: "kept" };
      const call = {
        operation: listNumbers,
        client,
        input: { many: 2 },
        options: { signal: new AbortController().signal },
        saveTo: undefined,
        msg,
      };
      const send = (each: object) => void sent.push(each);
      const result = {
        set: (onto: { payload?: unknown }, content: unknown) => (onto.payload = content),
        copy: () => ({ ...msg, payload: undefined }),
      };
      const trackSent = () => ({}) as TrackedMessages;
      const hooks = { result, send, trackSent, onOutcome: () => undefined };
      await callAndSend({ ...call, ...hooks }, { pages: "all", rows });
      return sent;
    };
    const [whole, ...none] = await sentIn("whole");
    expect([whole!.payload.numbers.length, none]).toEqual([2, []]);
    const each = await sentIn("each");
    expect(each.map(({ payload, parts, topic }) => [payload.id, parts.index, parts.count, topic])).toEqual([
      ["N0", 0, 2, "kept"],
      ["N1", 1, 2, "kept"],
    ]);
    expect(each[1]!.fxdesk.result).toMatchObject({ count: 2, complete: true });
    await client.close();
    expect(nodeFiles(numbersService)["fxdesk.html"]).toContain("rows: rows()");
  });

  test("refuses a list that is not in its output", () => {
    const declare = () =>
      procedureFor()({
        name: "numbers.count",
        tool: "count_numbers",
        title: "Count numbers",
        summary: "Counts.",
        effect: "read",
        resultList: "count",
        uses: [],
        input: {},
        output: json(z.object({ count: z.int() }), "The count."),
        run: () => Promise.resolve({ count: 0 }),
      });
    expect(declare).toThrow("numbers.count: the output has no list count.");
  });
});

test.each([
  ["an operation that is not there", { uses: ["accounts.lose"] }, "`uses` lists accounts.lose"],
  ["an effect below what it uses", { uses: ["trades.book"] }, "has the effect money"],
  ["the name of another", { name: "accounts.list" }, "The name accounts.list is declared twice"],
])("%s is refused", (_, flaw, message) => {
  expect(() => defineService({ ...contract, procedures: [{ ...countAccounts, ...flaw }] })).toThrow(message);
});
