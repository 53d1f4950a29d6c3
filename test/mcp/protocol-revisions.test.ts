/** Clients of the older and the newer SDK list and call tools, over standard input and output and over HTTP. */
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { declarationsOf } from "@fxdesk/toolkit/operations";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { type HttpServer, serveHttp } from "../../mcp";
import { sandboxClient } from "../support/samples";
import { demoEnvironment, fxdeskMcp, type McpClient, revisions, textOf } from "./support/clients";

let sandbox: Sandbox;
let server: HttpServer;

beforeAll(async () => {
  sandbox = await startSandbox();
  const settings = { redirectUri: sandbox.demo.redirectUri! };
  server = await serveHttp({ client: sandboxClient(sandbox, { settings }), toolsets: ["all"] });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

const readTools = declarationsOf(fxdeskService)
  .filter(({ effect }) => effect === "read")
  .map(({ tool }) => tool);

const connections = Object.entries(revisions).flatMap(([revision, { http, stdio }]) => [
  { revision, way: "HTTP", connect: () => http(server.url) },
  {
    revision,
    way: "stdio",
    connect: () =>
      stdio(fxdeskMcp([], { ...demoEnvironment(sandbox), FXDESK_REDIRECT_URI: sandbox.demo.redirectUri! })),
  },
]);

describe.each(connections)("protocol $revision over $way", ({ connect }) => {
  let client: McpClient;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => client.close());

  test("lists only tools that read, sorted", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(readTools.toSorted());
  });

  test("calls a tool", async () => {
    const result = await client.callTool({ name: "list_trades", arguments: { page_size: 2 } });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({
      count: 2,
      page: 1,
      page_size: 2,
      next: { page: 2, page_size: 2 },
    });
    expect(textOf(result)).toContain(JSON.stringify(result.structuredContent));
  });

  test("reads the resources that a result links to", async () => {
    const login = {
      scope: "openid",
      response_type: "code",
      client_id: sandbox.demo.authClientId!,
      state: "s",
    };
    const result = await client.callTool({ name: "get_login_page", arguments: login });
    const link = result.content.find(({ type }) => type === "resource_link") as { uri: string };
    expect(textOf(result)).toContain(link.uri);
    expect(textOf(result).length).toBeLessThan(1_000);
    const { contents } = await client.readResource({ uri: link.uri });
    expect(contents).toEqual([
      { uri: link.uri, mimeType: "text/html", text: expect.stringMatching(/^<!doctype html>/i) },
    ]);
    await expect(client.readResource({ uri: "fxdesk://results/none" })).rejects.toThrow(
      "kept for 15 minutes",
    );
  });

  test("answers a call of an unknown tool with a protocol error", async () => {
    await expect(client.callTool({ name: "rob_bank" })).rejects.toMatchObject({ code: -32_602 });
  });
});
