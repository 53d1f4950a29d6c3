/** Tests logging in, and authorisation of consents and payments by OAuth 2.0: pages, codes and tokens. */
import { createHash } from "node:crypto";
import { createClient, type FxdeskClient } from "@fxdesk/toolkit";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { closeLater } from "../support/resources";
import { openClient, openSandbox } from "../support/sandboxes";
import {
  consentTerms,
  euroAccount,
  minute,
  openBank,
  person,
  refusal,
  single,
  sortTexts,
  today,
  transfer,
} from "./open-banking/bank";
import { ask } from "./support/http";

let sandbox: Sandbox;

describe("log-in", () => {
  beforeEach(async () => {
    sandbox = await openSandbox({ now: new Date(`${today}T09:00:00Z`) });
  });

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
  const user = { email: demo.email, password: demo.password, client_id, redirect_uri, state };

  const basic = (secret: string) =>
    `Basic ${Buffer.from(`${demo.authClientId}:${secret}`).toString("base64")}`;

  async function token(fields: Record<string, string>, secret: string = demo.authClientSecret) {
    const { status, text } = await form("/token", fields, { authorization: basic(secret) });
    return { status, body: JSON.parse(text) as Record<string, string> };
  }

  async function code(): Promise<string> {
    const { status, headers } = await form("/login", user);
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
    const { status, text } = await form("/login", { ...user, email, password: "guess" });
    expect([status, text]).toEqual([401, expect.stringContaining(`value="${email}"`)]);
    expect(await form("/login", { ...user, email: ` ${email}` })).toMatchObject({ status: 302 });
  });

  test("logs the reason and time of a refused login", async () => {
    await form("/login", { ...user, password: "guess" });
    await form("/token", {});
    await token({ grant_type: "magic" });
    await ask(sandbox, "/sca/unknown");
    expect(sandbox.requests).toEqual([
      expect.objectContaining({ status: 401, refusal: "The e-mail address or password is wrong." }),
      expect.objectContaining({ status: 401, refusal: "The application's ID or secret is wrong." }),
      expect.objectContaining({ status: 400, refusal: expect.stringContaining("grant_type must be") }),
      expect.objectContaining({ status: 404, refusal: "The authorisation is unknown." }),
    ]);
    expect(sandbox.requests[0]).toMatchObject({ time: "2026-03-02T09:00:00.100Z" });
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
      const { redirect_uri: _, ...others } = user;
      const { status, headers } = await form("/login", others);
      expect([status, headers.get("location")]).toEqual([
        302,
        expect.stringContaining(`${demo.redirectUri}?code=`),
      ]);
    });

    test("refuses unregistered redirect URIs", async () => {
      const { status, headers } = await form("/login", {
        ...user,
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
      expect(body).toMatchObject({
        token_type: "Bearer",
        expires_in: 3600,
        refresh_token: expect.any(String),
      });
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
      const credentials = { authClientId, authClientSecret, refreshToken };
      const client = closeLater(createClient({ baseUrl: sandbox.baseUrl, clientId, credentials }));
      expect(await client.accountDetails.listAll()).not.toHaveLength(0);
    });
  });
});

describe("OAuth", () => {
  const home = "https://desk.example/done?from=bank";
  const verifier = Buffer.alloc(32, "verifier").toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");

  let client: FxdeskClient;
  beforeEach(async () => {
    ({ sandbox, client } = await openBank({}, { scaApproach: "oauth" }));
    client = openClient(sandbox, { credentials: {} });
  });

  interface Metadata {
    readonly issuer: string;
    readonly authorization_endpoint: string;
    readonly token_endpoint: string;
  }

  const terms = { ...consentTerms, "TPP-Redirect-URI": home };
  const create = () => client.consents.create(terms);

  type Links = Awaited<ReturnType<typeof create>>["_links"];

  const metadataOf = async ({ scaOAuth }: Links) => (await (await fetch(scaOAuth!.href!)).json()) as Metadata;

  const authorisationQuery = (scope: string, more: Readonly<Record<string, string>> = {}) => ({
    response_type: "code",
    client_id: "PSDXX-TEST-1",
    scope,
    state: "s 1",
    redirect_uri: home,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...more,
  });

  /** Returns the URL of the authorisation page. */
  async function pageFor(links: Links, query: Readonly<Record<string, string>>): Promise<string> {
    const { authorization_endpoint } = await metadataOf(links);
    return `${authorization_endpoint}?${new URLSearchParams(query).toString()}`;
  }

  /** Submits a decision and returns the redirect URL. */
  async function responseFor(page: string, decision: string): Promise<URL> {
    const [, action = ""] = /<form method="post" action="(.+?)"/.exec(await (await fetch(page)).text()) ?? [];
    const { headers } = await fetch(new URL(action.replaceAll("&amp;", "&"), page), {
      method: "POST",
      body: new URLSearchParams({ decision }),
      redirect: "manual",
    });
    return new URL(headers.get("location")!);
  }

  const decideOn = async (links: Links, scope: string, decision = "approve") =>
    responseFor(await pageFor(links, authorisationQuery(scope)), decision);

  const redemption = (code: string, more: Readonly<Record<string, string>> = {}) => ({
    grant_type: "authorization_code",
    client_id: "PSDXX-TEST-1",
    redirect_uri: home,
    code_verifier: verifier,
    code,
    ...more,
  });

  const refreshing = (refresh_token: string) => ({
    grant_type: "refresh_token",
    refresh_token,
    client_id: "PSDXX-TEST-1",
  });

  async function tokens(form: Readonly<Record<string, string>>) {
    const response = await fetch(`${sandbox.xs2aUrl}/v1/token`, {
      method: "POST",
      body: new URLSearchParams(form),
    });
    const body = (await response.json()) as { access_token: string; refresh_token: string; error?: string };
    return { status: response.status, ...body };
  }

  async function authorised() {
    const { consentId, _links } = await create();
    const back = await decideOn(_links, `AIS:${consentId}`);
    return { consentId, code: back.searchParams.get("code")! };
  }

  /** Authorises a consent and redeems its code. */
  async function redeemed() {
    const { consentId, code } = await authorised();
    return { consentId, ...(await tokens(redemption(code))) };
  }

  const accounts = (consentId: string, accessToken?: string) =>
    openClient(sandbox, {
      credentials: accessToken === undefined ? {} : { accessToken },
      psu: person,
    }).openBanking.listAccounts({ "Consent-ID": consentId });

  test("leads from the link to an access token for account information", async () => {
    const { body, headers } = await client.consents.create.response(terms);
    const { consentId, _links } = body;
    expect(headers["aspsp-sca-approach"]).toBe("REDIRECT");
    expect(sortTexts(Object.keys(_links))).toEqual(["scaOAuth", "scaStatus", "self", "status"]);
    expect(await metadataOf(_links)).toMatchObject({
      issuer: sandbox.baseUrl,
      token_endpoint: `${sandbox.baseUrl}/v1/token`,
      code_challenge_methods_supported: ["S256"],
    });

    const page = await pageFor(_links, authorisationQuery(`AIS:${consentId}`));
    expect(await (await fetch(page)).text()).toContain("Access to account information");
    const back = await responseFor(page, "approve");
    const code = back.searchParams.get("code")!;
    expect(Object.fromEntries(back.searchParams)).toEqual({ from: "bank", code, state: "s 1" });

    const given = await tokens(redemption(code));
    expect(given).toMatchObject({ token_type: "Bearer", expires_in: 3_600, scope: `AIS:${consentId}` });
    expect((await accounts(consentId, given.access_token)).accounts).toHaveLength(4);
  });

  test("redirects with an error and rejects the consent after a refusal", async () => {
    const { consentId, _links } = await create();
    const back = await decideOn(_links, `AIS:${consentId}`, "refuse");
    expect(Object.fromEntries(back.searchParams)).toEqual({
      from: "bank",
      error: "access_denied",
      state: "s 1",
    });
    expect(await client.consents.getStatus({ "consent-id": consentId })).toEqual({
      consentStatus: "rejected",
    });
  });

  const paymentTerms = async () => ({
    ...single,
    debtorAccount: { iban: (await euroAccount({ sandbox, client: openClient(sandbox) })).iban },
    ...transfer("1"),
  });

  test("authorises a payment", async () => {
    const order = { ...(await paymentTerms()), "TPP-Redirect-URI": home };
    const { paymentId, _links } = await client.payments.initiate(order);
    const back = await decideOn(_links, `PIS:${paymentId}`);
    const given = await tokens(redemption(back.searchParams.get("code")!));
    expect(given).toMatchObject({ status: 200, scope: `PIS:${paymentId}` });
  });

  describe("without a redirect URI", () => {
    const refused = {
      ...refusal(400, "FORMAT_ERROR"),
      message: expect.stringContaining("TPP-Redirect-URI") as string,
    };

    const withoutAddress: readonly (readonly [what: string, ask: () => Promise<unknown>])[] = [
      ["a consent", () => client.consents.create(consentTerms)],
      ["a payment", async () => client.payments.initiate(await paymentTerms())],
    ];

    test.each(withoutAddress)("refuses an implicit start for %s", async (_what, start) => {
      await expect(start()).rejects.toMatchObject(refused);
    });

    test("accepts a payment of several people", async () => {
      sandbox.control.setSignatories({ signatories: 2 });
      const { _links } = await client.payments.initiate(await paymentTerms());
      expect(sortTexts(Object.keys(_links))).toEqual(["self", "startAuthorisation", "status"]);
    });

    test("takes the redirect URI of an explicit start", async () => {
      const explicit = { "TPP-Explicit-Authorisation-Preferred": true };
      const { consentId } = await client.consents.create({ ...consentTerms, ...explicit });
      const path = { "consent-id": consentId };
      await expect(client.consents.startAuthorisation(path)).rejects.toMatchObject(refused);
      expect(await client.consents.listAuthorisations(path)).toEqual({ authorisationIds: [] });
      const { _links } = await client.consents.startAuthorisation({ ...path, "TPP-Redirect-URI": home });
      const back = await decideOn(_links, `AIS:${consentId}`);
      expect(back.searchParams.get("code")).toEqual(expect.any(String));
    });
  });

  describe("an authorisation request", () => {
    test.each<[string, Record<string, string>, string]>([
      ["another response type", { response_type: "token" }, "unsupported_response_type"],
      ["another scope", { scope: "AIS:another" }, "invalid_scope"],
      ["no application", { client_id: "" }, "invalid_request"],
      ["no state", { state: "" }, "invalid_request"],
      ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
      ["a short challenge", { code_challenge: "abc" }, "invalid_request"],
    ])("redirects with an error for %s", async (_what, more, error) => {
      const { consentId, _links } = await create();
      const page = await pageFor(_links, authorisationQuery(`AIS:${consentId}`, more));
      const { status, headers } = await fetch(page, { redirect: "manual" });
      const back = new URL(headers.get("location")!);
      expect([status, back.host, back.searchParams.get("error")]).toEqual([302, "desk.example", error]);
    });

    test("accepts question marks in its values", async () => {
      const { consentId, _links } = await create();
      const page = await pageFor(_links, authorisationQuery(`AIS:${consentId}`, { state: "sure?" }));
      const back = await responseFor(page.replaceAll("%3F", "?"), "approve");
      expect([back.searchParams.get("state"), back.searchParams.has("code")]).toEqual(["sure?", true]);
    });

    test("does not redirect to another URI", async () => {
      const { consentId, _links } = await create();
      const page = await pageFor(
        _links,
        authorisationQuery(`AIS:${consentId}`, { redirect_uri: "https://elsewhere.example/" }),
      );
      for (const method of ["GET", "POST"]) {
        const { status, headers } = await fetch(page, { method, redirect: "manual" });
        expect([status, headers.get("location")]).toEqual([400, null]);
      }
    });

    test("responds to an unknown authorisation with 404", async () => {
      const { status } = await fetch(`${sandbox.baseUrl}/public/berlingroup/authorize/nothing`);
      expect(status).toBe(404);
      const known = await fetch(
        `${sandbox.baseUrl}/.well-known/openid-configuration?authorizationId=nothing`,
      );
      expect(known.status).toBe(404);
    });
  });

  describe("a code", () => {
    test.each<[string, Record<string, string>]>([
      ["another verifier", { code_verifier: "v".repeat(43) }],
      ["another address", { redirect_uri: "https://elsewhere.example/" }],
      ["another application", { client_id: "PSDXX-TEST-2" }],
    ])("is refused and revoked with %s", async (_what, more) => {
      const { code } = await authorised();
      const invalid = { status: 400, error: "invalid_grant" };
      expect(await tokens(redemption(code, more))).toMatchObject(invalid);
      expect(await tokens(redemption(code))).toMatchObject(invalid);
    });

    test("works once within a minute", async () => {
      const first = await authorised();
      await tokens(redemption(first.code));
      expect(await tokens(redemption(first.code))).toMatchObject({ error: "invalid_grant" });
      const second = await authorised();
      sandbox.advance(minute);
      expect(await tokens(redemption(second.code))).toMatchObject({ error: "invalid_grant" });
    });
  });

  test("accepts a refresh token once, from its application", async () => {
    const { consentId, refresh_token } = await redeemed();
    expect(await tokens({ ...refreshing(refresh_token), client_id: "PSDXX-TEST-2" })).toMatchObject({
      error: "invalid_grant",
    });
    sandbox.advance(61 * minute);
    const { access_token } = await tokens(refreshing(refresh_token));
    expect((await accounts(consentId, access_token)).accounts).toHaveLength(4);
    expect(await tokens(refreshing(refresh_token))).toMatchObject({ error: "invalid_grant" });
    expect(await tokens({ grant_type: "client_credentials" })).toMatchObject({
      error: "unsupported_grant_type",
    });
  });

  test("does not refresh tokens of an ended consent", async () => {
    const { consentId, refresh_token } = await redeemed();
    await client.consents.delete({ "consent-id": consentId });
    expect(await tokens(refreshing(refresh_token))).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  describe("account information", () => {
    test("needs the token of the consent", async () => {
      const { access_token } = await redeemed();
      const { consentId } = await authorised();
      await expect(accounts(consentId)).rejects.toMatchObject(refusal(401, "TOKEN_UNKNOWN"));
      for (const token of [access_token, demo.accessToken])
        await expect(accounts(consentId, token)).rejects.toMatchObject(refusal(401, "TOKEN_INVALID"));
    });

    test("is refused after the token expired", async () => {
      const { consentId, access_token } = await redeemed();
      sandbox.advance(60 * minute);
      await expect(accounts(consentId, access_token)).rejects.toMatchObject(refusal(401, "TOKEN_EXPIRED"));
    });

    test("is the only access of the token", async () => {
      const { access_token } = await redeemed();
      const headers = { authorization: `Bearer ${access_token}` };
      expect((await ask(sandbox, "/accounts?client_id=client-demo", { headers })).status).toBe(401);
    });
  });
});
