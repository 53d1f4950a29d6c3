/** Conversion of responses to messages: pages, files, statuses, and calls in progress at close. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Declaration } from "@fxdesk/toolkit/operations";
import { makeAccountDefault } from "../../core/contract/account-details";
import { listOpenBankingTransactions } from "../../core/contract/open-banking";
import { getStatementFile } from "../../core/contract/statements";
import { getTrade, listTrades } from "../../core/contract/trades";
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
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "files-"));
  service = await ScriptedService.start();
  nodeRed = await NodeRed.start();
}, 60_000);

afterAll(async () => {
  await nodeRed.close();
  service.close();
  await rm(folder, { recursive: true });
});

type Message = Record<string, any>;

/** Deploys start → node → more → end. */
const deploy = (
  operation: Declaration,
  properties: Readonly<Record<string, unknown>>,
  ...more: readonly FlowNode[]
) =>
  nodeRed.deploy([
    tab,
    connectionConfig(service.urls),
    injectNode("start", ["node"]),
    operationNode(operation, "node", [more[0]?.id ?? "end"], properties),
    ...more,
    debugNode("end"),
    catchNode("caught", ["end"]),
  ]);

const shown = async (count?: number) => (await nodeRed.nextDebugValues("end", count)) as Message[];

/** 120 trades, of which only the ids count. */
const trades: ScriptedService["handler"] = (url, response) => {
  const page = Number(url.searchParams.get("page") ?? 1);
  const size = Number(url.searchParams.get("page_size") ?? 50);
  const all = Array.from({ length: 120 }, (_, index) => ({ trade_id: `T${index}` }));
  response.setHeader("x-page", String(page));
  json(response, 200, all.slice((page - 1) * size, page * size));
};

test("one page", async () => {
  service.handler = trades;
  await deploy(listTrades, { pages: "one", fields: { page: typed("num", "3") } });
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg!.payload).toHaveLength(20);
  expect(msg!.statusCode).toBe(200);
});

test("all pages as one message", async () => {
  service.handler = trades;
  await deploy(listTrades, { pages: "all" });
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg!.payload).toHaveLength(120);
  expect(msg!.fxdesk).toMatchObject({
    operation: "trades.list",
    pages: 3,
    attempts: 3,
    headers: { "content-type": "application/json", "x-page": "1" },
  });
  expect(msg!.fxdesk.violations).toContainEqual(expect.objectContaining({ field: "119.status" }));
  expect(await nodeRed.waitForStatus("node", ({ fill }) => fill === "green")).toMatchObject({
    text: "120 entries",
  });
});

test("one message per page, in a sequence", async () => {
  service.handler = trades;
  await deploy(listTrades, { pages: "each" });
  await nodeRed.inject("start");

  const messages = await shown(3);

  expect(messages.map(({ payload }) => payload.length)).toEqual([50, 50, 20]);
  expect(messages.map(({ parts }) => [parts.index, parts.count])).toEqual([
    [0, undefined],
    [1, undefined],
    [2, 3],
  ]);
  expect(new Set(messages.map(({ parts }) => parts.id)).size).toBe(1);
});

test("an empty list is one empty page", async () => {
  service.handler = (_url, response) => json(response, 200, []);
  await deploy(listTrades, { pages: "each" });
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg).toMatchObject({ payload: [], parts: { index: 0, count: 1 } });
});

test("a Join node combines the pages", async () => {
  service.handler = trades;
  await deploy(
    listTrades,
    { pages: "each" },
    { id: "join", type: "join", z: tab.id, mode: "auto", build: "array", wires: [["end"]] },
  );
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg!.payload.map(({ trade_id }: Message) => trade_id)).toEqual(
    Array.from({ length: 120 }, (_, index) => `T${index}`),
  );
});

const joinNode: FlowNode = {
  id: "join",
  type: "join",
  z: tab.id,
  mode: "auto",
  build: "array",
  wires: [["end"]],
};

/** Serves the requested number of trades, in pages. */
const someTrades: ScriptedService["handler"] = (url, response) => {
  const [count = 0, page = 1, size = 50] = ["parent_trade_id", "page", "page_size"].map((name) =>
    url.searchParams.has(name) ? Number(url.searchParams.get(name)) : undefined,
  );
  const all = Array.from({ length: count }, (_, index) => ({ trade_id: `T${count}-${index}` }));
  json(response, 200, all.slice((page - 1) * size, page * size));
};

const tradesOf = (count: number) => Array.from({ length: count }, (_, index) => `T${count}-${index}`);

const idsIn = (payload: Message[]) => payload.map(({ trade_id }) => trade_id);

test.each([0, 1, 2, 10, 25].flatMap((count) => [1, 10].map((size) => [count, size] as const)))(
  "a Join node makes one list of %i entries in pages of %i",
  async (count, size) => {
    service.handler = someTrades;
    const fields = { parent_trade_id: typed("num", String(count)), page_size: typed("num", String(size)) };
    await deploy(listTrades, { pages: "each", fields }, joinNode);
    await nodeRed.inject("start");

    const [msg] = await shown();

    expect(msg!.payload).toHaveLength(count);
    expect(idsIn(msg!.payload)).toEqual(tradesOf(count));
    expect(msg!.parts).toBeUndefined();
  },
);

test("lists of several messages are joined separately, also an empty one between them", async () => {
  service.handler = someTrades;
  const counts = [3, 0, 1, 25];
  await nodeRed.deploy([
    tab,
    connectionConfig(service.urls),
    injectNode("start", ["split"], counts),
    { id: "split", type: "split", z: tab.id, arraySplt: 1, arraySpltType: "len", wires: [["node"]] },
    operationNode(listTrades, "node", ["join"], {
      pages: "each",
      fields: { parent_trade_id: typed("msg", "payload"), page_size: typed("num", "2") },
    }),
    { ...joinNode, wires: [["outer"]] },
    { ...joinNode, id: "outer" },
    debugNode("end"),
    catchNode("caught", ["end"]),
  ]);
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg!.error).toBeUndefined();
  expect(msg!.payload.map(idsIn)).toEqual(counts.map(tradesOf));
});

test("names an unknown page mode and sends nothing", async () => {
  let calls = 0;
  service.handler = (_url, response) => json(response, 200, [void (calls += 1)]);
  await deploy(listTrades, { pages: "entries" });
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg!.error).toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining('pages must be one of one, all, each, items, not "entries"') as string,
  });
  expect(calls).toBe(0);
});

const transaction = (number: number) => ({
  transactionId: `T${number}`,
  transactionAmount: { currency: "EUR", amount: "1.00" },
});

/** Five transactions, two on a page, under links that only the service understands. */
const report: ScriptedService["handler"] = (url, response) => {
  const key = Number(url.searchParams.get("key") ?? 1);
  const booked = [2 * key - 1, 2 * key].filter((number) => number <= 5).map(transaction);
  const next = key < 3 && { next: { href: `${url.pathname}?key=${key + 1}` } };
  json(response, 200, { transactions: { booked, _links: { account: { href: "/" }, ...next } } });
};

const deployReport = (pages: string) =>
  deploy(listOpenBankingTransactions, {
    pages,
    fields: {
      "Consent-ID": typed("str", "C1"),
      "account-id": typed("str", "A1"),
      bookingStatus: typed("str", "booked"),
      dateFrom: typed("str", "2026-01-01"),
    },
  });

const bookedIn = ({ payload }: Message) =>
  payload.transactions.booked.map(({ transactionId }: Message) => transactionId);

test("pages that link to each other are followed to the end", async () => {
  service.handler = report;
  await deployReport("all");
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(bookedIn(msg!)).toEqual(["T1", "T2", "T3", "T4", "T5"]);
  expect(msg!.payload.transactions._links).toEqual({ account: { href: "/" } });
  expect(msg!.fxdesk).toMatchObject({ pages: 3, attempts: 3, violations: [] });
  expect(await nodeRed.waitForStatus("node", ({ fill }) => fill === "green")).toMatchObject({
    text: "5 entries",
  });
});

test("one page reports that more follow", async () => {
  service.handler = report;
  await deployReport("one");
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(bookedIn(msg!)).toEqual(["T1", "T2"]);
  expect(msg!.fxdesk).toMatchObject({ more: true });
  expect(await nodeRed.waitForStatus("node", ({ fill }) => fill === "green")).toMatchObject({
    text: "2 entries, more to read",
  });
});

test("one message per linked page", async () => {
  service.handler = report;
  await deployReport("each");
  await nodeRed.inject("start");

  const messages = await shown(3);

  expect(messages.map(bookedIn)).toEqual([["T1", "T2"], ["T3", "T4"], ["T5"]]);
  expect(messages.map(({ parts }) => parts.count)).toEqual([undefined, undefined, 3]);
});

const id = "0b7d6a52-2f8a-4c4f-9d0e-5f2b8f1f7c11";
const statement = { account_id: typed("str", id), statement_id: typed("str", id) };

const file: ScriptedService["handler"] = (_url, response) =>
  response
    .writeHead(200, { "content-type": "text/csv", "content-disposition": 'attachment; filename="may.csv"' })
    .end("date,amount\n");

test("a file comes as bytes, with its name and type", async () => {
  service.handler = file;
  await deploy(getStatementFile, { fields: statement });
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(Buffer.from(msg!.payload.data ?? msg!.payload).toString()).toBe("date,amount\n");
  expect(msg).toMatchObject({ statusCode: 200, filename: "may.csv", contentType: "text/csv" });
});

test("a file may go to a path instead", async () => {
  service.handler = file;
  await deploy(getStatementFile, {
    fields: statement,
    saveTo: typed("template", `${folder}/{{payload}}.csv`),
  });
  await nodeRed.inject("start");
  await shown();
  const path = join(folder, "statement.csv");
  await deploy(getStatementFile, { fields: statement, saveTo: typed("str", path) });
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg).toMatchObject({ payload: path, filename: path });
  expect(await readFile(path, "utf8")).toBe("date,amount\n");
});

test("creates missing folders for a file", async () => {
  service.handler = file;
  const path = join(folder, "2026/05/statement.csv");
  await deploy(getStatementFile, { fields: statement, saveTo: typed("str", path) });
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg).toMatchObject({ payload: path });
  expect(await readFile(path, "utf8")).toBe("date,amount\n");
});

test("reports a file in place of a folder", async () => {
  service.handler = file;
  const blocked = join(folder, "blocked");
  await writeFile(blocked, "");
  await deploy(getStatementFile, { fields: statement, saveTo: typed("str", join(blocked, "may.csv")) });
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg!.error).toMatchObject({ code: "file", message: expect.stringContaining("written") as string });
});

test("a response without a body keeps the payload", async () => {
  service.handler = (_url, response) => response.writeHead(204).end();
  await deploy(makeAccountDefault, { fields: { account_details_id: typed("str", id) } });
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg!.payload).toEqual({});
  expect(msg).toMatchObject({ statusCode: 204, fxdesk: { violations: [] } });
  expect(await nodeRed.waitForStatus("node", ({ fill }) => fill === "green")).toMatchObject({ text: "done" });
});

test("all errors of the service reach a Catch node", async () => {
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
  await deploy(listOpenBankingTransactions, { pages: "one", fields });
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg!.error).toMatchObject({
    message: expect.stringContaining("Too long ago. [PERIOD_INVALID] bookingStatus: Not here.") as string,
    cause: {
      violations: [
        { field: "dateFrom", message: "Too long ago." },
        { field: "bookingStatus", message: "Not here." },
      ],
      service: { code: "PERIOD_INVALID", field: "dateFrom", others: [{ code: "FORMAT_ERROR" }] },
    },
  });
});

test("the status shows that a file is not ready", async () => {
  service.handler = (_url, response) => json(response, 202, { status: "Pending" });
  await deploy(getStatementFile, { fields: statement });
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg).toMatchObject({ statusCode: 202, payload: { status: "Pending" } });
  expect(await nodeRed.waitForStatus("node", ({ fill }) => fill === "green")).toMatchObject({
    text: "accepted",
  });
});

test("the status counts the calls in progress", async () => {
  const waiting: ServerResponse[] = [];
  service.handler = (_url, response) => void waiting.push(response);
  await deploy(getTrade, { fields: { trade_id: typed("str", "T1") } });
  await nodeRed.inject("start");
  await nodeRed.inject("start");

  await nodeRed.waitForStatus("node", ({ text }) => text === "2 in progress");
  for (const response of waiting) json(response, 404, {});

  expect(await nodeRed.waitForStatus("node", ({ fill }) => fill === "red")).toEqual({
    fill: "red",
    shape: "ring",
    text: "not found (404)",
  });
});

test("the time limit of a node", async () => {
  service.handler = () => undefined;
  await deploy(getTrade, { fields: { trade_id: typed("str", "T1") }, timeoutMs: "50" });
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg!.error).toMatchObject({ code: "timeout", cause: { retryable: true } });
});

test("an invalid time limit is quoted in the error", async () => {
  await nodeRed.deploy([
    tab,
    connectionConfig(service.urls),
    injectNode("start", ["node"], {}, { timeoutMs: "soon" }),
    operationNode(getTrade, "node", ["end"], { fields: { trade_id: typed("str", "T1") } }),
    debugNode("end"),
    catchNode("caught", ["end"]),
  ]);
  await nodeRed.inject("start");

  const [msg] = await shown();

  expect(msg!.error.message).toMatch(/msg\.timeoutMs must be a whole number from 1 to \d+, not "soon"/);
});

test("closing ends a read", async () => {
  let isClosed = false;
  service.handler = (_url, response) => {
    response.once("close", () => (isClosed = true));
  };
  await deploy(getTrade, { fields: { trade_id: typed("str", "T1") }, timeoutMs: "10000000" });
  await nodeRed.inject("start");
  await nodeRed.waitForStatus("node", ({ text }) => text === "1 in progress");

  await nodeRed.deploy([tab]);

  await eventually(() => isClosed, { withinMs: 25_000, what: "the end of the read" });
});
