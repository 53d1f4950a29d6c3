/** Conversion of responses to messages: pages, files, statuses, errors and limits. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Declaration } from "@fxdesk/toolkit/operations";
import { makeAccountDefault } from "../../core/contract/account-details";
import { listOpenBankingTransactions } from "../../core/contract/open-banking";
import { getStatementFile } from "../../core/contract/statements";
import { getTrade, listTrades } from "../../core/contract/trades";
import { tempFolder } from "../support/resources";
import {
  connectionConfig,
  functionNode,
  joinNode,
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

interface RunOptions {
  /** Properties of the node. */
  readonly node?: object;
  /** Nodes after it. */
  readonly next?: readonly FlowNode[];
  /** Properties of the message. */
  readonly message?: Readonly<Record<string, unknown>>;
  /** Number of messages at the end. */
  readonly count?: number;
}

const flowOf = (operation: Declaration, { node = {}, next = [] }: RunOptions = {}): FlowNode[] =>
  testFlow(
    connectionConfig(service.urls),
    operationNode(operation, "node", [next[0]?.id ?? "end"], { ...node }),
    ...next,
  );

const run = (operation: Declaration, options: RunOptions = {}) =>
  nodeRed.run(flowOf(operation, options), options.message ?? { payload: { was: 1 } }, options.count);

const statusText = async (color: string) =>
  (await nodeRed.waitForStatus("node", ({ fill }) => fill === color)).text;

/** Serves 120 trades, or the number in parent_trade_id. */
const trades: ScriptedService["handler"] = (url, response) => {
  const [page, size, count] = [
    ["page", 1],
    ["page_size", 50],
    ["parent_trade_id", 120],
  ].map(([name, value]) => Number(url.searchParams.get(String(name)) ?? value)) as [number, number, number];
  response.setHeader("x-page", String(page));
  const all = Array.from({ length: count }, (_, index) => ({ trade_id: `T${index}` }));
  json(response, 200, all.slice((page - 1) * size, page * size));
};

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `T${index}`);
const idsIn = (entries: Message[]) => entries.map(({ trade_id }) => trade_id as string);

describe("a paged list", () => {
  beforeEach(() => {
    service.handler = trades;
  });

  test("as one message", async () => {
    const [msg] = await run(listTrades, { node: { results: "all" } });

    expect(idsIn(msg.payload)).toEqual(idsOf(120));
    expect(msg.fxdesk).toMatchObject({
      operation: "trades.list",
      pages: 3,
      attempts: 3,
      headers: { "content-type": "application/json", "x-page": "1" },
    });
    expect(msg.fxdesk.violations).toContainEqual(expect.objectContaining({ field: "119.status" }));
    expect(await statusText("green")).toBe("120 entries");
  });

  test("as one message per page, in a sequence", async () => {
    const messages = await run(listTrades, { node: { results: "pages" }, count: 3 });

    expect(messages.map(({ payload }) => payload.length)).toEqual([50, 50, 20]);
    expect(messages.map(({ parts }) => [parts.index, parts.count])).toEqual([
      [0, undefined],
      [1, undefined],
      [2, 3],
    ]);
    expect(new Set(messages.map(({ parts }) => parts.id)).size).toBe(1);
  });

  test("as one message per entry", async () => {
    const messages = await run(listTrades, {
      node: { results: "each" },
      message: { payload: {}, topic: "kept" },
      count: 120,
    });

    expect(idsIn(messages.map(({ payload }) => payload))).toEqual(idsOf(120));
    expect(messages.map(({ parts }) => parts.index)).toEqual(messages.map((_, index) => index));
    expect(messages.map(({ parts }) => parts.count)).toEqual([...Array.from({ length: 119 }), 120]);
    expect(new Set(messages.map(({ parts }) => parts.id)).size).toBe(1);
    expect(messages.every(({ topic }) => topic === "kept")).toBe(true);
    expect(messages[119]!.fxdesk).toMatchObject({ pages: 3 });
  });

  test("as CSV with one header over all pages, whose columns do not depend on the entries", async () => {
    const csvOf = async (count: string) => {
      const fields = { parent_trade_id: typed("str", count) };
      return String((await run(listTrades, { node: { results: "csv", fields } }))[0]!.payload).split("\r\n");
    };
    const [header, ...rows] = await csvOf("120");

    expect(header!.split(",")).toEqual(expect.arrayContaining(["trade_id", "sell_amount", "status"]));
    expect(rows.slice(0, -1).map((row) => row.split(",")[header!.split(",").indexOf("trade_id")])).toEqual(
      idsOf(120),
    );
    expect(await csvOf("0")).toEqual([header, ""]);
  });

  test("without entries is one empty page, and no message per entry", async () => {
    service.handler = (_url, response) => json(response, 200, []);
    expect((await run(listTrades, { node: { results: "pages" } }))[0]).toMatchObject({
      payload: [],
      parts: { index: 0, count: 1 },
    });

    await nodeRed.deploy(flowOf(listTrades, { node: { results: "each" } }));
    await nodeRed.inject("start");
    expect(await statusText("green")).toBe("0 entries");
  });

  test("of several messages is joined separately, also an empty one between them", async () => {
    const counts = [3, 0, 1, 25];
    const split = {
      id: "split",
      type: "split",
      z: tab.id,
      arraySplt: 1,
      arraySpltType: "len",
      wires: [["node"]],
    };
    const fields = { parent_trade_id: typed("msg", "payload"), page_size: typed("num", "2") };
    const flows = testFlow(
      connectionConfig(service.urls),
      split,
      operationNode(listTrades, "node", ["join"], { results: "pages", fields }),
      { ...joinNode, wires: [["outer"]] },
      { ...joinNode, id: "outer" },
    );
    const [msg] = await nodeRed.run(flows, { payload: counts });

    expect(msg.payload.map(idsIn)).toEqual(counts.map(idsOf));
  });

  test("names an unknown form of the result and sends nothing", async () => {
    const handler = jest.fn<void, Parameters<ScriptedService["handler"]>>();
    service.handler = handler;
    const [msg] = await run(listTrades, { node: { results: "entries" } });

    expect(msg.error).toMatchObject({ code: "invalid_input", cause: { violations: [{ field: "results" }] } });
    expect(handler).not.toHaveBeenCalled();
  });
});

/** Five transactions, two on a page, under links that only the service understands. */
const report: ScriptedService["handler"] = (url, response) => {
  const key = Number(url.searchParams.get("key") ?? 1);
  const booked = [2 * key - 1, 2 * key]
    .filter((number) => number <= 5)
    .map((number) => ({
      transactionId: `T${number}`,
      transactionAmount: { currency: "EUR", amount: "1.00" },
    }));
  const next = key < 3 && { next: { href: `${url.pathname}?key=${key + 1}` } };
  json(response, 200, { transactions: { booked, _links: { account: { href: "/" }, ...next } } });
};

test.each([
  ["all", ["T1 T2 T3 T4 T5"], "5 entries"],
  ["one", ["T1 T2"], "2 entries, more to read"],
  ["pages", ["T1 T2", "T3 T4", "T5"], "5 entries"],
])("linked pages as %s", async (results, expected, status) => {
  service.handler = report;
  const fields = {
    "Consent-ID": typed("str", "C1"),
    "account-id": typed("str", "A1"),
    bookingStatus: typed("str", "booked"),
    dateFrom: typed("str", "2026-01-01"),
  };
  const messages = await run(listOpenBankingTransactions, {
    node: { results, fields },
    count: expected.length,
  });

  const booked = messages.map(({ payload }) => payload.transactions.booked as Message[]);
  expect(booked.map((all) => all.map(({ transactionId }) => transactionId).join(" "))).toEqual(expected);
  expect(messages.at(-1)!.fxdesk).toMatchObject({ violations: [], more: results === "one" });
  expect(await statusText("green")).toBe(status);
});

describe("a file", () => {
  const id = typed("str", "0b7d6a52-2f8a-4c4f-9d0e-5f2b8f1f7c11");
  const fields = { account_id: id, statement_id: id };
  const fetchFile = (saveTo?: object) =>
    run(getStatementFile, { node: { fields, saveTo }, message: { payload: "may" } });

  beforeEach(() => {
    const headers = { "content-type": "text/csv", "content-disposition": 'attachment; filename="may.csv"' };
    service.handler = (_url, response) => response.writeHead(200, headers).end("date,amount\n");
  });

  test("comes as bytes, with its name and type", async () => {
    const [msg] = await fetchFile();

    expect(Buffer.from(msg.payload.data ?? msg.payload).toString()).toBe("date,amount\n");
    expect(msg).toMatchObject({ statusCode: 200, filename: "may.csv", contentType: "text/csv" });
  });

  test("is saved to a path instead, in a new folder", async () => {
    const folder = await tempFolder();
    const [msg] = await fetchFile(typed("template", `${folder}/2026/{{payload}}.csv`));
    const path = join(folder, "2026/may.csv");

    expect(msg).toMatchObject({ payload: path, filename: path });
    expect(await readFile(path, "utf8")).toBe("date,amount\n");
  });

  test("reports a file in place of a folder", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "blocked"), "");
    const [msg] = await fetchFile(typed("str", join(folder, "blocked/may.csv")));

    expect(msg.error).toMatchObject({ code: "file" });
  });

  test("that is not ready is shown in the status", async () => {
    service.handler = (_url, response) => json(response, 202, { status: "Pending" });
    const [msg] = await fetchFile();

    expect(msg).toMatchObject({ statusCode: 202, payload: { status: "Pending" } });
    expect(await statusText("green")).toBe("accepted");
  });
});

test("a response without a body keeps the payload", async () => {
  service.handler = (_url, response) => response.writeHead(204).end();
  const fields = { account_details_id: typed("str", "0b7d6a52-2f8a-4c4f-9d0e-5f2b8f1f7c11") };
  const [msg] = await run(makeAccountDefault, { node: { fields } });

  expect(msg).toMatchObject({ payload: { was: 1 }, statusCode: 204, fxdesk: { violations: [] } });
  expect(await statusText("green")).toBe("done");
});

const trade = { trade_id: typed("str", "T1") };
const respondWithTrade: ScriptedService["handler"] = (_url, response) =>
  json(response, 200, { trade_id: "T1" });

test("the result goes to the chosen property, or to the payload if the message has no such path", async () => {
  service.handler = respondWithTrade;
  const node = { fields: trade, resultTo: "trade.now" };
  const [msg] = await run(getTrade, { node });
  expect(msg).toMatchObject({ payload: { was: 1 }, trade: { now: { trade_id: "T1" } }, statusCode: 200 });

  const [other] = await run(getTrade, { node, message: { payload: {}, trade: "text" } });
  expect(other).toMatchObject({ payload: { trade_id: "T1" }, trade: "text" });
  await nodeRed.waitForLog("cannot be set because part of it is not an object", 1);
});

test("an error keeps the message and carries all errors of the service", async () => {
  const tppMessages = [
    { category: "ERROR", code: "PERIOD_INVALID", path: "dateFrom", text: "Too long ago." },
    { category: "ERROR", code: "FORMAT_ERROR", path: "bookingStatus", text: "Not here." },
  ];
  service.handler = (_url, response) => json(response, 400, { tppMessages });
  const fields = {
    "account-id": typed("str", "A1"),
    "Consent-ID": typed("str", "C1"),
    bookingStatus: typed("str", "both"),
    dateFrom: typed("str", "2026-01-01"),
  };
  const [msg] = await run(listOpenBankingTransactions, { node: { results: "one", fields } });

  expect(msg).toMatchObject({
    payload: { was: 1 },
    error: {
      cause: {
        violations: [
          { field: "dateFrom", message: "Too long ago." },
          { field: "bookingStatus", message: "Not here." },
        ],
        service: { code: "PERIOD_INVALID", field: "dateFrom", others: [{ code: "FORMAT_ERROR" }] },
      },
    },
  });
});

test("an error goes to the second output if enabled", async () => {
  service.handler = (_url, response) => json(response, 404, {});
  const node = operationNode(getTrade, "node", [], { fields: trade, outputs: 2 });
  const flows = testFlow(connectionConfig(service.urls), { ...node, wires: [[], ["end"]] });
  const [msg] = await nodeRed.run(flows, { payload: { was: 1 } });

  expect(msg).toMatchObject({
    payload: { was: 1 },
    error: { code: "not_found", source: { id: "node", type: "fxdesk-get-trade" }, cause: { status: 404 } },
  });
});

test("an error that no node catches reads well in the debug sidebar", async () => {
  service.handler = (_url, response) => json(response, 404, {});
  const flow = flowOf(getTrade, { node: { fields: trade } }).filter(({ type }) => type !== "catch");
  await nodeRed.deploy(flow);
  await nodeRed.inject("start");

  const [shown] = await nodeRed.nextDebugValues("node");
  expect(shown).toMatchObject({ data: { code: "not_found", cause: "trades.get, rejected, status 404" } });
});

test("messages keep their order if the node says so, however long their calls take", async () => {
  service.handler = ({ pathname }, response) => {
    const id = pathname.split("/").at(-1)!;
    setTimeout(() => json(response, 200, { trade_id: id }), 30 * (4 - Number(id.slice(1))));
  };
  const idsReceived = async (inOrder: boolean) => {
    const split = functionNode("return [[0, 1, 2, 3].map((n) => ({ id: `T${n}` }))];", "node");
    const node = operationNode(getTrade, "node", ["end"], {
      fields: { trade_id: typed("msg", "id") },
      inOrder,
    });
    const flow = testFlow(connectionConfig(service.urls), split, node);
    const messages = await nodeRed.run(flow, {}, 4);
    return messages.map(({ payload }) => (payload as { trade_id: string }).trade_id);
  };

  expect(await idsReceived(false)).not.toEqual(idsOf(4));
  expect(await idsReceived(true)).toEqual(idsOf(4));
});

describe("the time limit", () => {
  test.each([
    ["connection", { timeoutMs: "50" }, {}, {}],
    ["node", {}, { timeoutMs: "50" }, {}],
    ["message", {}, { timeoutMs: "10000000" }, { timeoutMs: 50 }],
  ])("of the %s", async (_whose, connection, node, message) => {
    service.handler = () => undefined;
    const flows = testFlow(
      connectionConfig(service.urls, connection),
      operationNode(getTrade, "node", ["end"], { fields: trade, ...node }),
    );
    const [msg] = await nodeRed.run(flows, { payload: {}, ...message });

    expect(msg.error).toMatchObject({ code: "timeout", cause: { retryable: true } });
  });

  test("names an invalid value", async () => {
    const [msg] = await run(getTrade, { node: { fields: trade }, message: { timeoutMs: "soon" } });

    expect(msg.error).toMatchObject({
      code: "invalid_input",
      cause: { violations: [{ field: "msg.timeoutMs" }] },
    });
    expect(msg.error.message).toContain('"soon"');
  });
});

test("in a subflow, each instance has its own environment", async () => {
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
  const fields = { trade_id: typed("env", "TRADE") };
  const inside = { ...operationNode(getTrade, "inside", [], { fields }), z: "sub" };
  const instance = (id: string, value: string, next: string): FlowNode => ({
    id,
    type: "subflow:sub",
    z: tab.id,
    env: [{ name: "TRADE", type: "str", value }],
    wires: [[next]],
  });
  const flows = testFlow(
    connectionConfig(service.urls),
    instance("one", "T-one", "two"),
    instance("two", "T-two", "end"),
    subflow,
    inside,
  );
  await nodeRed.run(flows);

  expect(asked).toEqual(["T-one", "T-two"]);
});
