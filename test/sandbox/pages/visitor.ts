/** Simulates a person with a browser, and an application that redirects to the sandbox. */
import { createServer } from "node:http";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { closeLater, listen } from "../../support/resources";

/** Browser page that records its errors. */
export class Visitor {
  readonly errors: string[] = [];

  private constructor(readonly page: Page) {
    page.on("console", (message) => this.errors.push(message.text()));
    page.on("pageerror", (error) => this.errors.push(error.message));
    page.on("requestfailed", (request) => this.errors.push(`${request.url()} failed`));
    page.on("response", (response) => {
      if (response.status() >= 400) this.errors.push(`${response.url()} answered ${response.status()}`);
    });
  }

  static async in(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
    const context = closeLater(await browser.newContext(options));
    return new Visitor(await context.newPage());
  }

  /** Returns a panel of the dashboard by heading. */
  panel(title: string): Locator {
    return this.page.getByRole("region", { name: title, exact: true });
  }

  press(name: string): Promise<void> {
    return this.page.getByRole("button", { name, exact: true }).click();
  }
}

/** Starts an application that records the redirects that it receives. The URL has no trailing slash. */
export async function startApplication(): Promise<{ readonly url: string; readonly visits: URL[] }> {
  const visits: URL[] = [];
  const server = createServer((request, response) => {
    visits.push(new URL(request.url!, url));
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><link rel="icon" href="data:,"><title>The application</title>`);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return { url, visits };
}
