/** Tests the page at /docs in a browser, with content of the sandbox only. */
import axe from "axe-core";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { launchBrowser } from "../../nodes/support/browser";
import { Visitor } from "./visitor";

let browser: Browser;
let sandbox: Sandbox;
beforeAll(async () => {
  browser = await launchBrowser();
  sandbox = await startSandbox({ now: new Date("2026-03-16T09:00:00Z"), daysBehind: 30 });
});
afterAll(async () => {
  await sandbox.close();
  await browser.close();
});

let visitor: Visitor;
const requestedUrls: string[] = [];
beforeEach(() => void requestedUrls.splice(0));
afterEach(async () => {
  await visitor.close();
  const own = (url: string) => url.startsWith(`${sandbox.baseUrl}/`) || url.startsWith("data:");
  expect(requestedUrls.filter((url) => !own(url))).toEqual([]);
});

async function open(route?: string, look: BrowserContextOptions = {}): Promise<void> {
  visitor = await Visitor.in(browser, { viewport: { width: 1280, height: 900 }, ...look });
  visitor.page.on("request", (request) => requestedUrls.push(request.url()));
  await visitor.page.goto(`${sandbox.baseUrl}/docs${route ? `#?route=${route}` : ""}`);
}

const page = () => visitor.page;
const execute = () => page().getByRole("button", { name: "Execute" }).click();

/** Submits the form and waits for a value of the response. */
async function tried(path: RegExp, name: string): Promise<void> {
  const [response] = await Promise.all([page().waitForResponse(path, { timeout: 10_000 }), execute()]);
  const [, value] = new RegExp(`"${name}":("[^"]+")`).exec(await response.text())!;
  await page().getByText(value!).first().waitFor({ timeout: 10_000 });
}

const last = () => sandbox.control.listRequests().at(-1)!;
const headers = () => sandbox.control.getExchange({ number: last().number }).request.headers;

test("is linked from the dashboard", async () => {
  visitor = await Visitor.in(browser);
  await page().goto(sandbox.baseUrl);
  await page().getByRole("link", { name: "Operations" }).click();
  await page().getByText("List trades", { exact: true }).first().waitFor({ state: "attached" });
  expect(visitor.errors).toEqual([]);
});

test("calls an operation as the demo company with the defaults", async () => {
  await open("get-/trades");
  await tried(/\/trades\?/, "trade_id");
  expect(last()).toMatchObject({ method: "GET", status: 200 });
  const { clientId, accessToken, apiKey, contactId } = sandbox.demo;
  expect(last().url).toContain(`client_id=${clientId}`);
  expect(headers()).toMatchObject({
    authorization: `Bearer ${accessToken}`,
    "x-api-key": apiKey,
    "x-contact-id": contactId,
  });
  expect(visitor.errors).toEqual([]);
});

test("generates a request ID per open-banking call", async () => {
  await open("get-/v1/consents/-consent-id-/status");
  const requestIds: (string | undefined)[] = [];
  for (const consent of ["none", "nobody"]) {
    await page().locator("[data-pname='consent-id']").fill(consent);
    const path = `/v1/consents/${consent}/status`;
    await Promise.all([page().waitForResponse(`**${path}`, { timeout: 10_000 }), execute()]);
    expect(last().url).toBe(path);
    requestIds.push(headers()["x-request-id"]);
  }
  for (const id of requestIds) expect(id).toMatch(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
  expect(new Set(requestIds).size).toBe(2);
});

const looks: readonly BrowserContextOptions[] = [
  { colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { colorScheme: "dark", viewport: { width: 390, height: 800 } },
];
const routes = [
  undefined,
  "auth",
  "get-/trades",
  "post-/quotes",
  "post-/v1/-payment-service-/-payment-product-",
];
const cases = routes.flatMap((route) => looks.map((look) => [route, look.colorScheme, look] as const));

test.each(cases)("is accessible: %s, %s", async (route, _scheme, look) => {
  await open(route, look);
  await page().getByText("trades", { exact: true }).first().waitFor({ state: "attached" });
  await page().evaluate(axe.source);
  const violations = await page().evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
  expect(violations).toEqual([]);
});
