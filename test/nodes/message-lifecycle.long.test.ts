/** Control of a node by its messages, shared tokens and pace, backpressure, and deploys. */
import type { ServerResponse } from "node:http";
import { bookTrade, getTrade, listTrades } from "../../core/contract/trades";
import { eventually } from "../support/eventually";
import { closeLater } from "../support/resources";
import { RotatingTokenService } from "../support/rotating-token-service";
import {
  catchNode,
  connectionConfig,
  debugNode,
  injectNode,
  operationNode,
  tab,
  testFlow,
  typed,
} from "./support/flows";
import { type FlowNode, type Message, NodeRed } from "./support/node-red";
import { json, type ScriptedService, startScriptedService } from "./support/scripted-service";

let service: ScriptedService;
let nodeRed: NodeRed;

beforeAll(async () => {
  service = await startScriptedService();
  nodeRed = await NodeRed.start();
}, 60_000);

const trade = { trade_id: typed("str", "T1") };
const booking = { quote_id: typed("str", "Q1"), reason: typed("str", "other") };

/** Each start has a node that it begins; all ends and errors are shown. */
const flow = (node: FlowNode, ...starts: readonly FlowNode[]): FlowNode[] => [
  tab,
  connectionConfig(service.urls),
  ...starts,
  node,
  debugNode("end"),
  catchNode("caught", ["failed"]),
  debugNode("failed"),
];

const start = (more: object = {}, id = "start") => injectNode(id, ["node"], { was: 1 }, { ...more });
const shown = async (id: string, count?: number) => (await nodeRed.nextDebugValues(id, count)) as Message[];

test("the nodes of a connection share a token, renew a refused one once, and keep it over a deploy", async () => {
  const rotating = closeLater(await RotatingTokenService.start());
  const { baseUrl, authUrl } = rotating.addresses;
  const { authClientId, refreshToken, authClientSecret } = rotating.credentials;
  const list = (id: string) => operationNode(listTrades, id, ["end"], { results: "one" });
  const flows = [
    tab,
    connectionConfig(
      { baseUrl, xs2aUrl: baseUrl },
      { authUrl, authClientId, credentials: { refreshToken, authClientSecret } },
    ),
    injectNode("start", ["first", "second"]),
    list("first"),
    list("second"),
    debugNode("end"),
    catchNode("caught", ["end"]),
  ];
  const expectSuccess = async (tokens: number) => {
    await nodeRed.inject("start");
    expect((await shown("end", 2)).map(({ statusCode }) => statusCode as number)).toEqual([200, 200]);
    expect([rotating.used.length, rotating.refusals]).toEqual([tokens, 0]);
  };
  await nodeRed.deploy(flows);
  await expectSuccess(1);
  await nodeRed.deploy(flows);
  await expectSuccess(1);
  rotating.revoke();
  await expectSuccess(2);
});

test("one refusal holds all nodes of the connection back, without a storm", async () => {
  const times: number[] = [];
  let refused = 0;
  service.handler = (_url, response) => {
    const now = performance.now();
    times.push(now);
    if (now - times[0]! >= 900) return json(response, 200, { trade_id: "T1" });
    refused += 1;
    return response.writeHead(429, { "retry-after": "1" }).end();
  };
  const ids = Array.from({ length: 30 }, (_, index) => `node-${index}`);
  await nodeRed.deploy([
    tab,
    connectionConfig(service.urls),
    injectNode("start", ids),
    ...ids.map((id) => operationNode(getTrade, id, ["end"], { fields: trade })),
    debugNode("end"),
    catchNode("caught", ["end"]),
  ]);
  await nodeRed.inject("start");

  expect((await shown("end", 30)).map(({ statusCode }) => statusCode as number)).toEqual(ids.map(() => 200));
  // Sent before the first refusal arrived.
  expect(refused).toBeLessThanOrEqual(10);
});

describe("msg.cancel", () => {
  const cancel = (value: unknown) => injectNode("stop", ["node"], {}, { cancel: value });

  test("cancels only reads with that key", async () => {
    const waiting: ServerResponse[] = [];
    service.handler = (_url, response) => void waiting.push(response);
    const node = operationNode(getTrade, "node", ["end"], { fields: trade });
    await nodeRed.deploy(flow(node, start({ fxdesk: { key: "K1" } }), start({}, "other"), cancel("K1")));
    await nodeRed.inject("start");
    await nodeRed.inject("other");
    await eventually(() => waiting.length === 2, { withinMs: 25_000, what: "two calls" });
    await nodeRed.inject("stop");

    const [stopped] = await shown("failed");
    for (const response of waiting) json(response, 200, { trade_id: "T1" });
    const [ended] = await shown("end");

    expect(stopped).toMatchObject({ error: { code: "aborted" }, fxdesk: { key: "K1" } });
    expect(ended!.payload).toEqual({ trade_id: "T1" });
  });

  test.each([
    ["calls that commit money", bookTrade, booking, "K1"],
    ["an invalid value", getTrade, trade, {}],
  ])("refuses %s, and sends nothing", async (_what, operation, fields, value) => {
    const handler = jest.fn<void, Parameters<ScriptedService["handler"]>>();
    service.handler = handler;
    await nodeRed.deploy(flow(operationNode(operation, "node", ["end"], { fields }), cancel(value)));
    await nodeRed.inject("stop");

    const [msg] = await shown("failed");

    expect(msg!.error).toMatchObject({
      code: "invalid_input",
      cause: { violations: [{ field: "msg.cancel" }] },
    });
    expect(handler).not.toHaveBeenCalled();
  });
});

test("one message per entry of all pages is completed before the next page is read", async () => {
  const times: number[] = [];
  service.handler = (url, response) => {
    times.push(performance.now());
    const page = Number(url.searchParams.get("page") ?? 1);
    const all = Array.from({ length: 120 }, (_, index) => ({ trade_id: `T${index}` }));
    json(response, 200, all.slice((page - 1) * 50, page * 50));
  };
  const paced: FlowNode = {
    id: "paced",
    type: "delay",
    z: tab.id,
    pauseType: "delay",
    timeout: "700",
    timeoutUnits: "milliseconds",
    wires: [["end"]],
  };
  const list = operationNode(listTrades, "node", ["paced"], { results: "each" });
  await nodeRed.run(testFlow(connectionConfig(service.urls), list, paced), undefined, 120);

  const [first, second, third] = times as [number, number, number];
  expect(times).toHaveLength(3);
  expect(Math.min(second - first, third - second)).toBeGreaterThan(690);
});

test("a deploy cancels a read and reports it once to the Catch node of the new flow", async () => {
  let calls = 0;
  service.handler = () => void (calls += 1);
  const deploy = (deployed: string) => {
    const node = operationNode(getTrade, "node", ["end"], { name: deployed, fields: trade });
    return nodeRed.deploy(flow(node, start({ deployed })), "nodes");
  };
  await deploy("before");
  await nodeRed.inject("start");
  await eventually(() => calls === 1, { withinMs: 25_000, what: "a read" });
  await deploy("after");

  const [msg] = await shown("failed");

  expect(msg).toMatchObject({ error: { code: "aborted" }, deployed: "before" });
});
