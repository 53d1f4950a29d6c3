/** The form of a connection keeps what a flow holds, and says where it leads. */
import type { Browser } from "playwright-core";
import { Editor, launchBrowser } from "./support/browser";
import { connectionConfig, operationNode, tab } from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";
import { listTrades } from "../../core/contract/trades";

let nodeRed: NodeRed;
let browser: Browser;
let editor: Editor;

const noAddresses = { baseUrl: "", xs2aUrl: "" };

/** Connections as flows may hold them, by their ids. */
const connections = {
  wrong: { ...noAddresses, baseUrl: "nonsense", timeoutMs: "soon", nokRedirectUri: "nowhere" },
  right: { ...noAddresses, domain: "example.com", timeoutMs: "4000", nokRedirectUri: "app://back" },
  variable: { ...noAddresses, domain: "example.com", environment: "${FX_ENV}" },
  bare: { ...noAddresses, domain: "example.com", environment: undefined },
  certified: {
    baseUrl: "http://127.0.0.1:9/",
    xs2aUrl: "",
    clientId: "",
    contactId: "",
    credentials: {},
    tls: "tls",
  },
};

const nodes = Object.entries(connections).flatMap(([id, held], row): FlowNode[] => [
  connectionConfig(noAddresses, { id, name: id, ...held }),
  { ...operationNode(listTrades, `node-${id}`, []), connection: id, x: 200, y: 80 * row + 80 },
]);

beforeAll(async () => {
  nodeRed = await NodeRed.start();
  browser = await launchBrowser();
  await nodeRed.deploy([tab, { id: "tls", type: "tls-config", name: "Certificate" }, ...nodes]);
  editor = await Editor.open(browser, nodeRed.url);
}, 90_000);

const setting = (name: string) => editor.page.locator(`#node-config-input-${name}`);
const environmentText = () => editor.page.locator(".fxdesk-environment-notice").innerText();

interface EditorConnection {
  readonly valid: boolean;
  readonly validationErrors: readonly string[];
  readonly environment: string;
}

/** The connection as the editor has it, checked again. */
const readConnection = (id: string) =>
  editor.page.evaluate((named): Pick<EditorConnection, "valid" | "validationErrors" | "environment"> => {
    const { RED } = globalThis as unknown as {
      RED: {
        nodes: { node(id: string): EditorConnection };
        editor: { validateNode(node: EditorConnection): void };
      };
    };
    const node = RED.nodes.node(named);
    RED.editor.validateNode(node);
    const { valid, validationErrors, environment } = node;
    return { valid, validationErrors, environment };
  }, id);

test("an invalid value marks the connection and is named", async () => {
  expect(await readConnection("right")).toMatchObject({ valid: true, validationErrors: [] });
  expect(await readConnection("wrong")).toMatchObject({
    valid: false,
    validationErrors: expect.arrayContaining([
      expect.stringMatching(/^baseUrl: must be a web address/),
      expect.stringMatching(/^timeoutMs: must be a whole number of at least 1/),
      expect.stringMatching(/^nokRedirectUri: must be a full address/),
    ]) as string[],
  });
});

test("a variable in place of a choice is preserved, and the environment is unknown", async () => {
  await editor.open("variable");
  expect(await environmentText()).toMatch(
    /^Unknown environment: money may be real\. https:\/\/\$\{FX_ENV\}\.example\.com\/$/,
  );
  await setting("name").fill("Renamed");
  await editor.close("save");
  expect(await readConnection("variable")).toMatchObject({ environment: "${FX_ENV}" });
});

test("without an environment it shows production, as at run time", async () => {
  await editor.open("bare");
  expect(await environmentText()).toBe("Production: real money. https://api.example.com/");
  await editor.close("cancel");
});

test("a client certificate opens the credentials section", async () => {
  await editor.open("certified");
  expect(await setting("tls").isVisible()).toBe(true);
  expect(await setting("psuId").isVisible()).toBe(false);
  await editor.close("cancel");
});

describe("a new connection", () => {
  beforeAll(async () => {
    await editor.edit("node-bare");
    await editor.addConnection();
    await setting("domain").fill("example.com");
    await editor.page.locator('[data-section="openBanking"]').evaluate((section) => {
      (section as HTMLDetailsElement).open = true;
    });
  });

  test("shows an example of each address, and says that one of them is enough", async () => {
    await setting("domain").fill("");
    expect(await setting("domain").getAttribute("placeholder")).toBe("example.com");
    expect(await setting("baseUrl").getAttribute("placeholder")).toBe("https://sandbox.example.com/");
    expect(await environmentText()).toContain("the domain or the base address");
    await setting("domain").fill("example.com");
  });

  const sandbox = /^Sandbox: no real money\./;
  const unknown = /^Unknown environment: money may be real\./;

  test.each([
    ["", "", sandbox],
    ["http://127.0.0.1:4010/", "http://localhost:4010/xs2a", sandbox],
    ["https://fx-sandbox.bank.example/", "", sandbox],
    ["https://api.example.com/", "", unknown],
    ["", "https://xs2a.bank.example", unknown],
    ["http://[::1]:4010/", "https://xs2a.bank.example", unknown],
    ["${FX_URL}", "", unknown],
  ])("of the sandbox with the addresses %p and %p", async (baseUrl, xs2aUrl, said) => {
    await setting("baseUrl").fill(baseUrl);
    await setting("xs2aUrl").fill(xs2aUrl);
    expect(await environmentText()).toMatch(said);
    expect(await environmentText()).toContain(xs2aUrl || baseUrl || "https://sandbox.example.com/");
  });

  test("production has another colour than the sandbox", async () => {
    const colour = () =>
      editor.page
        .locator(".fxdesk-environment-notice")
        .evaluate((notice) => getComputedStyle(notice).borderLeftColor);
    await setting("baseUrl").fill("");
    await setting("xs2aUrl").fill("");
    const green = await colour();
    await setting("environment").selectOption("Production");
    expect(await environmentText()).toBe("Production: real money. https://api.example.com/");
    expect(await colour()).not.toBe(green);
  });

  test.each([
    ["baseUrl", "nowhere", "must be a web address"],
    ["domain", "https://example.com", "must be a host name"],
    ["timeoutMs", "soon", "must be a whole number"],
    ["psuIpAddress", "1.2.3.400", "must be an IPv4 address"],
  ])("shows what is wrong with %s while typing, and takes a variable", async (name, wrong, words) => {
    const reason = editor.page.locator(`#node-config-input-${name}-error`);
    await setting(name).evaluate((input) => {
      const section = input.closest("details");
      if (section) section.open = true;
    });
    await setting(name).fill("");
    await setting(name).pressSequentially(wrong);
    expect(await reason.innerText()).toContain(words);
    expect(await setting(name).getAttribute("aria-invalid")).toBe("true");

    await setting(name).fill("${FROM_OUTSIDE}");
    expect(await reason.innerText()).toBe("");
    // The next address counts only without this one.
    await setting(name).fill("");
  });
});
