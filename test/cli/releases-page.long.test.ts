/** Tests the releases page in a browser; npm run pictures takes the screenshots for the documentation. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type ReleasesPage, serveReleases } from "../../cli/releases-page/server";
import {
  sampleOrder,
  type ReleaseFixture,
  createReleaseFixture,
  secretOf,
} from "../core/releases/release-fixture";
import { launchBrowser } from "../nodes/support/browser";
import { accessibilityViolations } from "../support/accessibility";
import { eventually } from "../support/eventually";
import { closeLater } from "../support/resources";
import { takePicture } from "../support/picture";

let browser: Browser;
let place: ReleaseFixture;
let page: ReleasesPage;
beforeAll(async () => {
  browser = closeLater(await launchBrowser());
  place = await createReleaseFixture({ sandbox: { now: new Date("2026-03-16T09:00:00Z") } });
  page = closeLater(await serveReleases({ service: place.service, files: place.files, port: 0 }));
});
const colorSchemes: readonly BrowserContextOptions[] = [
  { colorScheme: "light", viewport: { width: 1000, height: 700 } },
  { colorScheme: "dark", viewport: { width: 390, height: 800 } },
];

async function openTab(look: BrowserContextOptions = colorSchemes[0]!): Promise<Page> {
  return closeLater(await browser.newContext(look)).newPage();
}

const clickButton = (tab: Page, name: string) => tab.getByRole("button", { name, exact: true }).click();

async function signIn(tab: Page, name: string, path = "/"): Promise<void> {
  await tab.goto(page.url + path);
  await tab.getByLabel("Name").fill(name);
  await tab.getByLabel("Secret").fill(secretOf(name));
  await clickButton(tab, "Sign in");
  await tab.getByText(`Signed in as ${name}`).waitFor();
}

async function decide(tab: Page, what: "Release" | "Refuse", person: string, note?: string): Promise<void> {
  const form = tab.getByRole("form", { name: what });
  await form.getByLabel("Your secret").fill(secretOf(person));
  if (note !== undefined) await form.getByLabel("Note").fill(note);
  await form.getByRole("button", { name: what }).click();
}

const text = (tab: Page) => tab.locator("main").innerText();
const waitForText = (tab: Page, words: string) => tab.getByText(words).first().waitFor({ timeout: 20_000 });

const client = () => place.client({ environment: "sandbox" });
const defaultOrder = { amount: "250000", reference: "INV-2026-118", worst_rate: "1.02" } as const;
const createOrder = async (more = {}) =>
  (await client().orders.order(sampleOrder({ ...defaultOrder, ...more }))).release;

test("a person signs in and releases, and the trade is booked", async () => {
  const id = await createOrder();
  const tab = await openTab();
  await tab.goto(`${page.url}/releases/${id}`);
  await takePicture(tab, "images/releases-sign-in", { fullPage: true });
  await signIn(tab, "anna", `/releases/${id}`);
  expect(new URL(tab.url()).pathname).toBe(`/releases/${id}`);
  expect(await tab.locator(".environment").innerText()).toMatch(/^sandbox http/);
  expect(await text(tab)).toContain("Sell 250,000 EUR, get USD");
  await takePicture(tab, "images/releases-order", { fullPage: true });
  await decide(tab, "Release", "anna");
  await waitForText(tab, "anna released");
  const asking = client();
  await eventually(async () => (await asking.orders.get(id)).deviations, {
    withinMs: 20_000,
    what: "the trade",
  });
  await tab.reload();
  await waitForText(tab, "The trade is booked.");
  expect(await tab.getByRole("form").count()).toBe(0);
});

test("an expired request cannot be released", async () => {
  const id = await createOrder({ worst_rate: "9", valid_until: new Date(Date.now() + 8_000).toISOString() });
  const tab = await openTab();
  await signIn(tab, "anna", `/releases/${id}`);
  await tab.getByRole("form", { name: "Release" }).waitFor();
  await eventually(async () => (await place.service.get(id)).release.state === "expired", {
    withinMs: 20_000,
    what: "the end of the order",
  });
  await decide(tab, "Release", "anna");
  await tab.getByRole("alert").filter({ hasText: "expired" }).waitFor();
  expect(await accessibilityViolations(tab)).toEqual([]);
  expect(await tab.getByRole("form", { name: "Release" }).count()).toBe(0);
});

const states: Readonly<Record<string, (tab: Page) => Promise<unknown>>> = {
  "sign in": (tab) => tab.goto(page.url),
  "sign in with a wrong secret": async (tab) => {
    await tab.goto(page.url);
    await tab.getByLabel("Name").fill("nobody");
    await tab.getByLabel("Secret").fill("a wrong guess");
    await clickButton(tab, "Sign in");
    await tab.getByRole("alert").waitFor();
  },
  list: (tab) => signIn(tab, "anna"),
  "an order": async (tab) => signIn(tab, "anna", `/releases/${await createOrder({ worst_rate: "9" })}`),
  "an order that the person may not release": async (tab) =>
    signIn(tab, "carl", `/releases/${await createOrder({ worst_rate: "9" })}`),
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
  "a bulk payment": async (tab) => {
    const payment = {
      instructedAmount: { currency: "EUR", amount: "1200.50" },
      creditorAccount: { iban: "NL13TEST0123456789" },
      creditorName: "Brouwer Logistiek BV",
      remittanceInformationUnstructured: "Invoice 4711",
    };
    const input = {
      "payment-product": "sepa-credit-transfers",
      debtorAccount: { iban: "DE12500105170648489890" },
      payments: Array.from({ length: 12 }, () => payment),
    };
    const error: unknown = await client()
      .payments.initiateBulk(input as never)
      .catch((reason: unknown) => reason);
    await signIn(tab, "anna", `/releases/${(error as { release: string }).release}`);
    await tab.getByRole("table").waitFor();
  },
  "a refused order": async (tab) => {
    const id = await createOrder({ worst_rate: "9" });
    await place.decide(id, "bert", "refuse");
    await signIn(tab, "anna", `/releases/${id}`);
  },
  nothing: (tab) => tab.goto(`${page.url}/nothing`),
};

const cases = Object.keys(states).flatMap((name) =>
  colorSchemes.map((look) => [name, look.colorScheme!, look] as const),
);
test.each(cases)("%s (%s) is accessible", async (name, _scheme, look) => {
  const tab = await openTab(look);
  const complaints: string[] = [];
  tab.on("console", (message) => complaints.push(message.text()));
  await states[name]!(tab);
  expect(await accessibilityViolations(tab)).toEqual([]);
  // Nothing is hidden at the side, in particular no account or amount.
  const cut = `[...document.querySelectorAll("html, .scroll")].filter((each) => each.scrollWidth > each.clientWidth).length`;
  expect(await tab.evaluate(cut)).toBe(0);
  expect(complaints.filter((each) => !each.includes("the server responded with a status of"))).toEqual([]);
});
