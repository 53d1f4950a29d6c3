/** Paged lists end at their last page, without loops. */
import { z } from "zod";
import { createClient, InvalidResponse } from "../../../core";
import { joinPages } from "../../../core/call/pages";
import { contract, json, operation } from "../../../core/operations";
import { type Fault, faultServer, type FaultServer, respond } from "../../support/fault-server";

const shape = { page: z.int().default(1), page_size: z.int().default(50) };
const paging = { page: "page", size: "page_size", defaultSize: 50 } as const;
const common = {
  title: "List",
  summary: "Lists.",
  effect: "read",
  method: "GET",
  server: "service",
  credentials: [],
  query: shape,
  responses: { 200: json(z.array(z.int()), "The list.") },
  errors: {},
  contract: "",
} as const;

const operations = [
  operation({ ...common, name: "things.list", tool: "list_things", path: "/things", pages: paging }),
  operation({
    ...common,
    name: "things.listCounted",
    tool: "list_counted",
    path: "/counted",
    pages: { ...paging, total: "x-total-count" },
  }),
] as const;

let server: FaultServer;
afterEach(() => server.close());

const numbers = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);

/** Serves `count` numbers, at most `cap` per page. */
function serveNumbers(count: number, { cap = 1_000, total }: { cap?: number; total?: string } = {}): Fault {
  return (socket, number) => {
    const query = new URLSearchParams(/\?(\S*)/.exec(server.heads[number - 1]!)![1]);
    const size = Math.min(cap, Number(query.get("page_size")));
    const start = (Number(query.get("page")) - 1) * size;
    const body = JSON.stringify(numbers(start, Math.min(count, start + size)));
    respond(200, body, total === undefined ? {} : { "x-total-count": total })(socket, number);
  };
}

async function collect(fault: Fault, method: "list" | "listCounted", input: { page_size?: number } = {}) {
  server = await faultServer(fault);
  const client = createClient({ baseUrl: server.url }, { ...contract, operations });
  const found: number[] = [];
  try {
    for await (const item of client.things[method].all(input)) found.push(item);
  } finally {
    await client.close();
  }
  return { found, calls: server.heads.length };
}

test.each([
  [0, 1],
  [50, 2],
  [120, 3],
])("reads %i entries without a total in %i calls", async (count, calls) => {
  expect(await collect(serveNumbers(count), "list")).toEqual({ found: numbers(0, count), calls });
});

test("reads all entries if the service reduces the page size", async () => {
  const { found } = await collect(serveNumbers(230, { cap: 100 }), "list", { page_size: 200 });
  expect(found).toEqual(numbers(0, 230));
});

test("reports a repeated page", async () => {
  const same = respond(200, JSON.stringify(numbers(0, 50)));
  await expect(collect(same, "list")).rejects.toBeInstanceOf(InvalidResponse);
  expect(server.heads).toHaveLength(2);
});

test("fetches pages as they are consumed", async () => {
  server = await faultServer(serveNumbers(500));
  const client = createClient({ baseUrl: server.url }, { ...contract, operations });
  for await (const item of client.things.list.all()) if (item === 10) break;
  expect(server.heads).toHaveLength(1);
  await client.close();
});

test.each(["null", '{"items":[1]}'])(
  "reports a page that is not a list, without a retry: %s",
  async (body) => {
    for (const method of ["list", "listCounted"] as const) {
      await expect(collect(respond(200, body), method)).rejects.toMatchObject({
        name: "InvalidResponse",
        code: "invalid_response",
        outcome: "unknown",
        message: expect.stringContaining("Page 1 is not a list.") as string,
      });
      expect(server.heads).toHaveLength(1);
      await server.close();
    }
  },
);

test.each([1, 3])("reports an empty page %i before the total is reached", async (empty) => {
  const fault: Fault = (socket, number) =>
    respond(200, JSON.stringify(number === empty ? [] : numbers(number * 50, number * 50 + 50)), {
      "x-total-count": "500",
    })(socket, number);
  await expect(collect(fault, "listCounted")).rejects.toThrow(
    `Page ${empty} is empty after ${(empty - 1) * 50} of 500 entries.`,
  );
  expect(server.heads).toHaveLength(empty);
});

// ---- Linked pages

const Report = z.object({
  things: z.object({
    booked: z.array(z.int()).optional(),
    pending: z.array(z.int()).optional(),
    _links: z.record(z.string(), z.object({ href: z.string().optional() })),
  }),
  note: z.string().optional(),
});

const reports = [
  operation({
    ...common,
    name: "reports.get",
    tool: "get_report",
    path: "/reports/{id}",
    parameters: { id: z.string() },
    query: { side: z.string().optional() },
    responses: { 200: json(Report, "The report.") },
    linkedPages: { entries: ["things.booked", "things.pending"], next: "things._links.next" },
  }),
] as const;

interface ReportPage {
  readonly booked?: readonly number[];
  readonly pending?: readonly number[];
  readonly next?: string;
}

/** Serves the pages in order, and the last one repeatedly. */
const linked = (...pages: readonly ReportPage[]): Fault =>
  function serve(socket, number) {
    const { next, ...lists } = pages[Math.min(number, pages.length) - 1]!;
    const _links = { account: { href: "/a" }, ...(next !== undefined && { next: { href: next } }) };
    respond(200, JSON.stringify({ things: { ...lists, _links }, note: `page ${number}` }))(socket, number);
  };

const targets = () => server.heads.map((head) => /^GET (\S+)/.exec(head)![1]);

async function wholeReport(fault: Fault, prefix = "") {
  server = await faultServer(fault);
  const client = createClient({ baseUrl: `${server.url}${prefix}` }, { ...contract, operations: reports });
  try {
    return await client.reports.get.whole({ id: "7", side: "both" });
  } finally {
    await client.close();
  }
}

test("follows linked pages to the end and joins them", async () => {
  const report = await wholeReport(
    linked(
      { booked: [1, 2], pending: [8], next: "/reports/7?side=both&key=a%2Fb" },
      { booked: [3], pending: [9], next: "?side=both&key=c" },
      { booked: [4] },
    ),
  );

  expect(report).toEqual({
    things: { booked: [1, 2, 3, 4], pending: [8, 9], _links: { account: { href: "/a" } } },
    note: "page 1",
  });
  expect(targets()).toEqual([
    "/reports/7?side=both",
    "/reports/7?side=both&key=a%2Fb",
    "/reports/7?side=both&key=c",
  ]);
});

test.each([
  ["below the base address", "/reports/7?page=1"],
  ["from the root of the server", "/bank/v1/reports/7?page=1"],
])("follows a link %s", async (_where, next) => {
  await wholeReport(linked({ booked: [1], next }, { booked: [2] }), "/bank/v1");

  expect(targets()).toEqual(["/bank/v1/reports/7?side=both", "/bank/v1/reports/7?page=1"]);
});

test.each(["https://elsewhere.example/reports/7?page=1", "//elsewhere.example/x", "http://["])(
  "reports a link to %s without following it",
  async (next) => {
    await expect(wholeReport(linked({ booked: [1], next }, { booked: [2] }))).rejects.toMatchObject({
      code: "invalid_response",
      message: expect.stringContaining("leads to another server") as string,
    });
    expect(server.heads).toHaveLength(1);
  },
);

test("reports circular links and repeated pages under new links", async () => {
  const circle = linked({ booked: [1], next: "?page=1" }, { booked: [2], next: "?side=both" });
  await expect(wholeReport(circle)).rejects.toThrow("Page 3 repeats an earlier page.");
  expect(server.heads).toHaveLength(2);
  await server.close();
  const same: Fault = (socket, number) => linked({ booked: [1], next: `?page=${number}` })(socket, number);
  await expect(wholeReport(same)).rejects.toThrow("Page 2 repeats an earlier page.");
  expect(server.heads).toHaveLength(2);
});

test("adjusts violations to positions in the joined list", async () => {
  server = await faultServer((socket, number) =>
    respond(
      200,
      number === 1
        ? '{"things":{"booked":[1,2],"_links":{"next":{"href":"?page=1"}}}}'
        : '{"things":{"booked":["3"],"_links":{}}}',
    )(socket, number),
  );
  const client = createClient({ baseUrl: server.url }, { ...contract, operations: reports });
  const responses = [];
  for await (const response of client.pages(reports[0], { id: "7" })) responses.push(response);
  await client.close();

  expect(joinPages(reports[0], responses)).toMatchObject({
    attempts: 2,
    violations: [{ field: "things.booked.2" }],
  });
});
