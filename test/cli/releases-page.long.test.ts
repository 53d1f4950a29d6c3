/** The page on which people release, in a browser; npm run pictures takes its pictures for the documents. */
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type ReleasesPage, serveReleases } from "../../cli/releases-page/server";
import { anOrder, type Place, placeOf, secretOf, usualPolicy } from "../core/releases/place";
import { launchBrowser } from "../nodes/support/browser";
import { eventually } from "../support/eventually";
import { picture } from "../support/picture";

let browser: Browser;
let place: Place;
let page: ReleasesPage;
const opened: Page[] = [];
beforeAll(async () => {
  browser = await launchBrowser();
  place = await placeOf({ sandbox: { now: new Date("2026-03-16T09:00:00Z") } });
  const files = { policy: place.policyPath, people: place.peoplePath };
  page = await serveReleases({ desk: place.desk, files, port: 0 });
});
afterEach(async () => {
  for (const tab of opened.splice(0)) await tab.context().close();
  await place.setPolicy(usualPolicy);
});
afterAll(async () => {
  await browser.close();
  await page.close();
  await place.close();
});

const looks: readonly BrowserContextOptions[] = [
  { colorScheme: "light", viewport: { width: 1000, height: 700 } },
  { colorScheme: "dark", viewport: { width: 390, height: 800 } },
];

async function tabOf(look: BrowserContextOptions = looks[0]!): Promise<Page> {
  const context = await browser.newContext(look);
  const tab = await context.newPage();
  opened.push(tab);
  return tab;
}

/** What a browser complains of, and axe. */
async function judged(tab: Page): Promise<readonly string[]> {
  await tab.evaluate(axe.source);
  return tab.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}

const press = (tab: Page, name: string) => tab.getByRole("button", { name, exact: true }).click();

async function signIn(tab: Page, name: string, path = "/"): Promise<void> {
  await tab.goto(page.url + path);
  await tab.getByLabel("Name").fill(name);
  await tab.getByLabel("Secret").fill(secretOf(name));
  await press(tab, "Sign in");
  await tab.getByText(`Signed in as ${name}`).waitFor();
}

async function decide(tab: Page, what: "Release" | "Refuse", person: string, note?: string): Promise<void> {
  const form = tab.getByRole("form", { name: what });
  await form.getByLabel("Your secret").fill(secretOf(person));
  if (note !== undefined) await form.getByLabel("Note").fill(note);
  await form.getByRole("button", { name: what }).click();
}

const text = (tab: Page) => tab.locator("main").innerText();
const untilShown = (tab: Page, words: string) => tab.getByText(words).first().waitFor({ timeout: 20_000 });

const client = () => place.client({ environment: "sandbox" });
const usual = { amount: "250000", reference: "INV-2026-118", worst_rate: "1.02" } as const;
const ordered = async (more = {}) => (await client().orders.order(anOrder({ ...usual, ...more }))).release;

test("somebody signs in, looks, releases, and the trade is booked", async () => {
  const id = await ordered();
  const tab = await tabOf();
  await tab.goto(`${page.url}/releases/${id}`);
  await picture(tab, "releases-sign-in", { fullPage: true });
  await signIn(tab, "anna", `/releases/${id}`);
  expect(new URL(tab.url()).pathname).toBe(`/releases/${id}`);
  expect(await tab.locator(".environment").innerText()).toMatch(/^sandbox http/);
  expect(await text(tab)).toContain("Sell 250,000 EUR, get USD");
  await picture(tab, "releases-order", { fullPage: true });
  await decide(tab, "Release", "anna");
  await untilShown(tab, "anna said yes");
  const asking = client();
  await eventually(async () => (await asking.orders.get(id)).deviations, {
    withinMs: 20_000,
    what: "the trade",
  });
  await tab.reload();
  await untilShown(tab, "The trade is booked.");
  expect(await tab.getByRole("form").count()).toBe(0);
});

test("somebody refuses, and says why", async () => {
  const id = await ordered({ worst_rate: "9" });
  const tab = await tabOf();
  await signIn(tab, "bert", `/releases/${id}`);
  await decide(tab, "Refuse", "bert", "not today");
  await untilShown(tab, "Refused by bert: not today");
  expect((await place.desk.get(id)).release.state).toBe("refused");
});

test("what has expired meanwhile cannot be released", async () => {
  const id = await ordered({ worst_rate: "9", valid_until: new Date(Date.now() + 8_000).toISOString() });
  const tab = await tabOf();
  await signIn(tab, "anna", `/releases/${id}`);
  await tab.getByRole("form", { name: "Release" }).waitFor();
  await eventually(async () => (await place.desk.get(id)).release.state === "expired", {
    withinMs: 20_000,
    what: "the end of the order",
  });
  await decide(tab, "Release", "anna");
  await tab.getByRole("alert").filter({ hasText: "expired" }).waitFor();
  expect(await judged(tab)).toEqual([]);
  expect(await tab.getByRole("form", { name: "Release" }).count()).toBe(0);
});

test("where two are needed, a second person says yes; the same one twice is one", async () => {
  await place.setPolicy({ ...usualPolicy, rules: [{ effects: ["money"], yes: 2, from: ["anna", "bert"] }] });
  const id = await ordered({ worst_rate: "9" });
  const [anna, bert] = [await tabOf(), await tabOf()];
  await signIn(anna, "anna", `/releases/${id}`);
  await decide(anna, "Release", "anna");
  await untilShown(anna, "anna said yes");
  await decide(anna, "Release", "anna");
  await untilShown(anna, "2 yeses of anna or bert");
  expect((await place.desk.get(id)).release.state).toBe("waiting");
  await signIn(bert, "bert");
  await bert.locator(`a[href="/releases/${id}"]`).click();
  await untilShown(bert, "anna said yes");
  await picture(bert, "releases-second", { fullPage: true });
  await decide(bert, "Release", "bert");
  await untilShown(bert, "The request is released and not sent yet.");
});

test("a form of another origin is sent in vain, with the person signed in in the same browser", async () => {
  const id = await ordered({ worst_rate: "9" });
  const tab = await tabOf();
  await signIn(tab, "anna");
  const { release } = await place.desk.get(id);
  const fields = { decision: "release", seal: release.hash, secret: secretOf("anna") };
  // Another port of the same machine: the browser sends the cookie along.
  await tab.route("http://127.0.0.1:1/", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<form method="post" action="${page.url}/releases/${id}">${Object.entries(fields)
        .map(([name, value]) => `<input name="${name}" value="${value}">`)
        .join("")}<button>Win</button></form>`,
    }),
  );
  await tab.goto("http://127.0.0.1:1/").catch(() => undefined);
  await press(tab, "Win");
  await untilShown(tab, "Only a form of this page may be sent here.");
  expect((await place.desk.get(id)).release.state).toBe("waiting");
});

const states: Readonly<Record<string, (tab: Page) => Promise<unknown>>> = {
  "sign in": (tab) => tab.goto(page.url),
  "sign in with a wrong secret": async (tab) => {
    await tab.goto(page.url);
    await tab.getByLabel("Name").fill("nobody");
    await tab.getByLabel("Secret").fill("a wrong guess");
    await press(tab, "Sign in");
    await tab.getByRole("alert").waitFor();
  },
  list: (tab) => signIn(tab, "anna"),
  "an order": async (tab) => signIn(tab, "anna", `/releases/${await ordered({ worst_rate: "9" })}`),
  "an order of which the person has no say": async (tab) =>
    signIn(tab, "carl", `/releases/${await ordered({ worst_rate: "9" })}`),
  "a call": async (tab) => {
    const input = { quote_id: "Q-1", reason: "other" };
    const { release } = await client()
      .trades.book(input as never)
      .then(
        () => ({ release: "" }),
        (error: { release: string }) => error,
      );
    await signIn(tab, "anna", `/releases/${release}`);
    await tab.getByRole("form", { name: "Release" }).waitFor();
  },
  "what was refused": async (tab) => {
    const id = await ordered({ worst_rate: "9" });
    await place.say(id, "bert", "refuse");
    await signIn(tab, "anna", `/releases/${id}`);
  },
  nothing: (tab) => tab.goto(`${page.url}/nothing`),
};

const cases = Object.keys(states).flatMap((name) =>
  looks.map((look) => [name, look.colorScheme!, look] as const),
);
test.each(cases)("%s, %s, can be used by everybody", async (name, _scheme, look) => {
  const tab = await tabOf(look);
  const complaints: string[] = [];
  tab.on("console", (message) => complaints.push(message.text()));
  await states[name]!(tab);
  expect(await judged(tab)).toEqual([]);
  expect(complaints.filter((each) => !each.includes("the server responded with a status of"))).toEqual([]);
});
