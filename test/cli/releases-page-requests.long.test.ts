/** Tests access control of the releases page without a browser, and the e-mails that link to it. */
import { spawn } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { request } from "undici";
import { freePort } from "../../demo/ports";
import { setMailAddress } from "../../core/people/administration";
import type { Decision } from "../../core/releases/release";
import { type ReleasesPage, serveReleases } from "../../cli/releases-page/server";
import {
  administrator,
  sampleOrder,
  type ReleaseFixture,
  createReleaseFixture,
  secretOf,
} from "../core/releases/release-fixture";
import { startMailServerStub } from "../core/releases/mail-server-stub";
import { eventually, untilEvent } from "../support/eventually";
import { closeLater, runLater } from "../support/resources";
import { program, storeVariables } from "./run-command";

let place: ReleaseFixture;
let page: ReleasesPage;
beforeAll(async () => {
  place = await createReleaseFixture();
  page = closeLater(await serveReleases({ service: place.service, files: place.files, port: 0 }));
});

interface RequestOptions {
  readonly cookie?: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface PageResponse {
  readonly status: number;
  readonly text: string;
  readonly location: string | undefined;
  readonly cookie: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Sends a request like a browser, with an Origin for forms. Unlike fetch, it can set any Host header. */
async function sendRequest(
  path: string,
  { cookie, form, headers = {} }: RequestOptions = {},
  at = page.url,
): Promise<PageResponse> {
  const type = { origin: page.url, "content-type": "application/x-www-form-urlencoded" };
  const response = await request(at + path, {
    method: form ? "POST" : "GET",
    headers: { ...(cookie !== undefined && { cookie }), ...(form && type), ...headers },
    ...(form && { body: new URLSearchParams(form).toString() }),
  });
  const { location, "set-cookie": set = "" } = response.headers as Record<string, string | undefined>;
  return {
    status: response.statusCode,
    text: await response.body.text(),
    location,
    cookie: set.split(";")[0]!,
    headers: response.headers,
  };
}

async function signIn(name: string): Promise<string> {
  const { status, cookie } = await sendRequest("/sign-in", { form: { name, secret: secretOf(name) } });
  expect(status).toBe(303);
  return cookie;
}

/** Creates an order that is never booked, because its rate is unreachable. */
const createOrder = async (more = {}) =>
  (await place.client().orders.order(sampleOrder({ worst_rate: "9", ...more }))).release;
const stateOf = async (id: string) => (await place.service.get(id)).release.state;
const sealOf = async (id: string) => (await place.service.get(id)).release.hash;

async function formFor(id: string, person: string, decision: Decision["decision"] = "release") {
  return { decision, seal: await sealOf(id), secret: secretOf(person) };
}

test("shows terms only to signed-in people", async () => {
  const id = await createOrder({ reference: "<b>INV & 7</b>\u202e" });
  const away = await sendRequest(`/releases/${id}`);
  expect(away).toMatchObject({ status: 303, location: `/sign-in?path=%2Freleases%2F${id}` });
  const cookie = await signIn("anna");
  const { text, headers } = await sendRequest(`/releases/${id}`, { cookie });
  for (const words of [
    "Sell 1,000 EUR, get USD",
    "at least 9 USD for one EUR",
    "release by anna or bert",
    "desk",
  ])
    expect(text).toContain(words);
  expect(text).toContain("&lt;b&gt;INV &amp; 7&lt;/b&gt;&lt;U+202E&gt;</dd>");
  expect(headers).toMatchObject({
    "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
    "cache-control": "no-store",
    "x-frame-options": "DENY",
  });
  expect((await sendRequest("/", { cookie })).text).toContain(id);
  expect(text).not.toContain(secretOf("anna"));
});

test("accepts a decision with a secret, once", async () => {
  const id = await createOrder();
  const cookie = await signIn("anna");
  const path = `/releases/${id}`;
  const form = await formFor(id, "anna");
  const wrong = await sendRequest(path, { cookie, form: { ...form, secret: "a guess that is wrong" } });
  expect(wrong).toMatchObject({ status: 403, text: expect.stringContaining("The secret of anna is wrong") });
  expect(await sendRequest(path, { cookie, form: { ...form, secret: secretOf("bert") } })).toMatchObject({
    status: 403,
  });
  expect(await stateOf(id)).toBe("waiting");
  expect(await sendRequest(path, { cookie, form })).toMatchObject({ status: 303, location: path });
  expect(await stateOf(id)).toBe("released");
  const again = await sendRequest(path, { cookie, form });
  expect(again).toMatchObject({ status: 409, text: expect.stringContaining("is already released") });
});

describe("rejects a decision", () => {
  let id: string;
  let cookie: string;
  beforeAll(async () => {
    id = await createOrder();
    cookie = await signIn("anna");
  });
  afterEach(async () => expect(await stateOf(id)).toBe("waiting"));

  const origins: [string, Record<string, string>][] = [
    ["another site", { origin: "https://example.com" }],
    ["another site, as the browser says", { "sec-fetch-site": "same-site" }],
    ["a name that was made to lead here", { host: "example.com", origin: "http://example.com" }],
  ];
  test.each(origins)("from a form of %s", async (_, headers) => {
    const form = await formFor(id, "anna");
    expect(await sendRequest(`/releases/${id}`, { cookie, form, headers })).toMatchObject({ status: 403 });
    const login = { form: { name: "anna", secret: secretOf("anna") }, headers };
    expect(await sendRequest("/sign-in", login)).toMatchObject({ status: 403, cookie: "" });
  });

  test("without a session or after signing out", async () => {
    const form = await formFor(id, "anna");
    expect(await sendRequest(`/releases/${id}`, { form })).toMatchObject({ status: 303 });
    const other = await signIn("anna");
    await sendRequest("/sign-out", { cookie: other, form: {} });
    expect(await sendRequest(`/releases/${id}`, { cookie: other, form })).toMatchObject({ status: 303 });
  });

  test("about other terms than those shown", async () => {
    const form = await formFor(id, "anna");
    form.seal = await sealOf(await createOrder());
    expect(await sendRequest(`/releases/${id}`, { cookie, form })).toMatchObject({
      status: 409,
      text: expect.stringContaining("differs from what was shown"),
    });
  });

  test.each<[string, number, RequestOptions]>([
    ["/releases/R-000000000000", 404, {}],
    ["/elsewhere", 404, {}],
    ["/", 405, { form: {} }],
    ["/sign-in", 413, { form: { name: "n".repeat(20_000) } }],
    ["/sign-in", 415, { form: {}, headers: { "content-type": "text/plain" } }],
  ])("%s answers %i", async (path, status, asked) => {
    expect(await sendRequest(path, { cookie, ...asked })).toMatchObject({ status });
  });
});

test("makes a name wait after several wrong secrets", async () => {
  const guess = (secret: string) =>
    sendRequest("/sign-in", { form: { name: "dora", secret, path: "//example.com" } });
  for (let count = 0; count < 5; count += 1)
    expect(await guess("a wrong guess")).toMatchObject({ status: 403 });
  expect(await guess(secretOf("dora"))).toMatchObject({ status: 429, cookie: "" });
});

test("never redirects to another site after signing in", async () => {
  const form = { name: "anna", secret: secretOf("anna"), path: "//example.com" };
  expect(await sendRequest("/sign-in", { form })).toMatchObject({ status: 303, location: "/" });
});

test("behind a proxy, serves only its own host name, with a secure cookie", async () => {
  const address = new URL("https://releases.example.com");
  const port = await freePort(0);
  const options = { service: place.service, files: place.files, port };
  closeLater(await serveReleases({ ...options, addresses: [address], behindProxy: true }));
  const at = `http://127.0.0.1:${port}`;
  const headers = { host: address.host, origin: address.origin };
  const form = { name: "anna", secret: secretOf("anna") };
  const signedIn = await sendRequest("/sign-in", { form, headers }, at);
  expect(signedIn.headers["set-cookie"]).toMatch(
    /^__Host-fxdesk-releases-443=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
  expect(await sendRequest("/", { cookie: signedIn.cookie, headers }, at)).toMatchObject({ status: 200 });
  expect(await sendRequest("/sign-in", { form, headers: { ...headers, origin: at } }, at)).toMatchObject({
    status: 403,
  });
});

test("fxdesk releases serve mails a link to the page, and SIGTERM stops both", async () => {
  const box = await startMailServerStub();
  const people = join(place.folder, "people-with-addresses.json");
  await copyFile(place.peoplePath, people);
  await setMailAddress(people, "anna", "anna@example.com", administrator);
  const serving = spawn(process.execPath, [program, "releases", "serve", "--port", "0"], {
    env: {
      ...storeVariables(place.store.location, place.store.key),
      FXDESK_POLICY: place.policyPath,
      FXDESK_PEOPLE: people,
      FXDESK_MAIL_SERVER: box.url,
      FXDESK_MAIL_FROM: "fxdesk@example.com",
    },
  });
  runLater(() => serving.kill("SIGKILL"));
  let said = "";
  serving.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const within = { withinMs: 20_000, what: () => `page and mail; it said: ${said}` };
  const url = await eventually(() => /The releases page is at (\S+)\. /.exec(said)?.[1], within);
  const id = await createOrder();
  const mail = await eventually(() => box.to("anna@example.com").find((each) => each.includes(id)), within);
  expect(mail).toContain(`${url}/releases/${id}`);
  const ended = untilEvent(serving, "exit");
  serving.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
