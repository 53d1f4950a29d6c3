/** Control of a node by its messages, delivery of results, and deploys. */
import type { ServerResponse } from "node:http";
import { bookTrade, getTrade, listTrades } from "../../core/contract/trades";
import { eventually } from "../support/eventually";
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
let nodeRed: NodeRed;

beforeAll(async () => {
  service = await ScriptedService.start();
  nodeRed = await NodeRed.start();
}, 60_000);

afterAll(async () => {
  await nodeRed.close();
  service.close();
});

type Message = Record<string, any>;

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

const neverRespond: ScriptedService["handler"] = () => undefined;
const respondWithTrade: ScriptedService["handler"] = (_url, response) =>
  json(response, 200, { trade_id: "T1" });

describe("the result", () => {
  test("goes to the chosen property and keeps the payload", async () => {
    service.handler = respondWithTrade;
    await nodeRed.deploy(
      flow(operationNode(getTrade, "node", ["end"], { fields: trade, resultTo: "trade.now" }), start()),
    );
    await nodeRed.inject("start");

    const [msg] = await shown("end");

    expect(msg).toMatchObject({ payload: { was: 1 }, trade: { now: { trade_id: "T1" } }, statusCode: 200 });
  });

  test("is not lost if the message has no such path", async () => {
    service.handler = respondWithTrade;
    const node = operationNode(getTrade, "node", ["end"], { fields: trade, resultTo: "topic.now" });
    await nodeRed.deploy(flow(node, start({ topic: "text" })));
    await nodeRed.inject("start");

    const [msg] = await shown("end");

    expect(msg).toMatchObject({ payload: { trade_id: "T1" }, topic: "text" });
    await nodeRed.waitForLog("cannot be set because part of it is not an object", 1);
  });

  test("has the same details in every mode", async () => {
    service.handler = (url, response) =>
      json(response, 200, url.searchParams.get("page") === "2" ? [] : [{ trade_id: "T1" }]);
    const keys: string[][] = [];
    for (const pages of ["one", "all", "each", "items"]) {
      await nodeRed.deploy(flow(operationNode(listTrades, "node", ["end"], { pages }), start()));
      await nodeRed.inject("start");
      const [msg] = await shown("end");
      expect(msg!.fxdesk).toMatchObject({ operation: "trades.list", status: 200, attempts: 1, pages: 1 });
      keys.push(Object.keys(msg!.fxdesk as object).filter((key) => key !== "more"));
    }
    expect(keys).toEqual(keys.map(() => keys[0]));
  });
});

test("sends errors to the second output if enabled", async () => {
  service.handler = (_url, response) => json(response, 404, {});
  const node = {
    ...operationNode(getTrade, "node", [], { fields: trade, outputs: 2 }),
    wires: [[], ["end"]],
  };
  await nodeRed.deploy(flow(node, start()));
  await nodeRed.inject("start");

  const [msg] = await shown("end");

  expect(msg).toMatchObject({
    payload: { was: 1 },
    error: { code: "not_found", source: { id: "node", type: "fxdesk-get-trade" }, cause: { status: 404 } },
  });
});

describe("msg.timeoutMs", () => {
  test("is the time limit of the call", async () => {
    service.handler = neverRespond;
    const node = operationNode(getTrade, "node", ["end"], { fields: trade, timeoutMs: "10000000" });
    await nodeRed.deploy(flow(node, start({ timeoutMs: 50 })));
    await nodeRed.inject("start");

    const [msg] = await shown("failed");

    expect(msg!.error).toMatchObject({ code: "timeout" });
  });

  test("names an invalid value", async () => {
    service.handler = respondWithTrade;
    await nodeRed.deploy(
      flow(operationNode(getTrade, "node", ["end"], { fields: trade }), start({ timeoutMs: "soon" })),
    );
    await nodeRed.inject("start");

    const [msg] = await shown("failed");

    expect(msg!.error).toMatchObject({
      code: "invalid_input",
      cause: { violations: [{ field: "msg.timeoutMs" }] },
    });
  });
});

describe("msg.cancel", () => {
  const cancel = (value: unknown) => injectNode("stop", ["node"], {}, { cancel: value });
  const keyed = start({ fxdesk: { key: "K1" } });

  test("cancels only reads with that key", async () => {
    const waiting: ServerResponse[] = [];
    service.handler = (_url, response) => void waiting.push(response);
    const node = operationNode(getTrade, "node", ["end"], { fields: trade });
    await nodeRed.deploy(flow(node, keyed, start({}, "other"), cancel("K1")));
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

  test("does not cancel calls that commit money, and books nothing", async () => {
    let booked = 0;
    service.handler = (_url, response) => json(response, 201, { trade_id: `T${(booked += 1)}` });
    await nodeRed.deploy(flow(operationNode(bookTrade, "node", ["end"], { fields: booking }), cancel("K1")));
    await nodeRed.inject("stop");

    const [msg] = await shown("failed");

    expect(msg!.error).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("cancels only reads") as string,
    });
    expect(booked).toBe(0);
  });

  test("refuses an invalid value", async () => {
    await nodeRed.deploy(flow(operationNode(getTrade, "node", ["end"], { fields: trade }), cancel({})));
    await nodeRed.inject("stop");

    const [msg] = await shown("failed");

    expect(msg!.error).toMatchObject({ cause: { violations: [{ field: "msg.cancel" }] } });
  });
});

/** 120 trades, of which only the ids count; hears of each page. */
const pagedTrades =
  (onPage: (page: number) => void = () => undefined): ScriptedService["handler"] =>
  (url, response) => {
    const page = Number(url.searchParams.get("page") ?? 1);
    onPage(page);
    const all = Array.from({ length: 120 }, (_, index) => ({ trade_id: `T${index}` }));
    json(response, 200, all.slice((page - 1) * 50, page * 50));
  };

describe("one message per entry of all pages", () => {
  test("forms a sequence with a known end", async () => {
    service.handler = pagedTrades();
    await nodeRed.deploy(
      flow(operationNode(listTrades, "node", ["end"], { pages: "items" }), start({ topic: "kept" })),
    );
    await nodeRed.inject("start");

    const messages = await shown("end", 120);

    expect(messages.map(({ payload }) => payload.trade_id)).toEqual(
      Array.from({ length: 120 }, (_, index) => `T${index}`),
    );
    expect(messages.map(({ parts }) => parts.index)).toEqual(
      Array.from({ length: 120 }, (_, index) => index),
    );
    expect(messages.map(({ parts }) => parts.count)).toEqual([...Array.from({ length: 119 }), 120]);
    expect(new Set(messages.map(({ topic }) => topic as unknown))).toEqual(new Set(["kept"]));
    expect(messages[119]!.fxdesk).toMatchObject({ pages: 3 });
  });

  test("sends nothing for an empty list and shows it in the status", async () => {
    service.handler = (_url, response) => json(response, 200, []);
    await nodeRed.deploy(flow(operationNode(listTrades, "node", ["end"], { pages: "items" }), start()));
    await nodeRed.inject("start");

    expect(await nodeRed.waitForStatus("node", ({ fill }) => fill === "green")).toMatchObject({
      text: "0 entries",
    });
  });

  test("is completed before the next page is read", async () => {
    const heard: number[] = [];
    service.handler = pagedTrades(() => heard.push(performance.now()));
    const paced: FlowNode = {
      id: "paced",
      type: "delay",
      z: tab.id,
      pauseType: "delay",
      timeout: "700",
      timeoutUnits: "milliseconds",
      wires: [["end"]],
    };
    await nodeRed.deploy([
      ...flow(operationNode(listTrades, "node", ["paced"], { pages: "items" }), start()),
      paced,
    ]);
    await nodeRed.inject("start");
    await shown("end", 120);

    const [first, second, third] = heard as [number, number, number];
    expect(heard).toHaveLength(3);
    expect(Math.min(second - first, third - second)).toBeGreaterThan(690);
  });

  test("is combined by a Join node, which completes nothing before the last message", async () => {
    service.handler = pagedTrades();
    const join: FlowNode = {
      id: "join",
      type: "join",
      z: tab.id,
      mode: "auto",
      build: "array",
      wires: [["end"]],
    };
    await nodeRed.deploy([
      ...flow(operationNode(listTrades, "node", ["join"], { pages: "items" }), start()),
      join,
    ]);
    await nodeRed.inject("start");

    const [msg] = await shown("end");

    expect(msg!.payload).toHaveLength(120);
  });

  test("stops within a second of a deploy with an error", async () => {
    let pages = 0;
    service.handler = (url, response) => {
      pages += 1;
      const page = url.searchParams.get("page") ?? "1";
      json(
        response,
        200,
        Array.from({ length: 50 }, (_, index) => ({ trade_id: `T${page}-${index}` })),
      );
    };
    const node = (name: string) => operationNode(listTrades, "node", [], { pages: "items", name });
    await nodeRed.deploy(flow(node("before"), start()));
    await nodeRed.inject("start");
    await eventually(() => pages > 5, { withinMs: 25_000, what: "five pages" });

    await nodeRed.deploy(flow(node("after"), start()));
    const read = pages;
    const [msg] = await shown("failed");

    // Between two pages the connection may be the first to close.
    expect(["aborted", "no_connection"]).toContain((msg!.error as { code?: string }).code);
    expect(pages).toBeLessThanOrEqual(read + 1);
  });
});

describe.each(["full", "flows", "nodes"] as const)("a deploy of %s", (kind) => {
  const quoted = { ...booking, quote_id: typed("str", `Q-${kind}`) };
  const deployed = async (name: string, operation = bookTrade, fields: object = quoted) =>
    nodeRed.deploy(
      flow(operationNode(operation, "node", ["end"], { name, fields }), start({ deployed: name })),
      kind,
    );

  test("lets a booking finish and delivers its outcome once through the new node", async () => {
    let response: ServerResponse | undefined;
    service.handler = (_url, each) => (response = each);
    await deployed(`before ${kind}`);
    await nodeRed.inject("start");
    await eventually(() => response, { withinMs: 25_000, what: "a booking" });
    await deployed(`after ${kind}`);
    json(response!, 201, { trade_id: `T-${kind}` });

    const [msg] = await shown("end");

    expect(msg).toMatchObject({ payload: { trade_id: `T-${kind}` }, deployed: `before ${kind}` });
    await nodeRed.waitForLog(`trade_id T-${kind}`, 1);
    expect(nodeRed.countInLog(`trade_id T-${kind}`)).toBe(1);
  });

  test("cancels a read and reports it once to the Catch node of the new flow", async () => {
    let calls = 0;
    service.handler = () => void (calls += 1);
    await deployed(`reading ${kind}`, getTrade as never, trade);
    await nodeRed.inject("start");
    await eventually(() => calls === 1, { withinMs: 25_000, what: "a read" });
    await deployed(`read ${kind}`, getTrade as never, trade);

    const [msg] = await shown("failed");

    expect(msg).toMatchObject({ error: { code: "aborted" }, deployed: `reading ${kind}` });
  });
});
