/** How long people stay signed in to the releases page, and cookies of pages on other ports. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { serveReleases } from "../../cli/releases-page/server";
import { fxdeskService } from "../../core/client/fxdesk-service";
import type { ListenOptions } from "../../core/http/http-server";
import { lockPerson, removePerson } from "../../core/people/administration";
import type { Credentials } from "../../core/people/authenticate";
import { ReleaseService } from "../../core/releases/release-service";
import { StoreSession } from "../../core/store/session";
import { secretOf, writePeople } from "../support/people-file";
import { closeLater, tempFolder } from "../support/resources";

const secret = secretOf("anna");
let people: string;
let service: ReleaseService;
beforeEach(async () => {
  const folder = await tempFolder();
  people = join(folder, "people.json");
  await writePeople(people, ["anna"]);
  jest.spyOn(console, "error").mockImplementation(() => undefined);
  service = closeLater(
    new ReleaseService(new StoreSession({ location: join(folder, "store.db"), key: undefined })),
  );
});
afterEach(() => jest.restoreAllMocks());

/** The certificate is self-signed. */
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });

async function openPage(options: ListenOptions = {}) {
  const page = closeLater(
    await serveReleases({
      service,
      files: { policy: undefined, people, service: fxdeskService },
      ...options,
    }),
  );
  const post = (path: string, form: Readonly<Record<string, string>>, cookie = "") =>
    request(page.url + path, {
      dispatcher,
      method: "POST",
      headers: { origin: page.url, cookie, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    });
  return {
    port: new URL(page.url).port,
    /** Returns the cookie with its attributes. */
    async signIn(name = "anna"): Promise<string> {
      const { statusCode, headers } = await post("/sign-in", { name, secret: secretOf(name) });
      expect(statusCode).toBe(303);
      return String(headers["set-cookie"]);
    },
    /** Returns the status of an attempt to sign in. */
    async tryToSignIn(name: string, given: string): Promise<number> {
      const { statusCode, body } = await post("/sign-in", { name, secret: given });
      await body.dump();
      return statusCode;
    },
    /** Returns the status of a decision on a release that does not exist. */
    async decide(cookie: string, given: string): Promise<number> {
      const form = { decision: "refuse", seal: "none", secret: given };
      const { statusCode, body } = await post("/releases/R-000000000000", form, cookie);
      await body.dump();
      return statusCode;
    },
    signOut: (cookie: string) => post("/sign-out", {}, cookie),
    async isSignedIn(cookie: string): Promise<boolean> {
      const response = await request(page.url, { dispatcher, headers: { cookie } });
      await response.body.dump();
      return response.statusCode === 200;
    },
  };
}

const valueOf = (cookie: string): string => cookie.split(";")[0]!;

/** Moves the clock of this process. */
function clock() {
  const start = Date.now();
  const now = jest.spyOn(Date, "now").mockReturnValue(start);
  return { setMinutes: (minutes: number) => now.mockReturnValue(start + minutes * 60_000) };
}

test("a session ends after 15 minutes without use", async () => {
  const page = await openPage();
  const time = clock();
  const cookie = valueOf(await page.signIn());
  time.setMinutes(15);
  expect(await page.isSignedIn(cookie)).toBe(true);
  time.setMinutes(30.1);
  expect(await page.isSignedIn(cookie)).toBe(false);
});

test("a session that is used ends after 8 hours", async () => {
  const page = await openPage();
  const time = clock();
  const cookie = valueOf(await page.signIn());
  for (let minutes = 10; minutes <= 8 * 60; minutes += 10) {
    time.setMinutes(minutes);
    expect({ minutes, isSignedIn: await page.isSignedIn(cookie) }).toEqual({ minutes, isSignedIn: true });
  }
  time.setMinutes(8 * 60 + 1);
  expect(await page.isSignedIn(cookie)).toBe(false);
});

test.each([-24 * 60, 24 * 60])("a session ends if the clock jumps by %i minutes", async (minutes) => {
  const page = await openPage();
  const time = clock();
  const cookie = valueOf(await page.signIn());
  time.setMinutes(minutes);
  expect(await page.isSignedIn(cookie)).toBe(false);
  expect(await page.isSignedIn(valueOf(await page.signIn()))).toBe(true);
});

test("pages on two ports of one host do not end each other's sessions", async () => {
  const [first, second] = [await openPage(), await openPage()];
  const cookies = [valueOf(await first.signIn()), valueOf(await second.signIn())];
  expect(new Set(cookies.map((cookie) => cookie.split("=")[0]))).toEqual(
    new Set([`fxdesk-releases-${first.port}`, `fxdesk-releases-${second.port}`]),
  );
  await second.signOut(cookies.join("; "));
  expect(await first.isSignedIn(cookies.join("; "))).toBe(true);
  expect(await second.isSignedIn(cookies.join("; "))).toBe(false);
});

test("a cookie of the same name from elsewhere does not hide a session", async () => {
  const page = await openPage();
  const cookie = valueOf(await page.signIn());
  expect(await page.isSignedIn(`${cookie.split("=")[0]}=elsewhere; ${cookie}`)).toBe(true);
});

test("with TLS, the cookie belongs to the host and to https", async () => {
  const pem = (name: string) => readFileSync(join(__dirname, "../core/http/certificates", name), "utf8");
  const page = await openPage({ tls: { cert: pem("server.pem"), key: pem("server.key") } });
  const cookie = await page.signIn();
  expect(cookie).toMatch(
    new RegExp(`^__Host-fxdesk-releases-${page.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Secure$`),
  );
  expect(await page.isSignedIn(valueOf(cookie))).toBe(true);
});

test("others cannot keep out a person who is signed in, nor one whose address is known", async () => {
  const page = await openPage();
  const cookie = valueOf(await page.signIn());
  const wrong = Array.from({ length: 40 }, (_, index) =>
    page.tryToSignIn(index % 2 === 0 ? "anna" : `invented-${index}`, "a wrong guess"),
  );
  expect(await page.decide(cookie, secret)).toBe(404);
  expect(new Set(await Promise.all(wrong))).toEqual(new Set([403, 429]));
  expect(await page.decide(cookie, secret)).toBe(404);
});

test("a session ends after five wrong secrets", async () => {
  const page = await openPage();
  const cookie = valueOf(await page.signIn());
  for (let count = 0; count < 5; count += 1) {
    expect(await page.isSignedIn(cookie)).toBe(true);
    await page.decide(cookie, "a wrong guess");
  }
  expect(await page.isSignedIn(cookie)).toBe(false);
});

test.each([
  ["locked", (by: Credentials) => lockPerson(people, "bert", by)],
  ["removed", (by: Credentials) => removePerson(people, "bert", by)],
])("the session of a person who is %s ends at once", async (_, end) => {
  await writePeople(people, ["anna", "bert"]);
  const page = await openPage();
  const cookie = valueOf(await page.signIn("bert"));
  expect(await page.isSignedIn(cookie)).toBe(true);
  await end({ person: "anna", secret });
  expect(await page.isSignedIn(cookie)).toBe(false);
});
