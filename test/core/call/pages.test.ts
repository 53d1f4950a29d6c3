/** Paged lists end at their last page, without loops; and the input for the next page, as all surfaces use it. */
import { z } from "zod";
import { createClient } from "../../../core";
import { nextPage } from "../../../core/call/next-page";
import { hasMore, joinPages } from "../../../core/call/pages";
import type { ServiceResponse } from "../../../core/call/response";
import { contract, json } from "../../../core/operations";
import { type Fault, type FaultServer, respond } from "../../support/fault-server";
import { closeLater } from "../../support/resources";
import { startFaultServer } from "../support/client-fixtures";
import { declare } from "../support/declare";

const query = { page: z.int().default(1), size: z.int().default(50), side: z.string().optional() };
const pages = { page: "page", size: "size", defaultSize: 50 } as const;
const responses = { 200: json(z.array(z.int()), "The list.") };
const Report = z.object({
  things: z.object({
    booked: z.array(z.int()).optional(),
    pending: z.array(z.int()).optional(),
    _links: z.record(z.string(), z.object({ href: z.string().optional() })),
  }),
  note: z.string().optional(),
});

const operations = [
  declare({ name: "things.list", tool: "list_things", query, responses, pages }),
  declare({
    name: "things.listCounted",
    tool: "list_counted",
    path: "/counted",
    query,
    responses,
    pages: { ...pages, total: "x-total" },
  }),
  declare({
    name: "reports.get",
    tool: "get_report",
    path: "/reports/{id}",
    parameters: { id: z.string() },
    query: { page: query.page, side: query.side },
    responses: { 200: json(Report, "The report.") },
    linkedPages: { entries: ["things.booked", "things.pending"], next: "things._links.next" },
  }),
] as const;
const [, counted, report] = operations;

let server: FaultServer;
async function connectClient(fault: Fault, prefix = "") {
  server = await startFaultServer(fault);
  return closeLater(createClient({ baseUrl: `${server.url}${prefix}` }, { ...contract, operations }));
}

const numbers = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);

/** Serves `count` numbers, at most `cap` per page. */
function serveNumbers(count: number, cap = 1_000): Fault {
  return (socket, number) => {
    const asked = new URLSearchParams(/\?(\S*)/.exec(server.heads[number - 1]!)![1]);
    const size = Math.min(cap, Number(asked.get("size")));
    const start = (Number(asked.get("page")) - 1) * size;
    respond(200, JSON.stringify(numbers(start, Math.min(count, start + size))))(socket, number);
  };
}

async function collect(fault: Fault, method: "list" | "listCounted", input: { size?: number } = {}) {
  const client = await connectClient(fault);
  const found: number[] = [];
  for await (const item of client.things[method].all(input)) found.push(item);
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
  const { found } = await collect(serveNumbers(230, 100), "list", { size: 200 });
  expect(found).toEqual(numbers(0, 230));
});

test("fetches pages as they are consumed", async () => {
  const client = await connectClient(serveNumbers(500));
  for await (const item of client.things.list.all()) if (item === 10) break;
  expect(server.heads).toHaveLength(1);
});

const invalid = { name: "InvalidResponse", code: "invalid_response", outcome: "unknown" };
/** Always the same full page. */
const repeated = respond(200, JSON.stringify(numbers(0, 50)));
const emptyPage =
  (empty: number): Fault =>
  (socket, number) => {
    const body = JSON.stringify(number === empty ? [] : numbers(number * 50, number * 50 + 50));
    respond(200, body, { "x-total": "500" })(socket, number);
  };

test.each<[what: string, fault: Fault, method: "list" | "listCounted", calls: number]>([
  ["a repeated page", repeated, "list", 2],
  ["a page that is not a list", respond(200, "null"), "list", 1],
  ["an object in place of a counted page", respond(200, '{"items":[1]}'), "listCounted", 1],
  ["an empty first page before the total", emptyPage(1), "listCounted", 1],
  ["an empty third page before the total", emptyPage(3), "listCounted", 3],
])("reports %s, without a retry", async (_, fault, method, calls) => {
  await expect(collect(fault, method)).rejects.toMatchObject(invalid);
  expect(server.heads).toHaveLength(calls);
});

// ---- Linked pages

interface ReportPage {
  readonly booked?: readonly (number | string)[];
  readonly pending?: readonly number[];
  readonly next?: string;
}

/** Serves the pages in order, and the last one repeatedly. */
const linked =
  (...served: readonly ReportPage[]): Fault =>
  (socket, number) => {
    const { next, ...lists } = served[Math.min(number, served.length) - 1]!;
    const _links = { account: { href: "/a" }, ...(next !== undefined && { next: { href: next } }) };
    respond(200, JSON.stringify({ things: { ...lists, _links }, note: `page ${number}` }))(socket, number);
  };

const targets = () => server.heads.map((head) => head.split(" ")[1]);

const wholeReport = async (fault: Fault, prefix = "") =>
  (await connectClient(fault, prefix)).reports.get.whole({ id: "7", side: "both" });

test("follows linked pages to the end and joins them", async () => {
  const joined = await wholeReport(
    linked(
      { booked: [1, 2], pending: [8], next: "/reports/7?side=both&key=a%2Fb" },
      { booked: [3], pending: [9], next: "?side=both&key=c" },
      { booked: [4] },
    ),
  );
  expect(joined).toEqual({
    things: { booked: [1, 2, 3, 4], pending: [8, 9], _links: { account: { href: "/a" } } },
    note: "page 1",
  });
  expect(targets().slice(1)).toEqual(["/reports/7?side=both&key=a%2Fb", "/reports/7?side=both&key=c"]);
});

test.each([
  ["below the base address", "/reports/7?page=2"],
  ["from the root of the server", "/bank/v1/reports/7?page=2"],
])("follows a link %s", async (_where, next) => {
  await wholeReport(linked({ booked: [1], next }, { booked: [2] }), "/bank/v1");
  expect(targets().at(-1)).toBe("/bank/v1/reports/7?page=2");
});

const elsewhere = ["https://elsewhere.example/reports/7?page=1", "//elsewhere.example/x", "http://["];

test.each<[what: string, fault: Fault, calls: number]>([
  ...elsewhere.map((next): [string, Fault, number] => [next, linked({ booked: [1], next }), 1]),
  ["pages in a circle", linked({ booked: [1], next: "?page=1" }, { booked: [2], next: "?page=1" }), 2],
  ["the same page", (socket, number) => linked({ booked: [1], next: `?key=${number}` })(socket, number), 2],
])("reports a link to %s without following it", async (_, fault, calls) => {
  await expect(wholeReport(fault)).rejects.toMatchObject(invalid);
  expect(server.heads).toHaveLength(calls);
});

test("adjusts violations to positions in the joined list", async () => {
  const client = await connectClient(linked({ booked: [1, 2], next: "?page=2" }, { booked: ["3"] }));
  const received = [];
  for await (const each of client.pages(report, { id: "7" })) received.push(each);
  const violations = [{ field: "things.booked.2" }];
  expect(joinPages(report, received)).toMatchObject({ attempts: 2, violations });
});

// ---- The input for the next page

const response = (body: unknown, total?: number) => ({ body, total }) as ServiceResponse;

test.each([
  // input, entries, total, next page, whether it certainly has entries
  ["a full page without a total", {}, 50, undefined, 2, true],
  ["a short page, which the service may have capped", { page: 3 }, 20, undefined, 4, false],
  ["a short first page before the total", { size: 200 }, 20, 60, 2, true],
  ["a short page after an unknown number of entries", { page: 3, size: 200 }, 20, 60, 4, false],
  ["a short page that cannot be the last", { page: 2, size: 50 }, 20, 120, 3, true],
])("continues after %s", (_, input, count, total, page, isSure) => {
  expect(nextPage(counted, input, response(numbers(0, count), total))).toEqual({
    input: { ...input, page, size: (input as { size?: number }).size ?? 50 },
    isSure,
  });
});

test.each([
  ["an empty page", { page: 4 }, 0, undefined],
  ["a full page that reaches the total", { page: 2 }, 50, 100],
  ["a first page with all entries", {}, 7, 7],
])("ends with %s", (_, input, count, total) => {
  expect(nextPage(counted, input, response(numbers(0, count), total))).toBeUndefined();
  expect(nextPage(declare({}), input, response(numbers(0, count), total))).toBeUndefined();
});

test.each([
  ["/reports/7?page=2&side=left", { link: "/reports/7?page=2&side=left", input: { page: 2, side: "left" } }],
  [
    "https://elsewhere.example/reports/7?page=2&other=1",
    { link: "https://elsewhere.example/reports/7?page=2&other=1", input: { page: 2, side: "right" } },
  ],
  ["?page=1&key=abc", { link: "?page=1&key=abc", input: undefined }],
  [undefined, undefined],
  [7, undefined],
])("converts the link %s to the input %j", (href, next) => {
  const body = { things: { booked: [1], _links: { next: { href } } } };
  const found = nextPage(report, { page: 1, side: "right" }, response(body));
  expect(found).toEqual(next && { ...next, isSure: true });
});

test.each([
  ["a service with smaller pages", { size: 200 }, 20, 60, true],
  ["a short last page", { page: 3 }, 20, 120, false],
  ["a list without a total", {}, 50, undefined, undefined],
])("reports whether more follows for %s", (_, input, count, total, more) => {
  expect(hasMore(counted, input, response(numbers(0, count), total))).toBe(more);
});
