/** Access control over HTTP. */
import { request } from "node:http";
import { createClient } from "@fxdesk/toolkit";
import { type HttpServer, type McpListenOptions, serveHttp } from "../../mcp";
import { closeLater } from "../support/resources";
import { token } from "./support/clients";

/** No test here reaches the service. */
const client = createClient({ baseUrl: "http://127.0.0.1:1", clientId: "client" });
const serve = async (listening: McpListenOptions = {}) =>
  closeLater(await serveHttp({ client, ...listening }));

interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface RequestOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Sends a request with any headers, including Host, like another program on this machine. */
function sendRequest(
  { url }: HttpServer,
  { method = "POST", path = "/mcp", headers = {}, body = "" }: RequestOptions,
): Promise<HttpResponse> {
  const all = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, method, path, headers: all }, (response) => {
      let text = "";
      response
        .setEncoding("utf8")
        .on("data", (chunk: string) => (text += chunk))
        .on("end", () => resolve({ status: response.statusCode!, headers: response.headers, body: text }));
    });
    sent.on("error", reject).end(body);
  });
}

const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

describe("on this machine, without a token", () => {
  let server: HttpServer;
  beforeAll(async () => {
    server = await serve();
  });

  test.each<[string, RequestOptions, number]>([
    ["a request from this machine", { body: list }, 200],
    ["a foreign page", { body: list, headers: { origin: "null" } }, 403],
    ["another path", { body: list, path: "/" }, 404],
    ["a stream to listen on", { method: "GET" }, 405],
    ["a body that is not JSON", { body: "{" }, 400],
    ["a body of more than 1 MB", { body: `${" ".repeat(1024 * 1024)}${list}` }, 413],
  ])("%s", async (_, asked, status) => {
    const answered = await sendRequest(server, asked);
    expect(answered.status).toBe(status);
    if (status >= 400) {
      expect(JSON.parse(answered.body)).toMatchObject({
        jsonrpc: "2.0",
        error: { code: expect.any(Number) },
      });
      expect(answered.body).not.toMatch(/node_modules|\.[jt]s:|at /);
    }
  });
});

describe("with a token", () => {
  let server: HttpServer;
  beforeAll(async () => {
    server = await serve({ token });
  });

  test.each([
    ["none", {}],
    ["an empty one", { authorization: "Bearer " }],
    ["one that is longer", { authorization: `Bearer ${token}s` }],
    ["the right one in another scheme", { authorization: `Basic ${token}` }],
  ])("%s is refused", async (_, headers: Record<string, string>) => {
    const answered = await sendRequest(server, { body: list, headers });
    expect(answered.status).toBe(401);
    expect(answered.headers["www-authenticate"]).toMatch(/^Bearer realm="fxdesk"/);
    expect(answered.body).not.toContain(token);
  });

  test("the scheme may be in capitals", async () => {
    const headers = { authorization: `BEARER ${token}` };
    expect((await sendRequest(server, { body: list, headers })).status).toBe(200);
  });
});

describe("a server that does more than read", () => {
  test.each([[["money"]], [["change", "money"]]] as const)(
    "needs a token on this machine too, to allow %p",
    async (allow) => {
      await expect(serveHttp({ client, allow })).rejects.toThrow(
        `Allowing ${allow.join(" and ")} over HTTP requires a token`,
      );
      const server = closeLater(await serveHttp({ client, allow, token }));
      expect((await sendRequest(server, { body: list })).status).toBe(401);
    },
  );

  test.each(["", "x", "letters-and-digits-without-1-2-"])(
    "refuses a token that can be guessed: %p",
    async (short) => {
      await expect(serve({ token: short })).rejects.toThrow("The token must have at least 32 characters.");
    },
  );
});

describe("beyond this machine", () => {
  test.each<McpListenOptions>([
    { host: "0.0.0.0", behindProxy: true, addresses: [new URL("https://desk.example")] },
    { behindProxy: true, addresses: [new URL("https://desk.example")] },
  ])("does not listen without a token: %p", async (listening) => {
    await expect(serve(listening)).rejects.toThrow("Listening beyond this machine requires a token");
  });
});
