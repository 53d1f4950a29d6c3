/** What the releases page and the MCP server refuse alike: hosts, origins, unsafe settings and too many connections. */
import { readFileSync } from "node:fs";
import { type IncomingHttpHeaders, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createClient } from "@fxdesk/toolkit";
import { serveReleases } from "../../cli/releases-page/server";
import { fxdeskService } from "../../core/client/fxdesk-service";
import type { ListenOptions } from "../../core/http/http-server";
import { ReleaseService } from "../../core/releases/release-service";
import { StoreSession } from "../../core/store/session";
import { serveHttp } from "../../mcp";
import { freePort } from "../../demo/ports";
import { eventually } from "../support/eventually";
import { writePeople } from "../support/people-file";
import { closeLater, runLater, tempFolder } from "../support/resources";

const token = "a-token-of-32-characters-or-more";
const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const pem = (name: string) => readFileSync(join(__dirname, "../core/http/certificates", name), "utf8");
const tls = { cert: pem("server.pem"), key: pem("server.key") };

interface Surface {
  serve(options: ListenOptions): Promise<{ readonly url: string; close(): Promise<void> }>;
  /** A request that is answered with 200. */
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const surfaces: Readonly<Record<string, Surface>> = {
  page: {
    async serve(options) {
      const folder = await tempFolder();
      const people = join(folder, "people.json");
      await writePeople(people, ["anna"]);
      const service = closeLater(
        new ReleaseService(new StoreSession({ location: join(folder, "store.db"), key: undefined })),
      );
      return serveReleases({
        service,
        files: { policy: undefined, people, service: fxdeskService },
        ...options,
      });
    },
    method: "GET",
    path: "/sign-in",
    headers: {},
    body: "",
  },
  mcp: {
    serve: (options) =>
      serveHttp({
        client: closeLater(createClient({ baseUrl: "http://127.0.0.1:1", clientId: "client" })),
        token,
        ...options,
      }),
    method: "POST",
    path: "/mcp",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: list,
  },
};

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

describe.each(Object.entries(surfaces))("%s", (_, surface) => {
  const serve = async (options: ListenOptions = {}) => closeLater(await surface.serve(options));

  /** Sends the request to a port of this machine with any Host and Origin, like a browser or another program. */
  const send = (port: number, headers: Readonly<Record<string, string>>, isTls = false) =>
    new Promise<Answer>((resolve, reject) => {
      const { method, path, body } = surface;
      const options = { port, method, path, headers: { ...surface.headers, ...headers } };
      (isTls ? httpsRequest : httpRequest)(
        { host: "127.0.0.1", rejectUnauthorized: false, agent: false, ...options },
        (response) => {
          response
            .resume()
            .on("end", () => resolve({ status: response.statusCode!, headers: response.headers }));
        },
      )
        .on("error", reject)
        .end(body);
    });

  describe("on this machine", () => {
    let port: number;
    beforeAll(async () => {
      port = Number(new URL((await serve()).url).port);
    });

    test.each<[what: string, headers: Record<string, string>, status: number]>([
      ["its address", { host: "127.0.0.1:{port}" }, 200],
      ["its name", { host: "LocalHost:{port}" }, 200],
      ["its address, from its own page", { host: "[::1]:{port}", origin: "http://[::1]:{port}" }, 200],
      ["a foreign name that resolves to it", { host: "evil.example:{port}" }, 403],
      ["another port", { host: "127.0.0.1:9" }, 403],
      ["no port", { host: "localhost" }, 403],
      ["its name with more", { host: "localhost:{port}.evil.example" }, 403],
      ["a foreign page", { host: "localhost:{port}", origin: "https://evil.example" }, 403],
      ["a page without an origin", { host: "localhost:{port}", origin: "null" }, 403],
      ["a page of another port", { host: "localhost:{port}", origin: "http://localhost:9" }, 403],
      ["a page of another scheme", { host: "localhost:{port}", origin: "https://localhost:{port}" }, 403],
      ["a page of another name", { host: "localhost:{port}", origin: "http://127.0.0.1:{port}" }, 403],
    ])("a request for %s", async (__, headers, status) => {
      const filled = Object.entries(headers).map(([name, text]) => [
        name,
        text.replace("{port}", String(port)),
      ]);
      const answer = await send(port, Object.fromEntries(filled));
      expect(answer.status).toBe(status);
      expect(answer.headers["strict-transport-security"]).toBeUndefined();
    });
  });

  const publicAddress = new URL("https://desk.example");
  test.each<[what: string, options: ListenOptions, message: RegExp]>([
    ["beyond this machine", { host: "192.0.2.1" }, /^host 192\.0\.2\.1 is reachable/],
    ["on all addresses", { host: "0.0.0.0" }, /^host 0\.0\.0\.0 is reachable/],
    ["on all addresses of IPv6, with an address", { host: "::", addresses: [publicAddress] }, /^host ::/],
    ["on all addresses with TLS but no address", { host: "0.0.0.0", tls }, /^address is required/],
    ["behind a proxy without an address", { behindProxy: true }, /^address is required/],
    ["at an https address without TLS", { addresses: [publicAddress] }, /^address https:\/\/desk\.example /],
    ["at an http address", { addresses: [new URL("http://desk.example")], behindProxy: true }, /^address /],
    ["at an address with a path", { addresses: [new URL("/a", publicAddress)], tls }, /^address /],
    ["with a key of another certificate", { tls: { ...tls, key: pem("client.key") } }, /^tls-cert and /],
    ["at an address that does not exist", { host: "a b" }, /^host must be/],
  ])("does not start %s", async (_what, options, message) => {
    await expect(surface.serve(options)).rejects.toThrow(
      expect.objectContaining({ name: "TypeError", message: expect.stringMatching(message) }),
    );
  });

  test.each<[what: string, options: ListenOptions, own: string]>([
    ["with TLS", { tls }, "https://127.0.0.1:{port}"],
    ["behind a proxy", { behindProxy: true }, "http://127.0.0.1:{port}"],
  ])("%s, accepts its public address, and browsers stay with https there", async (_what, options, own) => {
    const port = await freePort(0);
    const { url } = await serve({ port, host: "0.0.0.0", addresses: [publicAddress], ...options });
    expect(new URL(url).origin).toBe(publicAddress.origin);
    const ask = (host: string, origin: string) => send(port, { host, origin }, options.tls !== undefined);
    const fill = (text: string) => text.replace("{port}", String(port));
    const answer = await ask("desk.example", publicAddress.origin);
    expect(answer).toMatchObject({
      status: 200,
      headers: { "strict-transport-security": "max-age=31536000" },
    });
    for (const origin of ["http://desk.example", "https://desk.example:8443", fill(own)])
      expect((await ask("desk.example", origin)).status).toBe(403);
    const local = new URL(fill(own));
    const answered = await ask(local.host, local.origin);
    expect(answered.status).toBe(200);
    expect(answered.headers["strict-transport-security"]).toBeUndefined();
  });

  test("holds few connections of one address, and logs nothing when clients go away", async () => {
    const log = jest.spyOn(console, "error").mockImplementation(() => undefined);
    const port = Number(new URL((await serve()).url).port);
    const { path } = surface;
    const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\norigin: http://127.0.0.1:${port}\r\n`;
    const types = `authorization: Bearer ${token}\r\ncontent-type: application/${surface.body === "" ? "x-www-form-urlencoded" : "json"}\r\n`;
    const sockets = Array.from({ length: 150 }, () => connect(port, "127.0.0.1"));
    runLater(() => sockets.forEach((socket) => socket.destroy()));
    const ended = new Set<Socket>();
    for (const socket of sockets) {
      socket.on("error", () => undefined).once("close", () => ended.add(socket));
      socket.write(`${head}${types}content-length: 100\r\n\r\na`);
    }
    await eventually(() => ended.size >= 50, { withinMs: 10_000, what: "refused connections" });
    for (const socket of sockets) socket.destroy();
    const isServed = () =>
      send(port, { host: `localhost:${port}` }).then(
        ({ status }) => status === 200,
        () => false,
      );
    await eventually(isServed, { withinMs: 10_000, what: "an answer after the clients are gone" });
    expect(log.mock.calls).toEqual([]);
    log.mockRestore();
  });
});
