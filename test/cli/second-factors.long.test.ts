/** Releases with a second factor on the page, in Chromium: passkeys of a virtual device, and one-time codes. */
import type { Browser, CDPSession, Page } from "playwright-core";
import { type ReleasesPage, serveReleases } from "../../cli/releases-page/server";
import { setTotp } from "../../core/people/administration";
import { loadPeople } from "../../core/people/people-file";
import { createTotpSeed, totpCode } from "../../core/people/totp";
import {
  administrator,
  createReleaseFixture,
  defaultPolicy,
  type ReleaseFixture,
  sampleOrder,
  secretOf,
} from "../core/releases/release-fixture";
import { launchBrowser } from "../nodes/support/browser";
import { accessibilityViolations } from "../support/accessibility";
import { closeLater } from "../support/resources";
import { runFxdesk } from "./run-command";

let browser: Browser;
let place: ReleaseFixture;
let page: ReleasesPage;
beforeAll(async () => {
  browser = closeLater(await launchBrowser());
});
beforeEach(async () => {
  jest.spyOn(console, "error").mockImplementation(() => undefined);
  place = await createReleaseFixture({ policy: { ...defaultPolicy, secondFactor: "passkey" } });
  page = closeLater(await serveReleases({ service: place.service, files: place.files, port: 0 }));
});
afterEach(() => jest.restoreAllMocks());

/** The address with a host name, which passkeys need. */
const address = () => page.url.replace("127.0.0.1", "localhost");

const createOrder = async () => (await place.client().orders.order(sampleOrder({ worst_rate: "9" }))).release;
const stateOf = async (id: string) => (await place.service.get(id)).release.state;
const factorsOf = async (id: string) =>
  (await place.service.get(id)).decisions.map(({ person, factors }) => [person, ...factors]);

interface Tab {
  readonly tab: Page;
  readonly device: CDPSession;
  readonly authenticator: string;
  readonly complaints: readonly string[];
}

/** Opens a tab of a browser whose device has passkeys. */
async function openTab(): Promise<Tab> {
  const context = closeLater(await browser.newContext({ viewport: { width: 1000, height: 900 } }));
  const tab = await context.newPage();
  const complaints: string[] = [];
  tab.on("console", (message) => complaints.push(message.text()));
  tab.on("pageerror", (error) => complaints.push(error.message));
  const device = await context.newCDPSession(tab);
  await device.send("WebAuthn.enable");
  const { authenticatorId: authenticator } = await device.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { tab, device, authenticator, complaints };
}

/** Sets up codes of Anna. Returns a function that returns the next code: each counts once, and at most two are valid. */
async function setUpCodes(): Promise<() => string> {
  const seed = createTotpSeed();
  let step = Math.floor(Date.now() / 30_000) - 1;
  const nextCode = () => totpCode(seed, step++);
  await setTotp(place.peoplePath, "anna", { seed, code: nextCode() }, administrator);
  return nextCode;
}

/** The script of a page runs when its text is already shown. */
const untilScriptRan = (tab: Page) => tab.waitForLoadState("domcontentloaded");

async function click(tab: Page, name: string): Promise<void> {
  await untilScriptRan(tab);
  await tab.getByRole("button", { name, exact: true }).click();
}

async function signIn(tab: Page, name: string, path: string, at = address()): Promise<void> {
  await tab.goto(at + path);
  await tab.getByLabel("Name").fill(name);
  await tab.getByLabel("Secret").fill(secretOf(name));
  await click(tab, "Sign in");
  await tab.getByText(`Signed in as ${name}`).waitFor();
  await untilScriptRan(tab);
}

/** Adds a passkey of Anna, who is signed in. */
async function addPasskey(tab: Page): Promise<void> {
  if (!tab.url().endsWith("/passkeys")) await tab.getByRole("link", { name: "Passkeys" }).click();
  await tab.getByLabel("Your secret").fill(secretOf("anna"));
  await click(tab, "Add a passkey");
  await tab.getByText("For localhost").waitFor();
}

/** Releases on the page of the request. */
async function release(tab: Page, id: string, fields: Record<string, string> = {}): Promise<void> {
  await tab.goto(`${address()}/releases/${id}`);
  const form = tab.getByRole("form", { name: "Release" });
  await form.getByLabel("Your secret").fill(secretOf("anna"));
  for (const [label, value] of Object.entries(fields)) await form.getByLabel(label).fill(value);
  await form.getByRole("button", { name: /^Release/ }).click();
}

/** Releases on the page, keeps the form from the server, and returns it. */
async function holdRelease(tab: Page, id: string): Promise<URLSearchParams> {
  const url = `${address()}/releases/${id}`;
  const held = new Promise<string>((resolve, reject) => {
    tab
      .route(url, async (route) => {
        const sent = route.request();
        if (sent.method() !== "POST") return route.continue();
        await route.fulfill({ status: 204 });
        resolve(sent.postData()!);
      })
      .then(() => release(tab, id))
      .catch(reject);
  });
  const form = new URLSearchParams(await held);
  await tab.unroute(url);
  return form;
}

/** Sends a form of a release from the tab, and returns the status of the page. */
async function send(tab: Page, id: string, form: URLSearchParams, at = address()): Promise<number> {
  const [response] = await Promise.all([
    tab.waitForResponse((each) => each.request().method() === "POST"),
    tab.waitForEvent("load"),
    tab.evaluate(
      ([action, fields]) => {
        // Runs in the browser.
        const { document } = globalThis as unknown as { document: FormDocument };
        const sent = document.createElement("form");
        Object.assign(sent, { method: "post", action });
        for (const [name, value] of new URLSearchParams(fields))
          sent.append(Object.assign(document.createElement("input"), { name, value }));
        document.body.append(sent);
        // The evaluation ends before the page is left.
        setTimeout(() => sent.submit());
      },
      [`${at}/releases/${id}`, form.toString()] as const,
    ),
  ]);
  return response.status();
}

/** The document of a page, as far as a test needs it. */
interface FormElement {
  append(child: object): void;
  submit(): void;
}
interface FormDocument {
  createElement(name: string): FormElement;
  readonly body: FormElement;
}

test("a person adds a passkey on the page and releases with it", async () => {
  const id = await createOrder();
  const { tab, complaints } = await openTab();
  await signIn(tab, "anna", `/releases/${id}`);
  await tab.getByRole("status").filter({ hasText: "Add a passkey" }).waitFor();
  expect(await tab.getByRole("form", { name: "Release" }).count()).toBe(0);
  await addPasskey(tab);
  await tab.goto(`${address()}/releases/${id}`);
  expect(await accessibilityViolations(tab)).toEqual([]);
  await release(tab, id);
  await tab.getByText("anna released").waitFor();
  expect([await stateOf(id), await factorsOf(id)]).toEqual(["released", [["anna", "secret", "passkey"]]]);
  // Another passkey needs the first one: the device holds only one for each person.
  await tab.goto(`${address()}/passkeys`);
  await tab.getByLabel("Your secret").fill(secretOf("anna"));
  await click(tab, "Add a passkey");
  await tab.getByRole("alert").filter({ hasText: "InvalidStateError" }).waitFor();
  expect(await accessibilityViolations(tab)).toEqual([]);
  expect(complaints).toEqual([]);
  const { passkeys, epoch } = (await loadPeople(place.peoplePath)).people.anna!;
  expect(passkeys).toMatchObject([{ host: "localhost", transports: ["internal"] }]);
  expect(passkeys![0]!.counter).toBeGreaterThan(0);
  const removed = await runFxdesk(["people", "passkey", "anna", "--remove", "--by", "anna"], {
    variables: { FXDESK_PEOPLE: place.peoplePath },
    input: secretOf("anna"),
  });
  expect(removed).toMatchObject({ code: 0 });
  const after = (await loadPeople(place.peoplePath)).people.anna!;
  expect([after.passkeys, after.epoch === epoch]).toEqual([undefined, false]);
});

test("a response of a passkey counts once, for one release and from the page of its origin", async () => {
  const [id, other] = [await createOrder(), await createOrder()];
  const { tab } = await openTab();
  await signIn(tab, "anna", "/passkeys");
  await addPasskey(tab);
  const held = await holdRelease(tab, id);
  const changed = (changes: Record<string, string>) =>
    new URLSearchParams({ ...Object.fromEntries(held), ...changes });
  const otherSeal = (await place.service.get(other)).release.hash;
  expect(await send(tab, other, changed({ seal: otherSeal }))).toBe(409);
  expect(await send(tab, id, changed({ passkey: "" }))).toBe(409);
  expect(await send(tab, id, changed({ secret: "a guess that is wrong" }))).toBe(403);
  // The challenge was used with the wrong secret.
  expect(await send(tab, id, held)).toBe(409);

  const options = await tab.getByRole("form", { name: "Release" }).getAttribute("data-request");
  const challenge = await tab.locator("form[data-request] [name=challenge]").inputValue();
  const elsewhere = closeLater(await serveReleases({ service: place.service, files: place.files, port: 0 }));
  const at = elsewhere.url.replace("127.0.0.1", "localhost");
  await signIn(tab, "anna", "/passkeys", at);
  // The script of the page has this function.
  const passkey = (await tab.evaluate(`ask("get", ${JSON.stringify(options)})`)) as string;
  expect(await send(tab, id, changed({ challenge, passkey }), at)).toBe(409);
  await tab.goto(address());
  expect(await send(tab, id, changed({ challenge, passkey }))).toBe(403);
  expect([await stateOf(id), await stateOf(other)]).toEqual(["waiting", "waiting"]);

  await release(tab, id);
  await tab.getByText("anna released").waitFor();
  expect(await stateOf(id)).toBe("released");
});

test("without verification of the user or at an IP address, nothing is released", async () => {
  const id = await createOrder();
  const { tab, device, authenticator } = await openTab();
  await signIn(tab, "anna", "/passkeys");
  await addPasskey(tab);
  await device.send("WebAuthn.setUserVerified", { authenticatorId: authenticator, isUserVerified: false });
  await tab.goto(`${address()}/releases/${id}`);
  await tab.getByRole("form", { name: "Release" }).getByLabel("Your secret").fill(secretOf("anna"));
  await click(tab, "Release with passkey");
  await tab.getByRole("alert").filter({ hasText: "NotAllowedError" }).waitFor();
  await signIn(tab, "anna", `/releases/${id}`, page.url);
  await tab.getByRole("status").filter({ hasText: address() }).waitFor();
  expect(await tab.getByRole("form", { name: "Release" }).count()).toBe(0);
  await tab.goto(`${page.url}/passkeys`);
  await tab.getByRole("status").filter({ hasText: address() }).waitFor();
  expect(await stateOf(id)).toBe("waiting");
});

test("the page asks for a code, and each code counts once", async () => {
  await place.setPolicy({ ...defaultPolicy, secondFactor: "totp" });
  const [id, other] = [await createOrder(), await createOrder()];
  const nextCode = await setUpCodes();
  const { tab } = await openTab();
  await signIn(tab, "anna", `/releases/${id}`);
  const code = nextCode();
  const refused = () =>
    tab.getByRole("alert").filter({ hasText: "the code or passkey is wrong or was used" }).waitFor();
  await release(tab, id, { Code: code === "000000" ? "000001" : "000000" });
  await refused();
  expect(await stateOf(id)).toBe("waiting");
  await release(tab, id, { Code: code });
  await tab.getByText("anna released").waitFor();
  expect(await factorsOf(id)).toEqual([["anna", "secret", "totp"]]);
  await release(tab, other, { Code: code });
  await refused();
  expect(await stateOf(other)).toBe("waiting");
});

test("where either counts, an empty code means the passkey", async () => {
  await place.setPolicy({ ...defaultPolicy, secondFactor: "any" });
  const [id, other] = [await createOrder(), await createOrder()];
  const nextCode = await setUpCodes();
  const { tab } = await openTab();
  await signIn(tab, "anna", "/passkeys");
  await tab.getByLabel("Code").fill(nextCode());
  await addPasskey(tab);
  await release(tab, id);
  await tab.getByText("anna released").waitFor();
  await release(tab, other, { Code: nextCode() });
  await tab.getByText("anna released").waitFor();
  expect([await factorsOf(id), await factorsOf(other)]).toEqual([
    [["anna", "secret", "passkey"]],
    [["anna", "secret", "totp"]],
  ]);
});
