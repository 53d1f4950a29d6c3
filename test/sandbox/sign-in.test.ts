/** Tests the login page and the tokens. */
import { createClient } from "@fxdesk/toolkit";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { ask } from "./support/http";
import { forkSandbox } from "./support/forks";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await forkSandbox({ now: new Date("2026-11-20T10:00:00Z"), daysBehind: 90 });
});
afterEach(() => sandbox.close());

const loginRequest = {
  scope: "openid",
  response_type: "code",
  client_id: demo.authClientId,
  redirect_uri: demo.redirectUri,
  state: 's1"><script>',
};
const loginPage = (changes: Record<string, string> = {}) =>
  ask(sandbox, `/authenticate?${new URLSearchParams({ ...loginRequest, ...changes }).toString()}`);

const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  ask(sandbox, path, { method: "POST", body: new URLSearchParams(fields), headers });

const { client_id, redirect_uri, state } = loginRequest;
const person = { email: demo.email, password: demo.password, client_id, redirect_uri, state };

const basic = (secret: string) => `Basic ${Buffer.from(`${demo.authClientId}:${secret}`).toString("base64")}`;

async function token(fields: Record<string, string>, secret: string = demo.authClientSecret) {
  const { status, text } = await form("/token", fields, { authorization: basic(secret) });
  return { status, body: JSON.parse(text) as Record<string, string> };
}

async function code(): Promise<string> {
  const { status, headers } = await form("/login", person);
  const target = new URL(headers.get("location")!);
  expect([status, target.origin + target.pathname]).toEqual([302, demo.redirectUri]);
  expect(target.searchParams.get("state")).toBe(state);
  return target.searchParams.get("code")!;
}

const exchange = (value: string, uri: string = demo.redirectUri) =>
  token({ grant_type: "authorization_code", code: value, redirect_uri: uri });

const refresh = (value: string) =>
  token({ grant_type: "refresh_token", refresh_token: value, scope: "openid" });

const works = async (accessToken: string) => {
  const response = await ask(sandbox, "/account-details/all?client_id=client-demo", {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return response.status === 200;
};

test("ignores the case of the e-mail address and preserves it after a wrong password", async () => {
  const email = demo.email.toUpperCase();
  const { status, text } = await form("/login", { ...person, email, password: "guess" });
  expect([status, text]).toEqual([401, expect.stringContaining(`value="${email}"`)]);
  expect(await form("/login", { ...person, email: ` ${email}` })).toMatchObject({ status: 302 });
});

test("logs the reason and time of a refused login", async () => {
  await form("/login", { ...person, password: "guess" });
  await form("/token", {});
  await token({ grant_type: "magic" });
  await ask(sandbox, "/sca/unknown");
  expect(sandbox.requests).toEqual([
    expect.objectContaining({ status: 401, refusal: "The e-mail address or password is wrong." }),
    expect.objectContaining({ status: 401, refusal: "The application's ID or secret is wrong." }),
    expect.objectContaining({ status: 400, refusal: expect.stringContaining("grant_type must be") }),
    expect.objectContaining({ status: 404, refusal: "The authorisation is unknown." }),
  ]);
  expect(sandbox.requests[0]).toMatchObject({ time: "2026-11-20T10:00:00.100Z" });
});

describe("the login page", () => {
  test("is a form that preserves and escapes the state", async () => {
    const { status, headers, text } = await loginPage();
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain('value="s1&quot;&gt;&lt;script&gt;"');
    expect(text).not.toContain("<script>");
  });

  test.each([
    [{ scope: "profile" }, "scope"],
    [{ response_type: "token" }, "response_type"],
    [{ client_id: "client-demo" }, "client_id"],
    [{ redirect_uri: "https://elsewhere.example/" }, "redirect_uri"],
    [{ state: "" }, "state"],
  ])("refuses %j", async (change, field) => {
    const { status, headers, text } = await loginPage(change);
    expect([status, headers.get("x-fxdesk-extension")]).toEqual([400, "true"]);
    expect((JSON.parse(text) as { details: string }).details).toContain(field);
  });

  test("redirects to the registered URI by default", async () => {
    const { redirect_uri: _, ...others } = person;
    const { status, headers } = await form("/login", others);
    expect([status, headers.get("location")]).toEqual([
      302,
      expect.stringContaining(`${demo.redirectUri}?code=`),
    ]);
  });

  test("refuses unregistered redirect URIs", async () => {
    const { status, headers } = await form("/login", {
      ...person,
      redirect_uri: "https://elsewhere.example/",
    });
    expect([status, headers.get("location")]).toEqual([400, null]);
  });
});

describe("tokens", () => {
  test("are issued once per code", async () => {
    const value = await code();
    const { status, body } = await exchange(value);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: 3600, refresh_token: expect.any(String) });
    const claims = Buffer.from(body.id_token!.split(".")[1]!, "base64url").toString();
    expect(JSON.parse(claims)).toMatchObject({
      aud: demo.authClientId,
      clients: [{ client_id: "client-demo" }],
    });
    expect(await works(body.access_token!)).toBe(true);
    expect(await exchange(value)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  test("require the redirect URI, an unexpired code and the client secret", async () => {
    expect(await exchange(await code(), "https://elsewhere.example/")).toMatchObject({ status: 400 });
    const late = await code();
    sandbox.advance(60_000);
    expect(await exchange(late)).toMatchObject({ body: { error: "invalid_grant" } });
    expect(await token({ grant_type: "refresh_token" }, "guess")).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
    });
    expect(await token({ grant_type: "password" })).toMatchObject({
      body: { error: "unsupported_grant_type" },
    });
  });

  test.each<[string, Record<string, string>, string]>([
    ["no grant type", {}, "grant_type is required."],
    ["an empty grant type", { grant_type: "" }, "grant_type is required."],
    ["no code", { grant_type: "authorization_code" }, "code is required."],
    ["no refresh token", { grant_type: "refresh_token" }, "refresh_token is required."],
  ])("are refused for a form with %s", async (_what, fields, error_description) => {
    expect(await token(fields)).toEqual({
      status: 400,
      body: { error: "invalid_request", error_description },
    });
  });

  test("require HTTP Basic, announced in WWW-Authenticate", async () => {
    const { status, headers } = await form("/token", { grant_type: "refresh_token" });
    expect([status, headers.get("www-authenticate")]).toEqual([401, 'Basic realm="fxdesk sandbox"']);
  });

  test("expire after an hour and can be refreshed", async () => {
    const { body } = await exchange(await code());
    sandbox.advance(3_600_000);
    expect(await works(body.access_token!)).toBe(false);
    const renewed = await refresh(body.refresh_token!);
    expect(await works(renewed.body.access_token!)).toBe(true);
  });

  test("accept the last ten refresh tokens for 28 days", async () => {
    const first = (await exchange(await code())).body.refresh_token!;
    for (let issued = 2; issued <= 10; issued += 1)
      expect(await refresh(first)).toMatchObject({ status: 200 });
    const eleventh = await refresh(first);
    expect(eleventh.status).toBe(200);
    expect(await refresh(first)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    sandbox.advance(28 * 86_400_000);
    expect(await refresh(eleventh.body.refresh_token!)).toMatchObject({ status: 400 });
    expect(await refresh(demo.refreshToken)).toMatchObject({ status: 200 });
  });

  test("are refreshed by the client", async () => {
    const { authClientId, authClientSecret, refreshToken, clientId } = demo;
    const client = createClient({
      baseUrl: sandbox.baseUrl,
      clientId,
      credentials: { authClientId, authClientSecret, refreshToken },
    });
    expect(await client.accountDetails.listAll()).not.toHaveLength(0);
    await client.close();
  });
});
