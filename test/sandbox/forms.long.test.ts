/**
 * Sends malformed forms. Each must be refused cleanly, without a code or token. FXDESK_RUNS sets the number of runs.
 */
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { demo } from "@fxdesk/sandbox";
import { closeLater } from "../support/resources";
import { operationNamed } from "../support/operations";
import { consentTerms } from "./open-banking/bank";
import { fingerprint, fingerprintBefore } from "./support/fingerprint";
import { callOperation, type PlainResponse } from "./support/http";
import { startInProcess, type InProcessSandbox } from "./support/in-process";
import { hostileText } from "./support/hostile-text";

const numRuns = Number(process.env.FXDESK_RUNS ?? 40);
const timeout = 20_000 + numRuns * 500;

let sandbox: InProcessSandbox;
beforeAll(() => {
  sandbox = closeLater(startInProcess(new Date("2026-03-15T03:00:00Z")));
});

type Fields = Readonly<Record<string, string>>;

interface Form {
  /** Path with query. */
  readonly path: string;
  readonly headers?: Fields;
  readonly fields: Fields;
}

const home = "https://desk.example/done";
const verifier = "v".repeat(43);
const application = "PSDXX-TEST-1";

const encoded = (fields: Fields) => new URLSearchParams(fields).toString();

const post = (path: string, body: string | Buffer, headers: Fields = {}) =>
  sandbox.ask(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body,
  });

const send = ({ path, headers, fields }: Form) => post(path, encoded(fields), headers);

const locationOf = ({ headers }: PlainResponse) => headers.get("location") ?? "";
const codeIn = (response: PlainResponse) => new URL(locationOf(response)).searchParams.get("code")!;

const login: Form = {
  path: "/login",
  fields: {
    email: demo.email,
    password: demo.password,
    client_id: demo.authClientId,
    redirect_uri: demo.redirectUri,
    state: "s",
  },
};

const basic = Buffer.from(`${demo.authClientId}:${demo.authClientSecret}`).toString("base64");

const tokenForm = (fields: Fields): Form => ({
  path: "/token",
  headers: { authorization: `Basic ${basic}` },
  fields,
});

/** Creates a pending consent and its authorisation. */
async function waiting() {
  const terms = { ...consentTerms, "TPP-Redirect-URI": home };
  const { text } = await callOperation(sandbox.ask, operationNamed("consents.create"), terms);
  const { consentId } = JSON.parse(text) as { consentId: string };
  const authorisationId = [...sandbox.world.openBanking.authorisations.keys()].at(-1)!;
  return { consentId, authorisationId };
}

const challenge = createHash("sha256").update(verifier).digest("base64url");

async function authorize(query: Fields = {}, decision = "approve"): Promise<Form> {
  const { consentId, authorisationId } = await waiting();
  const authorisationQuery = {
    response_type: "code",
    client_id: application,
    scope: `AIS:${consentId}`,
    state: "s",
    redirect_uri: home,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...query,
  };
  return {
    path: `/public/berlingroup/authorize/${authorisationId}?${encoded(authorisationQuery)}`,
    fields: { decision },
  };
}

const redemption = async (): Promise<Form> => ({
  path: "/v1/token",
  fields: {
    grant_type: "authorization_code",
    client_id: application,
    redirect_uri: home,
    code_verifier: verifier,
    code: codeIn(await send(await authorize())),
  },
});

async function refreshing(): Promise<Form> {
  const { refresh_token } = JSON.parse((await send(await redemption())).text) as { refresh_token: string };
  return {
    path: "/v1/token",
    fields: { grant_type: "refresh_token", client_id: application, refresh_token },
  };
}

/** Valid forms with their required fields. */
const forms: Readonly<Record<string, { right: () => Form | Promise<Form>; needed: readonly string[] }>> = {
  "/login": { right: () => login, needed: ["email", "password", "client_id"] },
  "/token with a code": {
    right: async () =>
      tokenForm({
        grant_type: "authorization_code",
        code: codeIn(await send(login)),
        redirect_uri: demo.redirectUri,
      }),
    needed: ["grant_type", "code", "redirect_uri"],
  },
  "/token with a refresh token": {
    right: () => tokenForm({ grant_type: "refresh_token", refresh_token: demo.refreshToken }),
    needed: ["grant_type", "refresh_token"],
  },
  "/v1/token with a code": {
    right: redemption,
    needed: ["grant_type", "client_id", "redirect_uri", "code_verifier", "code"],
  },
  "/v1/token with a refresh token": {
    right: refreshing,
    needed: ["grant_type", "client_id", "refresh_token"],
  },
  "/sca": {
    right: async () => ({
      path: `/sca/${(await waiting()).authorisationId}`,
      fields: { decision: "approve" },
    }),
    needed: ["decision"],
  },
  "/public/berlingroup/authorize": { right: () => authorize(), needed: ["decision"] },
};
const cases = Object.entries(forms);

const grantsAccess = (response: PlainResponse) =>
  response.text.includes("access_token") || /[?&]code=/.test(locationOf(response));

/** Fails on a server error, a code or token, or a success. */
function checkRefused(response: PlainResponse): void {
  const isRefusal = response.status >= 400 || locationOf(response).includes("error=");
  if (response.status >= 500 || !isRefusal || grantsAccess(response))
    throw new Error(`${response.status} ${locationOf(response)} ${response.text}`);
}

test.each(cases)("%s accepts valid forms", async (_name, { right }) => {
  expect((await send(await right())).status).toBeLessThan(400);
});

/** Fields with some values replaced or removed at random. */
const withInvalidFields = (names: readonly string[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...names), fc.option(hostileText)), { minLength: 1 })
    .map((changes) => new Map(changes));

const changeFields = (fields: Fields, changes: ReadonlyMap<string, string | null>): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => [name, changes.has(name) ? changes.get(name) : value] as const)
      .filter((field): field is [string, string] => typeof field[1] === "string"),
  );

test.each(cases)(
  "%s refuses invalid fields",
  async (_name, { right, needed }) => {
    const property = fc.asyncProperty(withInvalidFields(needed), async (changes) => {
      const form = await right();
      const before = fingerprintBefore(sandbox.world);
      checkRefused(await send({ ...form, fields: changeFields(form.fields, changes) }));
      expect(fingerprint(sandbox.world) === before).toBe(true);
    });
    await fc.assert(property, { numRuns });
  },
  timeout,
);

test.each(cases)(
  "%s refuses other bodies",
  async (_name, { right }) => {
    const { path, headers } = await right();
    const property = fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      checkRefused(await post(path, Buffer.from(bytes), headers));
    });
    await fc.assert(property, { numRuns });
  },
  timeout,
);

test(
  "issues no code for an invalid authorisation request",
  async () => {
    const names = ["response_type", "scope", "redirect_uri", "code_challenge", "code_challenge_method"];
    const property = fc.asyncProperty(withInvalidFields(names), async (changes) => {
      const { path, fields } = await authorize();
      const [at, query] = path.split("?");
      const changedQuery = changeFields(Object.fromEntries(new URLSearchParams(query)), changes);
      const form = { path: `${at}?${encoded(changedQuery)}`, fields };
      for (const response of [await sandbox.ask(form.path), await send(form)]) checkRefused(response);
    });
    await fc.assert(property, { numRuns });
  },
  timeout,
);

describe.each(Object.getOwnPropertyNames(Object.prototype))("the grant type %s", (grant_type) => {
  test.each([tokenForm({ grant_type }), { path: "/v1/token", fields: { grant_type } }])(
    "is refused at $path",
    async (form) => {
      const { status, text } = await send(form);
      expect([status, JSON.parse(text)]).toEqual([
        400,
        expect.objectContaining({ error: "unsupported_grant_type" }),
      ]);
    },
  );
});
