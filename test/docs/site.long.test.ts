/** Builds the documentation site, searches it as a reader does, and checks pages in a browser. */
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../nodes/support/browser";
import { accessibilityViolations } from "../support/accessibility";
import { runLater } from "../support/resources";

const root = join(__dirname, "../..");
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
};

let address: string;
let browser: Browser;

/** Builds the site, which fails on a dead link, and serves it. */
beforeAll(async () => {
  await promisify(execFile)("npx", ["vitepress", "build", "docs"], { cwd: root });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, "http://site");
    const path = join(root, "site/dist", pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    const type = types[extname(path)] ?? "application/octet-stream";
    readFile(path).then(
      (content) => response.writeHead(200, { "content-type": type }).end(content),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  runLater(() => server.close());
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchBrowser();
});

/** Questions of readers, with the pages that answer them. */
const questions: Readonly<Record<string, readonly string[]>> = {
  "how do I start without credentials": ["first-hour", "sandbox"],
  "connect to the real service": ["first-hour", ""],
  "what is an idempotency key": ["concepts", "journal"],
  "error outcome_unknown": ["errors"],
  "was my payment sent": ["errors", "journal", "troubleshooting"],
  release_needed: ["errors", "releases"],
  "two people must approve a payment": [
    "releases",
    "recipes/bulk-payment-with-four-eyes-release",
    "concepts",
  ],
  "policy limits": ["releases"],
  "run behind a company proxy": ["network"],
  "self-signed certificate": ["network", "troubleshooting"],
  "docker compose postgres": ["deployment"],
  "systemd service": ["deployment"],
  "backup and restore": ["store", "upgrade"],
  "upgrade to a new version": ["upgrade"],
  "which Node.js versions are supported": ["compatibility"],
  Windows: ["compatibility"],
  FXDESK_STORE_KEY: ["settings", "store"],
  "environment variables": ["settings"],
  "value date": ["glossary"],
  "what is a drawdown": ["glossary"],
  "pay a supplier": ["recipes/pay-a-supplier"],
  "MT940 statement": [
    "recipes/mt940-of-all-accounts",
    "recipes/statement-as-data",
    "procedures",
    "operations/statements",
  ],
  "cash position": ["recipes/cash-position", "procedures", "operations/cash"],
  "margin call": ["recipes/margin-call", "glossary", "palette/cash"],
  "Claude Desktop": ["mcp", "hosts/claude"],
  "let an assistant book trades": ["mcp"],
  "exit codes": ["cli"],
  "rate limit 429": ["scaling", "errors"],
  "refresh token expired": ["login", "store", "errors"],
  "list trades fields": ["operations/trades"],
};

async function open(path: string, options: Parameters<Browser["newPage"]>[0] = {}): Promise<Page> {
  const page = await browser.newPage({ reducedMotion: "reduce", ...options });
  await page.goto(address + path, { waitUntil: "networkidle" });
  return page;
}

test("a reader finds the right page among the first three", async () => {
  const page = await open("/");
  const missed: string[] = [];
  await page.keyboard.press("Control+k");
  const input = page.locator("#localsearch-input");
  for (const [question, right] of Object.entries(questions)) {
    await input.fill("");
    await page.locator(".VPLocalSearchBox .result").first().waitFor({ state: "detached" });
    await input.fill(question);
    const results = page.locator(".VPLocalSearchBox .result");
    await results.first().waitFor();
    const links = await results.evaluateAll((all) =>
      all.slice(0, 3).map((each) => each.getAttribute("href")!),
    );
    const pages = links.map((link) => link.replace(/^\//, "").replace(/(\.html)?(#.*)?$/, ""));
    if (!pages.some((each) => right.includes(each))) missed.push(`${question}: ${pages.join(", ")}`);
  }
  expect(missed).toEqual([]);
});

test.each(["/", "/errors.html", "/recipes/pay-a-supplier.html"])(
  "%s has no accessibility faults",
  async (path) => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await open(path, { colorScheme });
      const violations = await accessibilityViolations(page);
      // The theme's own: the name of its search button leaves out the key that it shows.
      const isKnown = (each: string) =>
        each.startsWith("label-content-name-mismatch: <button") && each.includes("DocSearch");
      expect(violations.filter((each) => !isKnown(each))).toEqual([]);
      await page.close();
    }
  },
);

test("pages of a recipe and of errors fit a telephone", async () => {
  const page = await open("/recipes/pay-a-supplier.html", { viewport: { width: 390, height: 844 } });
  for (const path of ["/recipes/pay-a-supplier.html", "/errors.html", "/settings.html"]) {
    await page.goto(address + path);
    const [width, pictures] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
    ]);
    expect({ path, width, pictures }).toEqual({ path, width: 390, pictures: true });
  }
});
