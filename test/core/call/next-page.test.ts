/** Input for the next page: one rule for client, command line, nodes and tools. */
import { z } from "zod";
import { nextPage } from "../../../core/call/next-page";
import { hasMore } from "../../../core/call/pages";
import type { ServiceResponse } from "../../../core/call/response";
import { type Declaration, json, operation } from "../../../core/operations";

const declareList = (changes: Partial<Declaration>) =>
  operation({
    name: "things.list",
    tool: "list_things",
    title: "List things",
    summary: "Lists things.",
    effect: "read",
    method: "GET",
    path: "/things",
    server: "service",
    credentials: [],
    query: { page: z.int().default(1), size: z.int().default(50), side: z.string().optional() },
    responses: { 200: json(z.unknown(), "The things.") },
    errors: {},
    contract: "",
    ...changes,
  } as Declaration);

const numbered = declareList({ pages: { page: "page", size: "size", defaultSize: 50, total: "x-total" } });
const linked = declareList({ linkedPages: { entries: ["rows"], next: "_links.next" } });

const response = (body: unknown, total?: number) => ({ body, total }) as ServiceResponse;
const rows = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("numbered pages", () => {
  test.each([
    // input, rows, total, next page, whether it certainly has entries
    ["a full page without a total", {}, 50, undefined, 2, true],
    ["a short page, which the service may have capped", { page: 3 }, 20, undefined, 4, false],
    ["a short first page before the total", { size: 200 }, 20, 60, 2, true],
    ["a short page after an unknown number of entries", { page: 3, size: 200 }, 20, 60, 4, false],
    ["a short page that cannot be the last", { page: 2, size: 50 }, 20, 120, 3, true],
  ])("continue after %s", (_, input, count, total, page, isSure) => {
    expect(nextPage(numbered, input, response(rows(count), total))).toEqual({
      input: { ...input, page, size: (input as { size?: number }).size ?? 50 },
      isSure,
    });
  });

  test.each([
    ["an empty page", { page: 4 }, [], undefined],
    ["a full page that reaches the total", { page: 2 }, rows(50), 100],
    ["a first page with all entries", {}, rows(7), 7],
  ])("end with %s", (_, input, body, total) => {
    expect(nextPage(numbered, input, response(body, total))).toBeUndefined();
  });
});

describe("linked pages", () => {
  const page = (href?: unknown) =>
    response({ rows: [1], _links: { next: href === undefined ? {} : { href } } });

  test.each([
    ["/things?page=2&side=left", { page: 2, side: "left" }],
    ["https://elsewhere.example/things?page=2&other=1", { page: 2, side: "right" }],
    ["?page=1&key=abc", undefined],
  ])("converts the link %s to the input %j", (link, input) => {
    expect(nextPage(linked, { page: 1, side: "right" }, page(link))).toEqual({ link, input, isSure: true });
  });

  test.each([undefined, 7])("end if the link is %p", (href) => {
    expect(nextPage(linked, {}, page(href))).toBeUndefined();
  });
});

test("returns no next page for an operation without pages", () => {
  expect(nextPage(declareList({}), {}, response(rows(50), 100))).toBeUndefined();
});

test.each([
  ["a service with smaller pages", { size: 200 }, 20, 60, true],
  ["a short last page", { page: 3 }, 20, 120, false],
  ["a list without a total", {}, 50, undefined, undefined],
])("reports whether more follows for %s", (_, input, count, total, more) => {
  expect(hasMore(numbered, input, response(rows(count), total))).toBe(more);
});
