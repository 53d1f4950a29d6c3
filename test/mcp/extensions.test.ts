/** Operations of a user's module as tools, over stdio and HTTP. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FaultServer, faultServer, respond } from "../support/fault-server";
import { type McpClient, fxdeskMcp, revisions, textOf } from "./support/clients";

const extension = `module.exports = ({ operation, json, z }) => ({ operations: [
  operation({
    name: "quotes.create", tool: "create_quote", title: "Create quote", summary: "Asks for a quote, for trades.book.",
    effect: "change", method: "POST", path: "/quotes", server: "service", credentials: ["accessToken"],
    body: z.object({ amount: z.number() }),
    responses: { 201: json(z.object({ quote_id: z.string(), rate: z.number() }), "The quote.") },
    errors: {}, contract: "",
  }),
] });`;

let folder: string;
let service: FaultServer;
let environment: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fxdesk-extension-"));
  const path = join(folder, "quotes.cjs");
  await writeFile(path, extension, { mode: 0o600 });
  service = await faultServer(respond(201, '{"quote_id":"Q-1","rate":1.1}'));
  environment = { FXDESK_EXTENSIONS: path, FXDESK_BASE_URL: service.url, FXDESK_ACCESS_TOKEN: "token" };
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

async function expectQuotes(client: McpClient): Promise<void> {
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["create_quote", "list_trades"]));
  expect(names).toEqual(names.toSorted());
  expect(tools.find(({ name }) => name === "create_quote")!.description).toContain("for book_trade.");
  const result = await client.callTool({ name: "create_quote", arguments: { amount: 5 } });
  expect(result.structuredContent).toMatchObject({ quote_id: "Q-1", rate: "1.1" });
  await client.close();
}

const trusted = { FXDESK_EXTENSION_EFFECTS: "quotes.create" };

test("serves the operations of a module over stdio", async () => {
  const parameters = fxdeskMcp(["--allow", "change,money", "--release", "never"], {
    ...environment,
    ...trusted,
  });
  await expectQuotes(await revisions["2026-07-28"].stdio(parameters));
});

test("treats operations of an untrusted module as money calls, which are off", async () => {
  const client = await revisions["2025-11-25"].stdio(fxdeskMcp(["--allow", "change"], environment));
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("create_quote");
  const before = service.heads.length;
  const result = await client.callTool({ name: "create_quote", arguments: { amount: 5 } });
  expect(textOf(result)).toContain("tools with the effect money");
  expect(service.heads).toHaveLength(before);
  await client.close();
});
