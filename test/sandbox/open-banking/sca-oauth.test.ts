/** Tests authorisation of consents and payments by OAuth 2.0, and the resulting tokens. */
import { createHash } from "node:crypto";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Sandbox } from "@fxdesk/sandbox";
import { sandboxClient } from "../../support/samples";
import { consentTerms, sortTexts, minute, refusal, today } from "./bank";
import { forkSandbox } from "../support/forks";

const home = "https://desk.example/done?from=bank";
const verifier = Buffer.alloc(32, "verifier").toString("base64url");
const challenge = createHash("sha256").update(verifier).digest("base64url");

let sandbox: Sandbox;
let client: FxdeskClient;
beforeEach(async () => {
  sandbox = await forkSandbox({ now: new Date(`${today}T09:00:00Z`), scaApproach: "oauth", daysBehind: 90 });
  client = sandboxClient(sandbox, { credentials: {} });
});
afterEach(async () => {
  await client.close();
  await sandbox.close();
});

interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

const create = () => client.consents.create({ ...consentTerms, "TPP-Redirect-URI": home });

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

const redemption = (code: string, more: Readonly<Record<string, string>> = {}) => ({
  grant_type: "authorization_code",
  client_id: "PSDXX-TEST-1",
  redirect_uri: home,
  code_verifier: verifier,
  code,
  ...more,
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
  const back = await responseFor(await pageFor(_links, authorisationQuery(`AIS:${consentId}`)), "approve");
  return { consentId, code: back.searchParams.get("code")! };
}

async function accounts(consentId: string, accessToken?: string) {
  const reader = sandboxClient(sandbox, { credentials: accessToken === undefined ? {} : { accessToken } });
  const psu = { "PSU-IP-Address": "192.0.2.7" };
  try {
    return await reader.openBanking.listAccounts({ "Consent-ID": consentId }, { psu });
  } finally {
    await reader.close();
  }
}

test("leads from the link to an access token for account information", async () => {
  const { body, headers } = await client.consents.create.response({
    ...consentTerms,
    "TPP-Redirect-URI": home,
  });
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
  const back = await responseFor(await pageFor(_links, authorisationQuery(`AIS:${consentId}`)), "refuse");
  expect(Object.fromEntries(back.searchParams)).toEqual({
    from: "bank",
    error: "access_denied",
    state: "s 1",
  });
  expect(await client.consents.getStatus({ "consent-id": consentId })).toEqual({ consentStatus: "rejected" });
});

async function paymentTerms() {
  const treasury = sandboxClient(sandbox);
  const { iban } = (await treasury.accounts.getFunding({ currency: "EUR" })) as { iban: string };
  await treasury.close();
  return {
    "payment-service": "payments",
    "payment-product": "sepa-credit-transfers",
    debtorAccount: { iban },
    instructedAmount: { currency: "EUR", amount: "1" },
    creditorAccount: { iban: "NL13TEST0123456789" },
    creditorName: "Brouwer Logistiek BV",
  } as const;
}

test("authorises a payment", async () => {
  const terms = { ...(await paymentTerms()), "TPP-Redirect-URI": home };
  const { paymentId, _links } = await client.payments.initiate(terms);
  const back = await responseFor(await pageFor(_links, authorisationQuery(`PIS:${paymentId}`)), "approve");
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

  test.each(withoutAddress)("refuses an implicit start for %s", async (_what, ask) => {
    await expect(ask()).rejects.toMatchObject(refused);
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
    const back = await responseFor(await pageFor(_links, authorisationQuery(`AIS:${consentId}`)), "approve");
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
    const known = await fetch(`${sandbox.baseUrl}/.well-known/openid-configuration?authorizationId=nothing`);
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
  const { consentId, code } = await authorised();
  const { refresh_token } = await tokens(redemption(code));
  const refresh = { grant_type: "refresh_token", refresh_token, client_id: "PSDXX-TEST-1" };
  expect(await tokens({ ...refresh, client_id: "PSDXX-TEST-2" })).toMatchObject({ error: "invalid_grant" });
  sandbox.advance(61 * minute);
  const { access_token } = await tokens(refresh);
  expect((await accounts(consentId, access_token)).accounts).toHaveLength(4);
  expect(await tokens(refresh)).toMatchObject({ error: "invalid_grant" });
  expect(await tokens({ grant_type: "client_credentials" })).toMatchObject({
    error: "unsupported_grant_type",
  });
});

test("does not refresh tokens of an ended consent", async () => {
  const { consentId, code } = await authorised();
  const { refresh_token } = await tokens(redemption(code));
  await client.consents.delete({ "consent-id": consentId });
  const refresh = { grant_type: "refresh_token", refresh_token, client_id: "PSDXX-TEST-1" };
  expect(await tokens(refresh)).toMatchObject({ status: 400, error: "invalid_grant" });
});

describe("account information", () => {
  test("needs the token of the consent", async () => {
    const one = await authorised();
    const { access_token } = await tokens(redemption(one.code));
    const other = await authorised();
    await expect(accounts(other.consentId)).rejects.toMatchObject(refusal(401, "TOKEN_UNKNOWN"));
    await expect(accounts(other.consentId, access_token)).rejects.toMatchObject(
      refusal(401, "TOKEN_INVALID"),
    );
    await expect(accounts(other.consentId, sandbox.demo.accessToken)).rejects.toMatchObject(
      refusal(401, "TOKEN_INVALID"),
    );
  });

  test("is refused after the token expired", async () => {
    const { consentId, code } = await authorised();
    const { access_token } = await tokens(redemption(code));
    sandbox.advance(60 * minute);
    await expect(accounts(consentId, access_token)).rejects.toMatchObject(refusal(401, "TOKEN_EXPIRED"));
  });

  test("is the only access of the token", async () => {
    const { code } = await authorised();
    const { access_token } = await tokens(redemption(code));
    const headers = { authorization: `Bearer ${access_token}` };
    const { status } = await fetch(`${sandbox.baseUrl}/accounts?client_id=${sandbox.demo.clientId}`, {
      headers,
    });
    expect(status).toBe(401);
  });
});
