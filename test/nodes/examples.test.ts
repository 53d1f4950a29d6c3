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

beforeAll(async () => {
  sandbox = await startSandbox();
  extension = await extensionModule();
  nodeRed = await NodeRed.start({
    env: {
      ...extension.env,
      FXDESK_BASE_URL: sandbox.baseUrl,
      FXDESK_XS2A_URL: sandbox.xs2aUrl,
      FXDESK_CLIENT_ID: demo.clientId,
      FXDESK_CONTACT_ID: demo.contactId,
      FXDESK_ACCESS_TOKEN: demo.accessToken,
      FXDESK_API_KEY: demo.apiKey,
      FXDESK_AUTH_CLIENT_ID: demo.authClientId,
      FXDESK_REDIRECT_URI: demo.redirectUri,
    },
  });
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
  for (const { id } of byType(flow, "inject")) await nodeRed.inject(id);

  for (const { id, type } of flow.filter((node) => node.type.startsWith("fxdesk-") && "wires" in node)) {
    const status = await nodeRed.status(id, ({ fill }) => fill !== "blue");
    expect([type, status.text, status.fill]).toEqual([type, status.text, "green"]);
  }
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
    for (const connection of byType(flow, "fxdesk-connection"))
      expect(connection).toEqual({
        id: expect.any(String) as string,
        type: "fxdesk-connection",
        name: "From the environment",
        fromEnvironment: true,
        version: 1,
      });
});
