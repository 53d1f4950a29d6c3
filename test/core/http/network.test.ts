/** Calls through a proxy, with authorities and client certificates from files. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { inspect } from "node:util";
import { createClient, type ClientOptions, type Credentials, FxdeskError } from "../../../core";
import { startLogin } from "../../../core/client/login";
import { fxdeskService } from "../../../core/client/fxdesk-service";
import { networkFrom } from "../../../core/http/network";
import { isDirect, parseProxy } from "../../../core/http/proxy";
import { seededRandom } from "../../chaos/seeded-random";
import { startConnectProxy } from "../../support/connect-proxy";
import { operationNamed } from "../../support/operations";
import { closeLater, listen, runLater, tempFolder } from "../../support/resources";
import { seededCall } from "../../support/seeded-calls";
import { startWitnessServer } from "../../support/witness-server";
import {
  closedPortUrl,
  createTestClient,
  disableBackoff,
  failureOf,
  tradeInput,
  newTrade,
} from "../support/client-fixtures";

const certificate = (name: string) => join(__dirname, "certificates", name);
const pem = (name: string) => readFileSync(certificate(name));
const ca = certificate("authority.pem");
const passphrase = "canary-passphrase";
const password = "canary/päss:word";
const credentials = `desk:${password}`;
const address = "https://service.test";
const target = "service.test:443";

/** The service at a name that only the proxy knows. It requires a client certificate and counts its requests. */
async function startService(requestCert = true) {
  const callers: string[] = [];
  const urls: string[] = [];
  const server = createServer(
    { key: pem("server.key"), cert: pem("server.pem"), ca: pem("authority.pem"), requestCert },
    (request, response) => {
      urls.push(request.url!);
      callers.push(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? "nobody"));
      const body: Readonly<Record<string, string>> = {
        GET: "[]",
        POST: request.url!.includes("token")
          ? '{"access_token":"renewed","token_type":"Bearer","refresh_token":"next","expires_in":3600}'
          : '{"trade_id":"t-1"}',
      };
      response.writeHead(request.method === "GET" || request.url!.includes("token") ? 200 : 201, {
        "content-type": "application/json",
      });
      response.end(body[request.method!]);
    },
  );
  return { port: await listen(server), callers, urls };
}

const proxyUrl = ({ port }: { readonly port: number }) => `http://127.0.0.1:${port}`;

const connect = ({ credentials: own, ...others }: ClientOptions) =>
  createTestClient({ baseUrl: address, ca, ...others, credentials: { accessToken: "token", ...own } });

/** Sets variables of this process until the end of the test. */
function setVariables(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
  runLater(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
}

/** A certificate and its key in one file, as many authorities deliver them. */
async function joinedFile(): Promise<string> {
  const path = join(await tempFolder(), "client.pem");
  writeFileSync(path, Buffer.concat([pem("client.key"), pem("client.pem")]));
  return path;
}

describe("through a proxy with credentials, to a server with its own authority", () => {
  test.each<[name: string, files: () => Promise<ClientOptions>]>([
    [
      "certificate and key",
      async () => ({ clientCertificate: certificate("client.pem"), clientKey: certificate("client.key") }),
    ],
    ["certificate and key in one file", async () => ({ clientCertificate: await joinedFile() })],
    [
      "key with a passphrase",
      async () => ({
        clientCertificate: certificate("client.pem"),
        clientKey: certificate("client-locked.key"),
        credentials: { clientKeyPassphrase: passphrase },
      }),
    ],
    [
      "PKCS#12",
      async () => ({
        clientCertificate: certificate("client.pfx"),
        credentials: { clientKeyPassphrase: passphrase },
      }),
    ],
  ])("presents a client certificate: %s", async (_, files) => {
    const service = await startService();
    const proxy = await startConnectProxy({ routes: { [target]: service.port }, credentials });
    const given = await files();
    const client = connect({
      ...given,
      proxy: proxyUrl(proxy),
      minTlsVersion: "TLSv1.3",
      credentials: { ...given.credentials, proxyCredentials: credentials },
    });
    await client.trades.list();
    await client.trades.book(newTrade());
    expect(service.callers).toEqual(["fxdesk test client", "fxdesk test client"]);
    expect(proxy.targets).toEqual([target, target]);
  });

  test("refreshes tokens, logs in, and uses the variables of the environment", async () => {
    const service = await startService(false);
    const proxy = await startConnectProxy({ routes: { [target]: service.port }, credentials });
    setVariables({ HTTPS_PROXY: `desk:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}` });
    const oauth: Credentials = {
      refreshToken: "first-token",
      authClientId: "app",
      authClientSecret: "app-secret",
    };
    const client = createTestClient({ baseUrl: address, ca, credentials: oauth });
    await client.trades.list();
    const store = join(await tempFolder(), "store.db");
    const settings = { redirectUri: "http://127.0.0.1:1/back" };
    const options = { baseUrl: address, ca, credentials: oauth, settings, store, clientId: "c-1" };
    const login = await startLogin(fxdeskService, options);
    await login.finish(new URLSearchParams({ code: "the-code-of-it", state: login.state }));
    expect(service.urls).toEqual(["/token", expect.stringContaining("/trades"), "/token"]);
    expect(proxy.targets).toEqual([target, target, target]);
    setVariables({ NO_PROXY: "service.test" });
    expect(await failureOf(connect({}).trades.list())).toMatchObject({ outcome: "not-sent" });
    expect(proxy.targets).toHaveLength(3);
  });

  test("which is itself reached over TLS", async () => {
    const service = await startService(false);
    const tls = { key: pem("server.key"), cert: pem("server.pem") };
    const proxy = await startConnectProxy({ routes: { [target]: service.port }, tls });
    const client = connect({ proxy: `https://localhost:${proxy.port}` });
    await client.trades.list();
    await client.trades.book(newTrade());
    expect(proxy.targets).toEqual([target, target]);
  });
});

describe("a tunnel that fails is not-sent", () => {
  const established = "HTTP/1.1 200 OK\r\n\r\n";
  test.each<[name: string, handle: (client: Duplex) => void]>([
    ["closed before the response", (client) => client.destroy()],
    ["closed after the response", (client) => client.end(established)],
    ["a response that is none", (client) => client.end("SSH-2.0-proxy\r\n\r\n")],
    ["no response", () => undefined],
    ["no TLS behind it", (client) => client.end(`${established}HTTP/1.1 400 Bad Request\r\n\r\n`)],
    ["the proxy refuses", (client) => client.end("HTTP/1.1 403 Forbidden\r\n\r\n")],
  ])("%s", async (_, handle) => {
    disableBackoff();
    const proxy = await startConnectProxy({ routes: {}, handle });
    const client = connect({
      proxy: proxyUrl(proxy),
      credentials: { proxyCredentials: credentials },
      timeoutMs: 500,
    });
    const error = await failureOf(client.trades.book(newTrade()));
    expect(error).toMatchObject({ outcome: "not-sent" });
    expect(proxy.targets.length).toBeGreaterThan(0);
    const shown = inspect(error, { depth: Infinity, showHidden: true });
    for (const secret of ["canary", Buffer.from(credentials).toString("base64")])
      expect(shown).not.toContain(secret);
  });

  test("no proxy there", async () => {
    disableBackoff();
    const proxy = await closedPortUrl();
    const error = await failureOf(connect({ proxy }).trades.book(newTrade()));
    expect(error).toMatchObject({ outcome: "not-sent", retryable: true });
    expect(error.message).toContain("set by proxy");
  });

  test("wrong credentials are not repeated, because proxies lock accounts", async () => {
    const proxy = await startConnectProxy({ routes: {}, credentials });
    const client = connect({
      proxy: proxyUrl(proxy),
      credentials: { proxyCredentials: "desk:canary-wrong" },
    });
    const error = await failureOf(client.trades.list());
    expect(error).toMatchObject({ outcome: "not-sent", retryable: false, attempts: 1 });
    expect(error.message).toContain("FXDESK_PROXY_CREDENTIALS");
    expect(inspect(error, { depth: Infinity })).not.toContain("canary");
    expect(proxy.targets).toHaveLength(1);
  });
});

test("a booking whose tunnel is cut anywhere is not called not-sent if the service saw it", async () => {
  disableBackoff();
  const service = await startService(false);
  const chance = seededRandom(30);
  const routes = { [target]: service.port };
  const proxy = await startConnectProxy({ routes, cutAfterBytes: () => chance.integer(0, 2_500) });
  const client = connect({ proxy: proxyUrl(proxy), connections: 40, timeoutMs: 2_000 });
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, async (_, number) => {
      const quote = `q-${number}-cut`;
      const booking = client.trades.book({ ...tradeInput, quote_id: quote });
      const outcome = await booking.then(
        () => "done",
        (error: unknown) => (error as FxdeskError).outcome,
      );
      const wasSeen = service.urls.some((url) => url.startsWith("/trades?") && url.includes(quote));
      expect([quote, outcome, wasSeen]).not.toEqual([quote, "not-sent", true]);
      return outcome;
    }),
  );
  expect(new Set(outcomes)).toEqual(new Set(["not-sent", "unknown", "done"]));
});

test("a server whose authority is unknown is named, with the setting that helps", async () => {
  const service = await startService(false);
  const proxy = await startConnectProxy({ routes: { [target]: service.port } });
  const client = createTestClient({ baseUrl: address, proxy: proxyUrl(proxy) });
  const error = await failureOf(client.trades.book(newTrade()));
  expect(error).toMatchObject({ code: "unavailable", outcome: "not-sent", retryable: false });
  for (const words of ["service.test", "FXDESK_CA"]) expect(error.message).toContain(words);
});

test("an authority is trusted in addition to those of Node.js", () => {
  const { tls } = networkFrom({ ca }, {}, {});
  expect((tls.ca as string[]).length).toBeGreaterThan(50);
  expect(tls.ca).toContain(pem("authority.pem").toString());
});

describe("settings", () => {
  const secret = "canary";
  test.each([
    `socks5://desk:${secret}@proxy.example.com`,
    `http://desk:${secret}@`,
    `http://desk:${secret}%zz@proxy.example.com`,
    `http://desk:${secret}@proxy.example.com:99999`,
    `desk:${secret}`,
  ])("an invalid proxy is named and not repeated: %s", (proxy) => {
    for (const options of [{ proxy }, { settings: { proxy } }]) {
      let message = "";
      try {
        createClient({ baseUrl: address, ...options });
      } catch (error) {
        message = inspect(error);
      }
      expect(message).toContain("TypeError: proxy must be the address of an HTTP proxy");
      expect(message).not.toContain(secret);
    }
    setVariables({ HTTPS_PROXY: proxy });
    expect(() => createClient({ baseUrl: address })).toThrow(/^HTTPS_PROXY must be/);
    expect(() => closeLater(createClient({ baseUrl: "http://127.0.0.1:9" }))).not.toThrow();
  });

  test.each<[options: ClientOptions, message: string]>([
    [{ proxy: `http://desk:${secret}@proxy.example.com` }, "proxy must not contain a user name or password"],
    [{ ca: "authority.pem" }, "ca must be the absolute path"],
    [{ ca: "/nowhere.pem" }, "ca cannot be read (ENOENT): /nowhere.pem"],
    [{ ca: certificate("make.sh") }, "ca must be a file of certificates"],
    [{ clientKey: certificate("client.key") }, "clientCertificate is needed with `clientKey`"],
    [{ clientCertificate: certificate("client.pem") }, "clientCertificate cannot be used"],
    [
      { clientCertificate: certificate("client.pfx"), credentials: { clientKeyPassphrase: secret } },
      "clientCertificate cannot be used",
    ],
    [{ minTlsVersion: "TLSv1" as "TLSv1.2" }, "minTlsVersion must be TLSv1.2 or TLSv1.3"],
  ])("%j: %s", (options, message) => {
    expect(() => createClient({ baseUrl: address, ...options })).toThrow(message);
    expect(() => createClient({ baseUrl: address, ...options })).not.toThrow(secret);
  });

  test.each([
    ["example.com", "https://example.com", true],
    ["example.com", "https://api.example.com", true],
    [".example.com", "https://api.example.com", true],
    ["*.example.com", "https://api.example.com", true],
    ["EXAMPLE.com", "https://api.example.com.", true],
    ["ample.com", "https://example.com", false],
    ["example.com:8443", "https://example.com", false],
    ["example.com:443", "https://example.com", true],
    ["a.test, example.com", "https://example.com", true],
    ["a.test example.com", "https://example.com", true],
    ["*", "https://example.com", true],
    ["10.0.0.0/8", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://11.1.2.3", false],
    ["10.0.0.0/99", "https://10.1.2.3", false],
    ["fd00::/8", "https://[fd00::1]", true],
    ["fd00::1", "https://[fd00::1]", true],
    ["[fd00::1]:443", "https://[fd00::1]", true],
    ["2.3", "https://10.1.2.3", false],
    ["", "http://localhost:9", true],
    ["", "http://127.0.0.1", true],
    ["", "https://example.com", false],
  ])("noProxy %j: %s is reached directly: %s", (noProxy, url, direct) => {
    expect(isDirect(new URL(url), noProxy)).toBe(direct);
  });

  test("a proxy without scheme or port is complete", () => {
    expect(parseProxy("proxy", "proxy.example.com:3128").url.href).toBe("http://proxy.example.com:3128/");
  });
});

test("100 random calls end as without a proxy", async () => {
  disableBackoff();
  const resultsAt = async (proxied: boolean) => {
    const server = closeLater(await startWitnessServer());
    const port = Number(new URL(server.url).port);
    const proxy = await startConnectProxy({ routes: { [`service.test:${port}`]: port } });
    const url = proxied ? `http://service.test:${port}` : server.url;
    const options = { baseUrl: url, xs2aUrl: url, contactId: "nobody" };
    const client = createTestClient({ ...options, ...(proxied && { proxy: proxyUrl(proxy) }) });
    const results = await Promise.all(
      Array.from({ length: 100 }, async (_, number) => {
        const { operation: name, input, id, fate } = seededCall(number);
        // Without calls that wait for their time limit.
        server.plan(id, fate.kind === "silence" || fate.kind === "drip" ? { kind: "reset" } : fate);
        const operation = operationNamed(name);
        const own = operation.server === "service" ? { contactId: id } : { requestId: id };
        return client.call(operation, input, { key: `${id}-${proxied}`, ...own }).then(
          ({ status }) => `${name} ${status}`,
          ({ code, outcome, status }: FxdeskError) => `${name} ${code} ${outcome} ${status}`,
        );
      }),
    );
    return { results, tunnels: proxy.targets.length };
  };
  const [direct, proxied] = await Promise.all([resultsAt(false), resultsAt(true)]);
  expect(proxied.results).toEqual(direct.results);
  expect(direct.tunnels).toBe(0);
  expect(proxied.tunnels).toBeGreaterThan(30);
}, 30_000);
