/**
 * What users of nodes for HTTP services ask for most often in their issues, each as a test. Ask 14 is in editor.long.test.ts, and ask
 * 19 in load.long.test.ts.
 */
import type { ServerResponse } from "node:http";
import { bookTrade, getTrade, listTrades } from "../../core/contract/trades";
import { emailMt940Statement } from "../../core/contract/statements";
import { RotatingTokenService } from "../support/rotating-token-service";
import {
  catchNode,
  connectionConfig,
  debugNode,
  injectNode,
  operationNode,
  tab,
  typed,
} from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";
import { json, ScriptedService } from "./support/scripted-service";

let service: ScriptedService;
let rotating: RotatingTokenService;
let nodeRed: NodeRed;

const env = { ASKED_TOKEN: "token-of-the-environment", ASKED_CLIENT: "client-of-the-environment" };

beforeAll(async () => {
  service = await ScriptedService.start();
  rotating = await RotatingTokenService.start();
  nodeRed = await NodeRed.start({ env });
}, 60_000);

afterAll(async () => {
  await nodeRed.close();
  await rotating.close();
  service.close();
});

type Message = Record<string, any>;
type Handler = ScriptedService["handler"];

const trade = { trade_id: typed("str", "T1") };

const testFlow = (connection: FlowNode, ...nodes: readonly FlowNode[]): FlowNode[] => [
  tab,
  connection,
  ...nodes,
  debugNode("end"),
  catchNode("caught", ["end"]),
];

/** Deploys one node behind a start, and returns the messages that it ends with. */
async function run(node: FlowNode, start: FlowNode = injectNode("start", [node.id], { was: 1 }), count = 1) {
  await nodeRed.deploy(testFlow(connectionConfig(service.urls), start, node));
  await nodeRed.inject("start");
  return (await nodeRed.nextDebugValues("end", count)) as Message[];
}

const respondWithTrade: Handler = (_url, response) => json(response, 200, { trade_id: "T1" });

describe("tokens", () => {
  const renewing = () =>
    connectionConfig(
      { baseUrl: rotating.addresses.baseUrl, xs2aUrl: rotating.addresses.baseUrl },
      {
        authUrl: rotating.addresses.authUrl,
        authClientId: rotating.credentials.authClientId,
        credentials: {
          refreshToken: rotating.credentials.refreshToken,
          authClientSecret: rotating.credentials.authClientSecret,
        },
      },
    );
  const list = (id: string) => operationNode(listTrades, id, ["end"], { pages: "one" });
  const deploy = () =>
    nodeRed.deploy(
      testFlow(renewing(), injectNode("start", ["first", "second"]), list("first"), list("second")),
    );

  test("ask 3: one token for all nodes, not a new one for every message", async () => {
    await deploy();
    await nodeRed.inject("start");
    const messages = (await nodeRed.nextDebugValues("end", 2)) as Message[];

    expect(messages.map(({ statusCode }) => statusCode as number)).toEqual([200, 200]);
    expect(rotating.used).toHaveLength(1);
  });

  test("ask 1: a refreshed credential is kept without a deploy, and over the next one", async () => {
    await deploy();
    await nodeRed.inject("start");
    const messages = (await nodeRed.nextDebugValues("end", 2)) as Message[];

    expect(messages.map(({ statusCode }) => statusCode as number)).toEqual([200, 200]);
    expect(rotating.refusals).toBe(0);
  });

  test("ask 2: a token that is refused is renewed once, with the refresh token that came last", async () => {
    const before = rotating.used.length;
    rotating.revoke();
    await nodeRed.inject("start");
    const messages = (await nodeRed.nextDebugValues("end", 2)) as Message[];

    expect(messages.map(({ statusCode }) => statusCode as number)).toEqual([200, 200]);
    expect(rotating.used).toHaveLength(before + 1);
    expect(rotating.refusals).toBe(0);
  });
});

test("ask 4: no secret is in flows or exports", async () => {
  service.handler = respondWithTrade;
  await run(operationNode(getTrade, "node", ["end"], { fields: trade }));
  const flows = JSON.stringify(await nodeRed.json("/flows"));

  const { credentials } = connectionConfig(service.urls) as unknown as {
    credentials: Record<string, string>;
  };
  for (const secret of Object.values(credentials)) expect(flows).not.toContain(secret);
});

test("ask 5: environment variables in settings, credentials and fields", async () => {
  const heard: [string, string | undefined][] = [];
  service.handler = (url, response, request) => {
    heard.push([url.searchParams.get("client_id")!, request.headers.authorization]);
    json(response, 200, { trade_id: url.pathname.split("/").at(-1) });
  };
  const settings = { clientId: "${ASKED_CLIENT}", credentials: { accessToken: "${ASKED_TOKEN}" } };
  const node = operationNode(getTrade, "node", ["end"], {
    fields: { trade_id: typed("env", "ASKED_CLIENT") },
  });
  await nodeRed.deploy(
    testFlow(connectionConfig(service.urls, settings), injectNode("start", ["node"]), node),
  );
  await nodeRed.inject("start");
  const [msg] = (await nodeRed.nextDebugValues("end")) as Message[];

  expect(heard).toEqual([[env.ASKED_CLIENT, `Bearer ${env.ASKED_TOKEN}`]]);
  expect(msg!.payload).toEqual({ trade_id: env.ASKED_CLIENT });
});

test("ask 6 and 7: an error reaches Catch, and the message that came is kept, payload and all", async () => {
  service.handler = (_url, response) =>
    json(response, 409, { code: "used", message: "Used.", details: "Q1" });
  const [msg] = await run(
    operationNode(bookTrade, "node", ["end"], {
      fields: { quote_id: typed("str", "Q-ask"), reason: typed("str", "other") },
    }),
  );

  expect(msg).toMatchObject({
    payload: { was: 1 },
    error: { code: "conflict", cause: { service: { code: "used", details: "Q1" }, status: 409 } },
  });
});

test("ask 8: all records as one message, also where the service gives them in pages", async () => {
  service.handler = (url, response) => {
    const page = Number(url.searchParams.get("page") ?? 1);
    const all = Array.from({ length: 230 }, (_, index) => ({ trade_id: `T${index}` }));
    json(response, 200, all.slice((page - 1) * 50, page * 50));
  };
  const [msg] = await run(operationNode(listTrades, "node", ["end"]));

  expect(msg!.payload).toHaveLength(230);
});

test("ask 9: a socket that breaks ends one call, and not Node-RED", async () => {
  service.handler = (_url, response) => response.socket!.resetAndDestroy();
  const [msg] = await run(
    operationNode(bookTrade, "node", ["end"], {
      fields: { quote_id: typed("str", "Q-broken"), reason: typed("str", "other") },
    }),
  );

  expect(msg!.error).toMatchObject({ code: "outcome_unknown" });
  expect(nodeRed.process.exitCode).toBeNull();
});

test("ask 10: no call hangs: time limits of the connection, the node and the message", async () => {
  service.handler = () => undefined;
  const node = operationNode(getTrade, "node", ["end"], { fields: trade });
  const limits: [FlowNode, FlowNode, FlowNode][] = [
    [connectionConfig(service.urls, { timeoutMs: "50" }), injectNode("start", ["node"]), node],
    [connectionConfig(service.urls), injectNode("start", ["node"]), { ...node, timeoutMs: "50" }],
    [connectionConfig(service.urls), injectNode("start", ["node"], {}, { timeoutMs: 50 }), node],
  ];
  for (const nodes of limits) {
    await nodeRed.deploy(testFlow(...nodes));
    await nodeRed.inject("start");
    const [msg] = (await nodeRed.nextDebugValues("end")) as Message[];
    expect(msg!.error).toMatchObject({ code: "timeout" });
  }
});

test("ask 11: a read is tried again after a pause, as long as the service asks for", async () => {
  const at: number[] = [];
  service.handler = (url, response, request) => {
    at.push(performance.now());
    if (at.length > 1) return respondWithTrade(url, response, request);
    return response.writeHead(429, { "retry-after": "1" }).end();
  };
  const [msg] = await run(operationNode(getTrade, "node", ["end"], { fields: trade }));

  expect(msg!.fxdesk).toMatchObject({ attempts: 2 });
  expect(at[1]! - at[0]!).toBeGreaterThan(990);
});

test("ask 12: one refusal holds all nodes of the connection back, without a storm", async () => {
  const at: number[] = [];
  let refused = 0;
  service.handler = (url, response, request) => {
    const now = performance.now();
    at.push(now);
    if (now - at[0]! >= 900) return respondWithTrade(url, response, request);
    refused += 1;
    return response.writeHead(429, { "retry-after": "1" }).end();
  };
  const ids = Array.from({ length: 30 }, (_, index) => `node-${index}`);
  const nodes = ids.map((id) => operationNode(getTrade, id, ["end"], { fields: trade }));
  await nodeRed.deploy(testFlow(connectionConfig(service.urls), injectNode("start", ids), ...nodes));
  await nodeRed.inject("start");
  const messages = (await nodeRed.nextDebugValues("end", 30)) as Message[];

  expect(messages.map(({ statusCode }) => statusCode as number)).toEqual(ids.map(() => 200));
  // What had left before the first refusal came back.
  expect(refused).toBeLessThanOrEqual(10);
});

test("ask 13: a field takes msg, flow, global, JSONata, environment, template and fixed values", async () => {
  const asked: string[] = [];
  service.handler = (url, response) => {
    asked.push(url.pathname.split("/").at(-1)!);
    json(response, 200, {});
  };
  const sources: [string, string][] = [
    ["msg", "payload.id"],
    ["flow", "id"],
    ["global", "id"],
    ["jsonata", "'J' & payload.id"],
    ["env", "ASKED_CLIENT"],
    ["template", "T{{payload.id}}"],
    ["str", "fixed"],
  ];
  const remember: FlowNode = {
    id: "remember",
    type: "function",
    z: tab.id,
    func: "flow.set('id', 'F1'); global.set('id', 'G1'); return msg;",
    outputs: 1,
    wires: [["node"]],
  };
  for (const [type, value] of sources) {
    const node = operationNode(getTrade, "node", ["end"], { fields: { trade_id: typed(type, value) } });
    const start = injectNode("start", ["remember"], { id: "P1" });
    await nodeRed.deploy(testFlow(connectionConfig(service.urls), start, remember, node));
    await nodeRed.inject("start");
    await nodeRed.nextDebugValues("end");
  }

  expect(asked).toEqual(["P1", "F1", "G1", "JP1", env.ASKED_CLIENT, "TP1", "fixed"]);
});

test("ask 15: in a subflow, each instance has a configuration of its own", async () => {
  const asked: string[] = [];
  service.handler = (url, response) => {
    asked.push(url.pathname.split("/").at(-1)!);
    json(response, 200, {});
  };
  const subflow: FlowNode = {
    id: "sub",
    type: "subflow",
    name: "Trade",
    in: [{ x: 0, y: 0, wires: [{ id: "inside" }] }],
    out: [{ x: 0, y: 0, wires: [{ id: "inside", port: 0 }] }],
    env: [{ name: "TRADE", type: "str", value: "" }],
  };
  const inside = {
    ...operationNode(getTrade, "inside", [], { fields: { trade_id: typed("env", "TRADE") } }),
    z: "sub",
  };
  const instance = (id: string, value: string): FlowNode => ({
    id,
    type: "subflow:sub",
    z: tab.id,
    env: [{ name: "TRADE", type: "str", value }],
    wires: [["end"]],
  });
  await nodeRed.deploy(
    testFlow(
      connectionConfig(service.urls),
      subflow,
      inside,
      injectNode("start", ["one", "two"]),
      instance("one", "T-one"),
      instance("two", "T-two"),
    ),
  );
  await nodeRed.inject("start");
  await nodeRed.nextDebugValues("end", 2);

  expect(asked.toSorted()).toEqual(["T-one", "T-two"]);
});

test("ask 16: a template leaves characters as they are", async () => {
  const asked: (string | null)[] = [];
  service.handler = (url, response) => {
    asked.push(url.searchParams.get("parent_trade_id"));
    json(response, 200, []);
  };
  const fields = { parent_trade_id: typed("template", "{{payload.id}}") };
  const node = operationNode(listTrades, "node", ["end"], { pages: "one", fields });
  await run(node, injectNode("start", ["node"], { id: "FI/21=A&B <é>" }));

  expect(asked).toEqual(["FI/21=A&B <é>"]);
});

test("ask 17: a date stays a date, however the flow holds it", async () => {
  const bodies: unknown[] = [];
  service.handler = (_url, response: ServerResponse, request) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      bodies.push((JSON.parse(text) as { date_from: unknown }).date_from);
      response.writeHead(202, { "content-type": "text/plain" }).end("Accepted");
    });
  };
  const node = operationNode(emailMt940Statement, "node", ["end"], {
    fields: { date_from: typed("msg", "payload.day") },
  });
  for (const day of ["2026-03-31", "2026-03-31T23:30:00Z", Date.UTC(2026, 2, 31, 12)])
    await run(node, injectNode("start", ["node"], { day }));

  expect(bodies).toEqual(["2026-03-31", "2026-03-31", "2026-03-31"]);
});

test("ask 18: every admin route needs a permission", async () => {
  const guarded = await NodeRed.start({ settings: { adminAuth: { type: "credentials", users: [] } } });
  const routes: [string, string][] = [
    ["GET", "operations"],
    ["GET", "watches"],
    ["POST", "check"],
    ["POST", "connection/test"],
    ["POST", "connection/login"],
    ["GET", "connection/login/x"],
    ["POST", "connection/list"],
    ["POST", "connection/try"],
  ];
  const statuses: number[] = [];
  for (const [method, path] of routes)
    statuses.push((await guarded.request(`/fxdesk/${path}`, { method })).status);
  await guarded.close();

  expect(statuses).toEqual(routes.map(() => 401));
}, 60_000);
