/** The config node: secrets, environment variables, settings that do not fit, and its end. */
import { listTrades } from "../../core/contract/trades";
import { demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { catchNode, connectionConfig, debugNode, injectNode, operationNode, tab } from "./support/flows";
import { extensionModule } from "./support/extension";
import { type FlowNode, NodeRed } from "./support/node-red";

let sandbox: Sandbox;
let nodeRed: NodeRed;

beforeAll(async () => {
  sandbox = await startSandbox();
  const { baseUrl } = sandbox;
  const { accessToken, apiKey, clientId } = demo;
  nodeRed = await NodeRed.start({
    env: {
      THE_TOKEN: accessToken,
      FXDESK_BASE_URL: baseUrl,
      FXDESK_CLIENT_ID: clientId,
      FXDESK_ACCESS_TOKEN: accessToken,
      FXDESK_API_KEY: apiKey,
    },
  });
}, 60_000);

afterAll(async () => {
  await nodeRed.close();
  await sandbox.close();
});

const listFlow = (connection: FlowNode, properties: object = {}): FlowNode[] => [
  tab,
  connection,
  injectNode("start", ["list"]),
  operationNode(listTrades, "list", ["end"], { pages: "one", ...properties }),
  debugNode("end"),
  catchNode("caught", ["end"]),
];

async function nextOutcome(): Promise<Record<string, any>> {
  await nodeRed.inject("start");
  return (await nodeRed.nextDebugValues("end"))[0] as Record<string, any>;
}

test("secrets are in no flow", async () => {
  await nodeRed.deploy(listFlow(connectionConfig(sandbox)));

  const flows = JSON.stringify(await nodeRed.json("/flows"));
  const shown = JSON.stringify(await nodeRed.json("/credentials/fxdesk-connection/connection"));

  expect(flows).toContain(demo.clientId);
  for (const secret of [demo.accessToken, demo.apiKey]) {
    expect(flows).not.toContain(secret);
    expect(shown).not.toContain(secret);
  }
  expect(shown).toContain('"has_accessToken":true');
  expect((await nextOutcome()).statusCode).toBe(200);
});

test("a setting may hold an environment variable", async () => {
  const credentials = { accessToken: "${THE_TOKEN}", apiKey: demo.apiKey };
  await nodeRed.deploy(listFlow(connectionConfig(sandbox, { credentials })));

  expect((await nextOutcome()).statusCode).toBe(200);
});

test("names an unset variable and sends nothing", async () => {
  const credentials = { accessToken: "${NO_TOKEN}", apiKey: demo.apiKey };
  const before = sandbox.requests.length;
  await nodeRed.deploy(listFlow(connectionConfig(sandbox, { credentials })));

  expect(await nodeRed.waitForStatus("list", ({ fill }) => fill === "red")).toMatchObject({
    text: "no connection",
  });
  const { error } = await nextOutcome();
  expect(error).toMatchObject({ code: "no_connection", cause: { outcome: "not-sent" } });
  expect(error.message).toContain("Access token: the environment variable NO_TOKEN is not set");
  expect(sandbox.requests).toHaveLength(before);
});

test("all settings may come from the environment", async () => {
  await nodeRed.deploy(
    listFlow({ id: "connection", type: "fxdesk-connection", name: "", fromEnvironment: true }),
  );

  expect((await nextOutcome()).statusCode).toBe(200);
});

test.each([
  [
    "without a connection",
    connectionConfig({ baseUrl: "", xs2aUrl: "" }),
    { connection: "" },
    "Choose a connection",
  ],
  [
    "with an address that is none",
    connectionConfig({ baseUrl: "nowhere", xs2aUrl: "" }),
    {},
    "baseUrl must be an http",
  ],
  ["without any address", connectionConfig({ baseUrl: "", xs2aUrl: "" }), {}, "baseUrl is required"],
])("%s the error says what to do", async (_what, connection, properties, message) => {
  await nodeRed.deploy(listFlow(connection, properties));

  const { error } = await nextOutcome();

  expect(error.message).toContain(message);
  expect(error.cause.outcome).toBe("not-sent");
});

test("an unusable connection is logged at the deploy", async () => {
  const before = nodeRed.countInLog("baseUrl must be an http");
  await nodeRed.deploy(listFlow(connectionConfig({ baseUrl: "nowhere", xs2aUrl: "" })));

  expect(nodeRed.countInLog("baseUrl must be an http")).toBe(before + 1);
});

test.each([
  ["deleted", undefined, "The connection chosen in the node no longer exists"],
  [
    "disabled",
    connectionConfig({ baseUrl: "", xs2aUrl: "" }, { d: true }),
    "The connection “Sandbox” is disabled. Enable it, or choose another in the node",
  ],
  [
    "of another type",
    { id: "connection", type: "tls-config", name: "Keys" },
    "The chosen connection “Keys” is a node of the type tls-config. Choose an fxdesk-connection in the node",
  ],
])(
  "a connection that is %s is in the log and below each node from the deploy on",
  async (_what, held, words) => {
    const before = nodeRed.countInLog(words);
    await nodeRed.deploy(listFlow(held ?? { id: "other", type: "tls-config" }));

    expect(nodeRed.countInLog(words)).toBe(before + 1);
    expect(await nodeRed.waitForStatus("list", ({ fill }) => fill === "red")).toMatchObject({
      text: "no connection",
    });
    const { error } = await nextOutcome();
    expect(error).toMatchObject({ code: "no_connection", cause: { outcome: "not-sent" } });
    expect(error.message).toContain(words);
  },
);

test("each connection reports an extension module that cannot be loaded", async () => {
  const extension = await extensionModule("module.exports = 42;\n");
  const other = await NodeRed.start({ env: extension.env });
  await other.deploy(listFlow(connectionConfig(sandbox)));

  await other.inject("start");
  const [{ error }] = (await other.nextDebugValues("end")) as [Record<string, any>];

  expect(error).toMatchObject({ code: "no_connection", cause: { outcome: "not-sent" } });
  expect(error.message).toContain("FXDESK_EXTENSIONS");
  expect(other.countInLog("FXDESK_EXTENSIONS names")).toBeGreaterThan(0);
  await other.close();
  await extension.remove();
}, 60_000);

test("nodes and connection work after a redeploy", async () => {
  await nodeRed.deploy(listFlow(connectionConfig(sandbox)));
  await nextOutcome();
  await nodeRed.deploy(listFlow(connectionConfig(sandbox)));

  expect((await nextOutcome()).statusCode).toBe(200);
});

test("a watch reports new entries, also those from the time of a deploy", async () => {
  const watch = (label: string): FlowNode[] => [
    tab,
    connectionConfig(sandbox),
    {
      id: "watch",
      type: "fxdesk-watch-transactions",
      z: tab.id,
      name: label,
      connection: "connection",
      fields: { currencies: { type: "str", value: "EUR" } },
      every: "0.05",
      wires: [["end"], []],
    },
    debugNode("end"),
  ];
  const told = async () => ((await nodeRed.nextDebugValues("end"))[0] as Record<string, any>).payload;
  await nodeRed.deploy(watch("first"));
  await nodeRed.waitForStatus("watch", ({ text }) => text === "watching");
  sandbox.control.payIn({ currency: "EUR", amount: "1.00", reference: "WATCHED-1" });
  expect((await told()).transaction_reference).toBe("WATCHED-1");
  await nodeRed.waitForStatus("watch", ({ text }) => text === "1 change");
  await nodeRed.deploy([tab]);
  sandbox.control.payIn({ currency: "EUR", amount: "2.00", reference: "WATCHED-2" });
  await nodeRed.deploy(watch("second"));
  expect((await told()).transaction_reference).toBe("WATCHED-2");
});

test("a refused credential is named with its server", async () => {
  const credentials = { accessToken: "wrong", apiKey: demo.apiKey };
  await nodeRed.deploy(listFlow(connectionConfig(sandbox, { credentials })));

  const { error } = await nextOutcome();

  expect(error).toMatchObject({ code: "unauthorized", cause: { status: 401 } });
  expect(JSON.stringify(error)).not.toContain("wrong");
});
