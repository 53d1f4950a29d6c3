/** Simulates a person with a browser, and an application that redirects to the sandbox. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";

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
    const context = await browser.newContext(options);
    return new Visitor(await context.newPage());
  }

  /** Returns a panel of the dashboard by heading. */
  panel(title: string): Locator {
    return this.page.getByRole("region", { name: title, exact: true });
  }

  press(name: string): Promise<void> {
    return this.page.getByRole("button", { name, exact: true }).click();
  }

  text(): Promise<string> {
    return this.page.locator("body").innerText();
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}

/** Records the redirects that it receives. */
export class Application {
  readonly visits: URL[] = [];
  readonly #server: Server = createServer((request, response) => {
    this.visits.push(new URL(request.url!, this.url));
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><link rel="icon" href="data:,"><title>The application</title>`);
  });

  static async listen(): Promise<Application> {
    const application = new Application();
    await new Promise<void>((resolve) => void application.#server.listen(0, "127.0.0.1", resolve));
    return application;
  }

  /** URL without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
