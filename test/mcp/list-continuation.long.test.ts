/** Following `next` literally returns every row exactly once, in few calls, across server instances. */
import { InMemoryTransport, Client as ModernClient } from "@modelcontextprotocol/client";
import { createClient } from "@fxdesk/toolkit";
import * as fc from "fast-check";
import { createMcpServer } from "../../mcp";
import { ExpiringStore } from "../../mcp/render/links";
import { retentionMs } from "../../mcp/render/content";
import type { JsonObject, ToolResult } from "../../mcp/render/content";
import { closeLater } from "../support/resources";
import { type McpClient, revisions, serve, textOf } from "./support/clients";
import { type Listing, linkedPageSize, type ListServer, startListServer } from "./support/list-server";

const numRuns = Number(process.env.FXDESK_RUNS ?? 30);

let service: ListServer;
/** One instance on an in-memory transport. */
let assistant: ModernClient;
/** Two instances that serve calls in turn, as behind a load balancer. */
let instances: readonly McpClient[];

const connect = () =>
  closeLater(
    createClient({
      baseUrl: service.url,
      xs2aUrl: service.url,
      clientId: "client",
      credentials: { accessToken: "token" },
    }),
  );

const startInstance = async () =>
  revisions["2026-07-28"].http((await serve({ client: connect(), toolsets: ["all"] })).url);

beforeAll(async () => {
  service = await startListServer();
  const [here, there] = InMemoryTransport.createLinkedPair();
  await closeLater(createMcpServer({ client: connect(), toolsets: ["all"] })).connect(there);
  assistant = closeLater(new ModernClient({ name: "test", version: "1.0.0" }));
  await assistant.connect(here);
  instances = [await startInstance(), await startInstance()];
});

type Call = (name: string, input: JsonObject) => Promise<ToolResult>;

const inMemory: Call = async (name, input) =>
  (await assistant.callTool({ name, arguments: { ...input } })) as unknown as ToolResult;

const alternatingInstances = (): Call => {
  let turn = 0;
  return (name, input) => instances[turn++ % instances.length]!.callTool({ name, arguments: { ...input } });
};

interface Row {
  readonly transaction_id: string;
}

/** Returns the rows of a result from any property. */
function rowsOf({ items, body, transactions, accounts }: JsonObject): Row[] {
  if (items) return items as Row[];
  if (accounts) return accounts as Row[];
  if (body) return rowsOf(body as JsonObject);
  const { booked = [], pending = [] } = transactions as Record<"booked" | "pending", Row[] | undefined>;
  return [...booked, ...pending];
}

async function readAllResults(call: Call, tool: string, input: JsonObject) {
  const rows: Row[] = [];
  let calls = 0;
  const sizes = new Set<unknown>();
  for (let next: JsonObject | undefined = input; next;) {
    const result: ToolResult = await call(tool, next);
    expect([result.isError, result.isError && textOf(result)]).toEqual([undefined, undefined]);
    expect(textOf(result).split("\n").slice(1).join("\n")).toBe(JSON.stringify(result.structuredContent));
    rows.push(...rowsOf(result.structuredContent!));
    sizes.add(result.structuredContent!.page_size);
    // The cursor alone is a complete call.
    const { next: following } = result.structuredContent as { next?: { readonly continue: string } };
    next = following && { continue: following.continue };
    calls += 1;
  }
  return { rows, calls, sizes };
}

/** Rows of uniform size, or a few large ones among small ones. */
function rowsFrom({
  count,
  smallest,
  spread,
  seed,
}: Record<"count" | "smallest" | "spread" | "seed", number>): Row[] {
  let state = seed;
  return Array.from({ length: count }, (_, index) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const size = smallest + Math.floor((state / 2_147_483_648) ** 3 * spread);
    return { transaction_id: `row-${index}`, note: "x".repeat(size) };
  });
}

const lists = fc
  .record({
    count: fc.oneof(
      fc.integer({ min: 0, max: 120 }),
      fc.integer({ min: 0, max: 1_500 }),
      fc.constantFrom(0, 1, 49, 50, 51, 100, 150, 499, 500, 501, 1_000, 5_000),
    ),
    smallest: fc.integer({ min: 0, max: 600 }),
    spread: fc.constantFrom(0, 100, 2_000, 15_000),
    seed: fc.nat(),
  })
  // Limits the total size; half a gigabyte would prove no more.
  .map((shape) => rowsFrom(shape.spread > 2_000 ? { ...shape, count: Math.min(shape.count, 500) } : shape));

const account = "00000000-0000-4000-8000-000000000000";
const pageSize = fc.option(fc.constantFrom(1, 5, 10, 49, 50, 100, 500), { nil: undefined });

interface WalkCase {
  readonly tool: string;
  readonly input: JsonObject;
  readonly listing: Listing;
  /** Rows per page of the service. */
  readonly size: number;
}

const pagedCases: fc.Arbitrary<WalkCase> = fc.oneof(
  fc
    .record({ rows: lists, size: pageSize, type: fc.constantFrom(undefined, "spot") })
    .map(({ rows, size, type }) => ({
      tool: "list_trades",
      input: { ...(size && { page_size: size }), ...(type && { trade_type: [type] }) },
      listing: { rows },
      size: size ?? 50,
    })),
  fc.record({ rows: lists, size: pageSize }).map(({ rows, size }) => ({
    tool: "list_transactions",
    input: { account_id: account, credit_debit_indicator: "credit", ...(size && { page_size: size }) },
    listing: { rows, counted: true },
    size: size ?? 50,
  })),
  fc
    .record({ rows: lists, cap: fc.integer({ min: 7, max: 40 }), counted: fc.boolean() })
    .map(({ rows, cap, counted }) => ({
      tool: "list_account_details",
      input: { currency: "EUR" },
      listing: { rows: rows.slice(0, 400), cap, counted },
      size: cap,
    })),
  lists.map((rows) => ({
    tool: "list_all_account_details",
    input: {},
    listing: { rows },
    size: Infinity,
  })),
);

const storedPageCases: fc.Arbitrary<WalkCase> = lists.map((rows) => ({
  tool: "list_open_banking_transactions",
  input: { account_id: "a", consent_id: "c", booking_status: "both", date_from: "2026-01-01" },
  listing: { rows },
  size: linkedPageSize,
}));

async function expectEveryRowOnce(call: Call, { tool, input, listing, size }: WalkCase): Promise<void> {
  service.listing = listing;
  service.requests.length = 0;
  const walked = await readAllResults(call, tool, input);
  const bytes = Buffer.byteLength(JSON.stringify(listing.rows));
  const most = 1 + Math.max(Math.ceil(bytes / 20_000), Math.ceil(listing.rows.length / size));
  expect(walked.rows.map(({ transaction_id: id }) => id).toSorted(byNumber)).toEqual(
    (listing.rows as Row[]).map(({ transaction_id: id }) => id),
  );
  expect(walked.calls).toBeLessThanOrEqual(most);
  expect(walked.sizes.size).toBe(1);
}

/** Linked pages have two lists; the rows of one precede those of the other. */
const byNumber = (one: string, other: string) => Number(one.slice(4)) - Number(other.slice(4));

test("returns every row exactly once on one instance", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(pagedCases, storedPageCases), (walked) => expectEveryRowOnce(inMemory, walked)),
    { numRuns },
  );
});

test("returns every row exactly once on alternating instances", async () => {
  await fc.assert(
    fc.asyncProperty(pagedCases, (walked) => expectEveryRowOnce(alternatingInstances(), walked)),
    { numRuns: Math.ceil(numRuns / 2) },
  );
});

describe("rows of a rate-limited read", () => {
  const input = { account_id: "a", consent_id: "c", booking_status: "both", date_from: "2026-01-01" };

  test("are stored, so that each page is read once", async () => {
    service.listing = { rows: rowsFrom({ count: 1_200, smallest: 300, spread: 0, seed: 1 }) };
    service.requests.length = 0;
    const { calls } = await readAllResults(inMemory, "list_open_banking_transactions", input);
    expect(calls).toBeGreaterThan(10);
    expect(service.requests).toHaveLength(3);
  });

  test("are unknown to another instance, which gives advice", async () => {
    service.listing = { rows: rowsFrom({ count: 400, smallest: 300, spread: 0, seed: 1 }) };
    const call = alternatingInstances();
    const first = await call("list_open_banking_transactions", input);
    service.requests.length = 0;
    const second = await call("list_open_banking_transactions", first.structuredContent!.next as JsonObject);
    expect(second.isError).toBe(true);
    expect(textOf(second)).toContain("call without continue; this reads from the service again.");
    expect(service.requests).toEqual([]);
  });

  test("are stored for their arguments only", async () => {
    service.listing = { rows: rowsFrom({ count: 400, smallest: 300, spread: 0, seed: 1 }) };
    const first = await inMemory("list_open_banking_transactions", input);
    const next = first.structuredContent!.next as JsonObject;
    const other = await inMemory("list_open_banking_transactions", { ...next, date_from: "2026-02-01" });
    expect(textOf(other)).toContain("continue belongs to a call with other arguments");
    const elsewhere = await inMemory("list_open_banking_balances", {
      account_id: "a",
      consent_id: "c",
      continue: next.continue,
    });
    expect(textOf(elsewhere)).toContain("continue is unknown or expired");
  });
});

test("stored rows expire after 15 minutes", () => {
  let now = 0;
  const values = new ExpiringStore<string>(() => now);
  const key = values.add("rows", 10)!;
  now += retentionMs - 1;
  expect(values.get(key)).toBe("rows");
  now += 1;
  expect(values.get(key)).toBeUndefined();
});
