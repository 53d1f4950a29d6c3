/** The example flows of the package run as they are, against the sandbox. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { callType, nodeTypeOf } from "../../nodes/names";
import { approve, makeQuote, sandboxClient } from "../support/samples";
import { type ExtensionModule, extensionModule } from "./support/extension";
import { type FlowNode, NodeRed, root } from "./support/node-red";

const folder = join(root, "examples");

const flowIn = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8")) as FlowNode[];

const examples = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => [file.replace(/\.json$/, ""), flowIn(file)] as const);

let sandbox: Sandbox;
let extension: ExtensionModule;
let nodeRed: NodeRed;
let connection: Record<string, string>;

beforeAll(async () => {
  sandbox = await startSandbox();
  extension = await extensionModule();
  connection = {
    FXDESK_BASE_URL: sandbox.baseUrl,
    FXDESK_XS2A_URL: sandbox.xs2aUrl,
    FXDESK_CLIENT_ID: demo.clientId,
    FXDESK_CONTACT_ID: demo.contactId,
    FXDESK_ACCESS_TOKEN: demo.accessToken,
    FXDESK_API_KEY: demo.apiKey,
    FXDESK_AUTH_CLIENT_ID: demo.authClientId,
    FXDESK_REDIRECT_URI: demo.redirectUri,
  };
  nodeRed = await NodeRed.start({ env: { ...extension.env, ...connection } });
}, 60_000);

afterAll(async () => {
  await nodeRed.close();
  await extension.remove();
  await sandbox.close();
});

/** A consent that its person has given. */
async function consent(): Promise<string> {
  const client = sandboxClient(sandbox);
  const { consentId, _links: links } = await client.consents.create({
    "TPP-Redirect-URI": "https://app.example/done",
    access: { accounts: [], balances: [], transactions: [] },
    recurringIndicator: false,
    validUntil: "9999-12-31",
    frequencyPerDay: 1,
    combinedServiceIndicator: false,
  });
  await approve(client, links.scaRedirect!);
  return consentId;
}

/** What a person or a program asks of the flows that listen for it, by the path they listen on. */
const requests: Readonly<Record<string, () => Promise<Response>>> = {
  "/cash-position": () => nodeRed.request("/cash-position"),
  "/login": () => nodeRed.request("/login"),
  "/trades": async () =>
    nodeRed.request("/trades", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        quote_id: await makeQuote(sandboxClient(sandbox)),
        reason: "payment_for_goods",
        reference: "INV-2041",
      }),
    }),
  "/open-banking/:consent": async () => nodeRed.request(`/open-banking/${await consent()}`),
};

const byType = (flow: readonly FlowNode[], type: string) => flow.filter((node) => node.type === type);

test.each(examples)("%s", async (_title, flow) => {
  await nodeRed.deploy(flow);

  for (const { url } of byType(flow, "http in")) {
    const response = await requests[String(url)]!();
    expect([url, response.ok]).toEqual([url, true]);
  }
  for (const inject of byType(flow, "inject")) {
    await nodeRed.inject(inject.id);
    // The next button may need what this one has left.
    await succeeded(behind(inject, flow));
  }
  await succeeded(flow);
});

const isCalling = (node: FlowNode) => node.type.startsWith("fxdesk-") && "wires" in node;

async function succeeded(nodes: Iterable<FlowNode>): Promise<void> {
  for (const { id, type } of [...nodes].filter(isCalling)) {
    const status = await nodeRed.status(id, ({ fill }) => fill !== "blue");
    expect([type, status.text, status.fill]).toEqual([type, status.text, "green"]);
  }
}

/** The nodes that a message of the node comes to. */
function behind(node: FlowNode, flow: readonly FlowNode[]): Set<FlowNode> {
  const found = new Set<FlowNode>([node]);
  for (const each of found) {
    const next = new Set(((each.wires ?? []) as string[][]).flat());
    for (const other of flow) if (next.has(other.id)) found.add(other);
  }
  return found;
}

const listening = examples.filter(([, flow]) => byType(flow, "http in").length > 0);

test.each(listening)("%s answers also when a call fails", async (_title, flow) => {
  const [start] = byType(flow, "http in");
  const called = new Set([...behind(start!, flow)].map(({ type }) => type));
  const failing = operations.filter(
    (each) => called.has(nodeTypeOf(each)) && Object.keys(each.errors).length > 0,
  );
  for (const { name, errors } of failing) {
    const status = Number(Object.keys(errors)[0]);
    // Ends what the call before has left under way.
    await nodeRed.deploy(flow);
    sandbox.force(name, status);
    const response = await requests[String(start!.url)]!();

    expect([name, response.status, await response.text()]).toEqual([
      name,
      status,
      expect.stringContaining(`${name}: `) as string,
    ]);
  }
});

test("without its module the example of a quote says what is missing", async () => {
  const bare = await NodeRed.start({ env: connection });
  const flow = flowIn("14 Quote and trade.json");
  await bare.deploy(flow);
  await bare.inject(byType(flow, "inject")[0]!.id);

  const [msg] = (await bare.shown(flow.find(({ name }) => name === "Errors")!.id)) as [Record<string, any>];
  await bare.close();
  expect(msg.error.message).toContain("quotes.create: The service has no such operation.");
  expect(msg.error.message).toContain("FXDESK_EXTENSIONS");
}, 60_000);

test("what the person agrees to is not deleted before they do", async () => {
  const flow = flowIn("12 Consent.json");
  await nodeRed.deploy(flow);
  const [ask] = byType(flow, "inject");
  await nodeRed.inject(ask!.id);
  await succeeded(behind(ask!, flow));

  const [msg] = (await nodeRed.shown(flow.find(({ name }) => name === "Agree here")!.id)) as [
    Record<string, any>,
  ];
  const page = await fetch(new URL(msg.scaRedirect?.href ?? msg._links.scaRedirect.href, sandbox.xs2aUrl));
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("<form");
});

test("the cash position has a row for each currency", async () => {
  await nodeRed.deploy(flowIn("01 Cash position.json"));

  const page = await (await nodeRed.request("/cash-position")).text();

  for (const currency of ["EUR", "GBP", "USD", "JPY"])
    expect(page).toMatch(new RegExp(`<td>${currency}</td><td>-?\\d`));
});

test("the statement is waited for", async () => {
  const flow = flowIn("04 Statement to a file.json");
  await nodeRed.deploy(flow);

  await nodeRed.inject(byType(flow, "inject")[0]!.id);

  const [msg] = await nodeRed.shown(flow.find(({ name }) => name === "The file")!.id);
  expect(msg).toMatchObject({ statusCode: 200, contentType: expect.stringContaining("csv") as string });
});

test("every node is in an example", () => {
  const types = new Set(examples.flatMap(([, flow]) => flow.map(({ type }) => type)));

  expect([callType, ...operations.map(nodeTypeOf)].filter((type) => !types.has(type))).toEqual([]);
});

test("no example holds a secret or an address", () => {
  for (const [, flow] of examples)
    for (const each of byType(flow, "fxdesk-connection"))
      expect(each).toEqual({
        id: expect.any(String) as string,
        type: "fxdesk-connection",
        name: "From the environment",
        fromEnvironment: true,
        version: 1,
      });
});
