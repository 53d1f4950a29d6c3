/** Login at misbehaving services, and the listener for the redirect. */
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { logOut, startLogin, readTokenAge } from "../../../core/client/login";
import { listenForRedirect } from "../../../core/http/login-listener";
import { fxdeskService } from "../../../core/client/fxdesk-service";
import { type Fault, inSequence, respond, silence } from "../../support/fault-server";
import { freeRedirectUri, openPage } from "../../support/login";
import { createTestClient, failureOf, startFaultServer } from "../support/client-fixtures";

const secret = "secret-of-the-application";

const optionsAt = (url: string, settings: Record<string, string> = {}) => ({
  baseUrl: url,
  clientId: "c-1",
  timeoutMs: 1_000,
  store: join(process.env.XDG_STATE_HOME!, `login-${randomUUID()}.db`),
  storeKey: randomBytes(32).toString("base64"),
  settings: {
    redirectUri: "http://127.0.0.1:1/back",
    authClientId: "application",
    authClientSecret: secret,
    ...settings,
  },
});

const tokens = (changes: object = {}) =>
  JSON.stringify({
    access_token: "access-token-1",
    token_type: "Bearer",
    expires_in: 3_600,
    refresh_token: "refresh-token-1",
    ...changes,
  });

const idToken = (payload: unknown) =>
  `x.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.signature`;

/** Completes a login with a code, at a token endpoint with the given behaviour. */
async function finishLogin(fault: Fault, settings: Record<string, string> = {}, more: object = {}) {
  const server = await startFaultServer(fault);
  const options = optionsAt(server.url, settings);
  const login = await startLogin(fxdeskService, options);
  // The contract documents no issuer, so it is ignored.
  const iss = "https://issuer.example";
  const parameters = new URLSearchParams({ code: "the-code-of-it", state: login.state, iss, ...more });
  return { server, options, login, finishing: login.finish(parameters) };
}

test("omits PKCE with the setting pkce=none", async () => {
  const { server, finishing } = await finishLogin(respond(200, tokens()), { pkce: "none" });
  await finishing;
  expect(server.heads[0]).not.toContain("code_verifier");
});

test("exchanges the code once, with PKCE verifier and application secret", async () => {
  const { server, login, finishing } = await finishLogin(respond(200, tokens()));
  expect(await finishing).toMatchObject({ clientId: "c-1", clientIds: [], environment: "api" });
  expect(server.heads).toHaveLength(1);
  const [head] = server.heads;
  expect(head).toMatch(/^POST \/token HTTP/);
  const basic = Buffer.from(`application:${secret}`).toString("base64");
  expect(head).toContain(`Basic ${basic}`);
  const form = Object.fromEntries(new URLSearchParams(head!.split("\r\n\r\n")[1]));
  expect(form).toEqual({
    grant_type: "authorization_code",
    code: "the-code-of-it",
    redirect_uri: "http://127.0.0.1:1/back",
    code_verifier: expect.any(String),
  });
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(form.code_verifier));
  expect(new URL(login.address).searchParams.get("code_challenge")).toBe(
    Buffer.from(digest).toString("base64url"),
  );
});

test.each([
  ["a lifetime in digits", { expires_in: "3600" }],
  ["no lifetime", { expires_in: undefined }],
  ["an unreadable ID token", { id_token: "x" }],
])("accepts %s", async (_what, changes) => {
  const { options, finishing } = await finishLogin(respond(200, tokens(changes)));
  const { login } = await finishing;
  const settings = { ...options.settings, login };
  const age = await readTokenAge(fxdeskService, { ...options, settings });
  expect(age!.remainingMs).toBeGreaterThan(3_500_000);
  expect(age!.remainingMs).toBeLessThanOrEqual(3_600_000);
});

test.each([
  [[{ client_id: "c-2" }], undefined, "c-2"],
  [[{ client_id: "c-2" }, { client_id: "c-3" }], undefined, undefined],
  [[{ client_id: "c-2" }, { client_id: "c-1" }], "c-1", "c-1"],
])("with the clients %j and %s configured, the client is %s", async (clients, clientId, expected) => {
  const server = await startFaultServer(respond(200, tokens({ id_token: idToken({ clients }) })));
  const { clientId: _, ...options } = optionsAt(server.url);
  const login = await startLogin(fxdeskService, { ...options, ...(clientId && { clientId }) });
  const stored = await login.finish(new URLSearchParams({ code: "c", state: login.state }));
  expect([stored.clientId, stored.clientIds]).toEqual([expected, clients.map((each) => each.client_id)]);
});

test("works until the access token expires if there is no refresh token", async () => {
  const answers = inSequence(
    respond(200, tokens({ refresh_token: undefined })),
    respond(200, "[]"),
    respond(401),
  );
  const { server, options, finishing } = await finishLogin(answers);
  const { login } = await finishing;
  const client = createTestClient({ ...options, settings: { ...options.settings, login } });
  await client.accounts.listCurrencyAccounts();
  const error = await failureOf(client.accounts.listCurrencyAccounts());
  expect([error.code, error.message]).toEqual(["unauthorized", expect.stringContaining("Log in again")]);
  expect(server.heads.filter((head) => head.startsWith("POST /token"))).toHaveLength(1);
});

test("is bound to its service: neither receives a token of the other", async () => {
  const { server, options, finishing } = await finishLogin(respond(200, tokens()));
  const settings = { ...options.settings, login: (await finishing).login };
  const other = await startFaultServer(respond(200, "[]"));
  const client = createTestClient({ ...options, baseUrl: other.url, settings });
  expect(await failureOf(client.trades.list())).toMatchObject({ code: "unauthorized", outcome: "not-sent" });
  expect([server.heads.length, other.heads.length]).toEqual([1, 0]);
  await logOut(fxdeskService, { ...options, settings });
  expect(await readTokenAge(fxdeskService, { ...options, settings })).toBeUndefined();
});

test.each<[string, Fault, object]>([
  ["refuses", respond(400, '{"error":"invalid_grant"}'), { code: "unauthorized", outcome: "rejected" }],
  ["fails", respond(500), { code: "unavailable", retryable: true }],
  ["does not respond", silence, { code: "unavailable" }],
  ["returns no token", respond(200, "{}"), { code: "unavailable" }],
  ["returns tokens of another type", respond(200, tokens({ token_type: "mac" })), { code: "unavailable" }],
])("fails and stores nothing if the token endpoint %s", async (_what, fault, facts) => {
  const { server, finishing } = await finishLogin(fault);
  const error = await failureOf(finishing);
  expect(error).toMatchObject({ operation: "login", ...facts });
  expect(server.heads.length).toBeLessThanOrEqual(1);
  const visible = JSON.stringify(error) + error.stack + String((error.cause as Error | undefined)?.stack);
  for (const hidden of [secret, "the-code-of-it", "access-token-1", "refresh-token-1"])
    expect(visible).not.toContain(hidden);
});

test.each(["authClientId", "authClientSecret", "redirectUri"])(
  "fails before opening the login page without %s",
  async (name) => {
    const options = optionsAt("http://127.0.0.1:9", { [name]: "" });
    await expect(startLogin(fxdeskService, options)).rejects.toThrow(`${name} is needed`);
  },
);

describe("the redirect listener", () => {
  const nobody = () => Promise.reject(new Error("Nobody came."));

  test("has a time limit", async () => {
    const redirectUri = await freeRedirectUri();
    const { result } = await listenForRedirect({ redirectUri, state: "s", timeoutMs: 50 }, nobody);
    const error = await failureOf(result);
    expect(error).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("not completed within"),
    });
    await expect(openPage(redirectUri)).rejects.toThrow("fetch failed");
  });

  test("listens on IPv6 if that is registered", async () => {
    const redirectUri = (await freeRedirectUri()).replace("127.0.0.1", "[::1]");
    const finish = (parameters: URLSearchParams) => Promise.resolve(parameters.get("code"));
    const { result } = await listenForRedirect({ redirectUri, state: "s", timeoutMs: 5_000 }, finish);
    expect((await openPage(`${redirectUri}?state=s&code=c`)).status).toBe(200);
    expect(await result).toBe("c");
  });

  test("handles malformed addresses", async () => {
    const redirectUri = await freeRedirectUri();
    const { host, port, hostname } = new URL(redirectUri);
    const { result } = await listenForRedirect(
      { redirectUri, state: "s", timeoutMs: 5_000 },
      async () => "in",
    );
    for (const path of ["//", "*", "http://elsewhere.example/callback?state=s"]) {
      const asked = get({ hostname, port, path, headers: { host } });
      const [response] = (await once(asked, "response")) as [IncomingMessage];
      expect([path, response.resume().statusCode]).toEqual([path, 404]);
    }
    await openPage(`${redirectUri}?state=s`);
    expect(await result).toBe("in");
  });
});
