/** Access tokens of a company's authorization server: whom they name, what they permit, and which are refused. */
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { exportSPKI, generateKeyPair } from "jose";
import { lockPerson } from "../../core/people/administration";
import { closeLater, tempFolder } from "../support/resources";
import {
  administrator,
  createReleaseFixture,
  type ReleaseFixture,
  sampleOrder,
} from "../core/releases/release-fixture";
import { bearer, revisions, serve, textOf } from "./support/clients";
import { type SigningKey, startIssuer, type TokenChanges } from "./support/issuer";

let place: ReleaseFixture;
let company: Awaited<ReturnType<typeof startIssuer>>;
let url: string;

beforeAll(async () => {
  place = await createReleaseFixture();
  company = await startIssuer();
  const { url: address } = await serve({
    client: place.client(),
    people: place.peoplePath,
    allow: ["money", "change"],
    toolsets: ["trades"],
    login: { issuer: company.issuer, personClaim: "name" },
  });
  url = address;
});

const sign = (claims: TokenChanges = {}, ...key: SigningKey) => company.sign({ aud: url, ...claims }, ...key);

const post = (token: string, to = url, message: object = { method: "tools/list" }, headers = {}) =>
  fetch(to, {
    method: "POST",
    headers: {
      ...bearer(token),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });

/** Opens a stream of the newest revision. */
const listen = (token: string, to: string, uris: readonly string[]) => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const method = "subscriptions/listen";
  const params = { _meta: meta, notifications: { resourceSubscriptions: uris } };
  const headers = { "mcp-method": method, "mcp-protocol-version": "2026-07-28" };
  return post(token, to, { method, params }, headers);
};

/** Serves with a people file of its own, beside which wrong tokens are counted. */
async function serveAlone() {
  const people = join(await tempFolder(), "people.json");
  await copyFile(place.peoplePath, people);
  const login = { issuer: company.issuer, audience: url, personClaim: "name" };
  return { people, own: (await serve({ client: place.client(), people, login })).url };
}

const host = async (token: string) => revisions["2025-11-25"].http(url, bearer(token));

test("a host without a token learns where people log in", async () => {
  // More often than wrong tokens are allowed.
  const responses = await Promise.all(Array.from({ length: 10 }, () => post("")));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 401));
  const header = responses[0]!.headers.get("www-authenticate")!;
  expect(header).not.toContain("error");
  const address = /resource_metadata="([^"]+)"/.exec(header)![1]!;
  expect(await (await fetch(address)).json()).toMatchObject({
    resource: url,
    authorization_servers: [company.issuer],
    scopes_supported: ["read", "change", "money"],
  });
});

test("a token requests as its person", async () => {
  const assistant = await host(await sign({ type: "at+JWT" }));
  const result = await assistant.callTool({
    name: "order_trade",
    arguments: { ...sampleOrder(), request_key: "k" },
  });
  expect(result.structuredContent).toMatchObject({ state: "waiting", requested_by: "anna" });
});

test("a token offers the tools of its scopes", async () => {
  const namesFor = async (scope: object) => {
    const { tools } = await (await host(await sign(scope as TokenChanges))).listTools();
    return tools.map(({ name }) => name);
  };
  const all = await namesFor({});
  const reading = await namesFor({ scope: "read openid" });
  const withMoney = await namesFor({ scope: undefined, scp: ["read", "money"] });
  expect(all).toContain("order_trade");
  expect(withMoney).toContain("order_trade");
  expect(reading).toContain("list_trades");
  expect(reading).not.toContain("order_trade");
  const assistant = await host(await sign({ scope: "read" }));
  const refused = await assistant.callTool({ name: "order_trade", arguments: { ...sampleOrder() } });
  expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining("Nothing was sent")]);
});

test("a token without the scope to read is refused with what it lacks", async () => {
  const response = await post(await sign({ scope: "money" }));
  expect(response.status).toBe(403);
  expect(response.headers.get("www-authenticate")).toMatch(/insufficient_scope.*scope="read"/);
});

const withoutSignature = (token: string) => `${token.slice(0, token.lastIndexOf("."))}.`;

test.each<[string, () => Promise<string>]>([
  ["for another resource", () => sign({ aud: "https://other.example.com/mcp" })],
  ["of another issuer", () => sign({ iss: "https://other.example.com" })],
  ["that has expired", () => sign({ expires: "-5m" })],
  ["that is not valid yet", async () => sign({ nbf: Math.floor(Date.now() / 1_000) + 600 })],
  ["of an unknown person", () => sign({ name: "mallory" })],
  ["of a property of every object", () => sign({ name: "__proto__" })],
  ["without a name", () => sign({ name: undefined })],
  ["signed with another key", async () => sign({}, (await generateKeyPair("ES256")).privateKey)],
  [
    "signed with the public key as a secret",
    async () =>
      sign({}, new TextEncoder().encode(await exportSPKI(company.keys.publicKey)) as never, "HS256"),
  ],
  ["without a signature", async () => withoutSignature(await sign())],
  ["that proves a login", () => sign({ nonce: "n" })],
  ["that belongs to an access token", () => sign({ at_hash: "h" })],
  ["of another type", () => sign({ type: "logout+jwt" })],
])("a token %s is refused", async (_, create) => {
  const { own } = await serveAlone();
  const response = await post(await create(), own);
  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toContain("invalid_token");
});

test("a token is not wrong because the keys cannot be read", async () => {
  const { own } = await serveAlone();
  const token = await sign();
  company.hasFailed = true;
  const statuses = [];
  for (let index = 0; index < 10; index += 1) statuses.push((await post(token, own)).status);
  company.hasFailed = false;
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect((await post(token, own)).status).toBe(200);
});

test("a token of a person who is locked stops at once", async () => {
  const { people, own } = await serveAlone();
  const token = await sign({ name: "bert" });
  expect((await post(token, own)).status).toBe(200);
  await lockPerson(people, "bert", administrator);
  expect((await post(token, own)).status).toBe(401);
});

test("a stream ends with its token, and when its person is locked", async () => {
  const { people, own } = await serveAlone();
  const watch = "fxdesk://watches/watch_trades";
  const streams = await Promise.all([
    listen(await sign({ name: "bert" }), own, [watch]),
    // Within the tolerance for clocks, and a moment later no longer.
    listen(await sign({ expires: "-28s" }), own, [watch]),
    listen(await sign({ name: "carl" }), own, [watch]),
  ]);
  expect(streams.map(({ status, headers }) => [status, headers.get("content-type")])).toEqual(
    streams.map(() => [200, "text/event-stream"]),
  );
  await lockPerson(people, "bert", administrator);
  const readers = streams.map(({ body }) => body!.getReader());
  const states = readers.map(({ closed }) => closed.catch(() => "ended"));
  expect(await Promise.all(states.slice(0, 2))).toEqual(["ended", "ended"]);
  expect(await Promise.race([states[2], Promise.resolve("open")])).toBe("open");
  await readers[2]!.cancel();
});

test("a stream has a limit of URIs", async () => {
  const { own } = await serveAlone();
  const uris = Array.from({ length: 51 }, (_, index) => `fxdesk://watches/watch_trades?page=${index}`);
  const refused = await listen(await sign(), own, uris);
  expect([refused.status, await refused.json()]).toMatchObject([400, { id: 1, error: { code: -32_602 } }]);
});

test.each(["http://login.example.com", "login.example.com"])("the issuer %s is refused", async (wrong) => {
  const options = { client: place.client(), people: place.peoplePath, login: { issuer: wrong } };
  await expect(serve(options)).rejects.toThrow(TypeError);
});

describe("the authorization server of the sandbox", () => {
  let endpoint: string;
  let base: string;
  beforeAll(async () => {
    base = `${new URL(place.sandbox.baseUrl).origin}/company-login`;
    const client = place.client();
    const people = place.peoplePath;
    ({ url: endpoint } = await serve({ client, people, allow: ["money"], login: { issuer: base } }));
  });

  /** A host without any setting, which keeps what it learns. */
  class Login implements OAuthClientProvider {
    readonly redirectUrl = "http://127.0.0.1:33418/callback";
    readonly clientMetadata = { client_name: "host", redirect_uris: [this.redirectUrl] };
    address!: URL;
    #kept: Partial<Record<"client" | "tokens" | "verifier" | "discovery", never>> = {};
    clientInformation = () => this.#kept.client;
    saveClientInformation = (client: object) => void (this.#kept.client = client as never);
    tokens = () => this.#kept.tokens;
    saveTokens = (tokens: object) => void (this.#kept.tokens = tokens as never);
    codeVerifier = () => String(this.#kept.verifier);
    saveCodeVerifier = (verifier: string) => void (this.#kept.verifier = verifier as never);
    discoveryState = () => this.#kept.discovery;
    saveDiscoveryState = (state: object) => void (this.#kept.discovery = state as never);
    redirectToAuthorization = (address: URL) => void (this.address = address);
  }

  const connect = async (login: Login) => {
    const transport = new StreamableHTTPClientTransport(new URL(endpoint), { authProvider: login });
    const client = closeLater(new Client({ name: "host", version: "1" }));
    const connected = await client.connect(transport).then(
      () => true,
      (error: unknown) => {
        if (error instanceof UnauthorizedError) return false;
        throw error;
      },
    );
    return { client, transport, connected };
  };

  const submit = (address: URL, fields: [string, string][], headers = {}) =>
    fetch(address, { method: "POST", body: new URLSearchParams(fields), headers, redirect: "manual" });

  /** Logs in as a person does, and returns the tools of the token. */
  async function toolsOf(scopes: readonly string[]): Promise<string[]> {
    const login = new Login();
    const { transport, connected } = await connect(login);
    expect(connected).toBe(false);
    const page = await fetch(login.address);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(endpoint)]);
    const choices = scopes.map((scope): [string, string] => ["scope", scope]);
    const answer = await submit(login.address, [["person", "anna"], ["decision", "login"], ...choices]);
    const location = new URL(answer.headers.get("location")!);
    expect([answer.status, location.origin + location.pathname]).toEqual([303, login.redirectUrl]);
    await transport.finishAuth(location.searchParams);
    const { client } = await connect(login);
    return (await client.listTools()).tools.map(({ name }) => name);
  }

  test("lets a host find it, log in and list the tools of the chosen scopes", async () => {
    expect(await toolsOf(["read", "money"])).toContain("get_release");
    const reading = await toolsOf(["read"]);
    expect(reading).toContain("get_cash_position");
    expect(reading).not.toContain("get_release");
  });

  test("refuses addresses that are not registered, and redeems a code for its host alone", async () => {
    const login = new Login();
    await connect(login);
    const changed = (name: string, value: string) => {
      const address = new URL(login.address);
      address.searchParams.set(name, value);
      return address;
    };
    const logIn: [string, string][] = [
      ["person", "anna"],
      ["decision", "login"],
      ["scope", "read"],
    ];
    for (const other of [
      "https://example.com/callback",
      "javascript://127.0.0.1/",
      "http://127.0.0.1:33418/else",
    ])
      expect([other, (await submit(changed("redirect_uri", other), logIn)).status]).toEqual([other, 400]);
    expect((await submit(changed("redirect_uri", "http://127.0.0.1:1234/callback"), logIn)).status).toBe(303);
    expect((await submit(login.address, logIn, { origin: "https://example.com" })).status).toBe(403);
    const plain = await submit(changed("code_challenge_method", "plain"), logIn);
    expect(plain.headers.get("location")).toContain("error=invalid_request");

    const { headers } = await submit(login.address, logIn);
    const code = new URL(headers.get("location")!).searchParams.get("code")!;
    const redeem = (verifier: string) =>
      submit(new URL(`${base}/token`), [
        ["grant_type", "authorization_code"],
        ["code", code],
        ["client_id", login.address.searchParams.get("client_id")!],
        ["redirect_uri", login.redirectUrl],
        ["code_verifier", verifier],
      ]);
    expect((await redeem("another")).status).toBe(400);
    // A wrong try ends the code.
    expect((await redeem(login.codeVerifier())).status).toBe(400);
  });

  test("registers only addresses to which a code may go", async () => {
    for (const uri of ["http://example.com/", "javascript:alert(1)", "data:text/html,x", 7]) {
      const body = JSON.stringify({ redirect_uris: [uri] });
      const { status } = await fetch(`${base}/register`, { method: "POST", body });
      expect([uri, status]).toEqual([uri, 400]);
    }
  });
});
