/**
 * Two MCP servers and two Node-RED instances on one PostgreSQL, called in turn. One of each is killed, and PostgreSQL
 * restarts. FXDESK_RUNS sets the number of bookings.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { environmentName } from "@fxdesk/toolkit";
import type { Entry } from "../../core/journal/entry";
import { openJournal } from "../../core/journal/journal";
import { bookTrade } from "../../core/contract/trades";
import type { StoreSettings } from "../../core/store/settings";
import { program, environmentOf } from "../cli/run-command";
import { type Postgres, startPostgres } from "../core/store/engines";
import { type McpClient, revisions, textOf } from "../mcp/support/clients";
import { catchNode, operationNode, tab } from "../nodes/support/flows";
import { type FlowNode, NodeRed } from "../nodes/support/node-red";
import { eventually } from "../support/eventually";
import { closeLater } from "../support/resources";
import { type SandboxProcess, startSandboxProcess } from "./sandbox-process";

const bookings = Number(process.env.FXDESK_RUNS ?? 500);
const maxConcurrentBookings = 10;

interface Booking {
  readonly quote_id: string;
  readonly reason: "other";
}

/** Result of a booking on a surface: its trade, or the reason why there is none. */
type SurfaceResult = { readonly tradeId: string } | { readonly error: string };

interface Surface {
  readonly name: string;
  isAlive: boolean;
  book(booking: Booking): Promise<SurfaceResult>;
  kill(): Promise<void>;
  close(): Promise<void>;
}

let postgres: Postgres;
let sandbox: SandboxProcess;
let store: StoreSettings;
let surfaces: Surface[];
let variables: Record<string, string>;

const token = "a-token-of-more-than-32-characters";

async function mcpSurface(name: string): Promise<Surface> {
  const args = [program, "mcp", "--http", "--port", "0", "--allow", "money", "--release", "never"];
  const env = environmentOf({ ...variables, FXDESK_MCP_TOKEN: token });
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  const url = await eventually(() => /endpoint is (\S+)\. /.exec(said)?.[1], {
    withinMs: 30_000,
    what: () => `the address in: ${said}`,
  });
  const client: McpClient = await revisions["2026-07-28"].http(url, { authorization: `Bearer ${token}` });
  return {
    name,
    isAlive: true,
    async book(booking) {
      const result = await client.callTool({ name: bookTrade.tool, arguments: { ...booking } });
      const tradeId = (result.structuredContent as { trade_id?: string } | undefined)?.trade_id;
      return tradeId === undefined ? { error: textOf(result) } : { tradeId };
    },
    kill: () => ended(child, "SIGKILL"),
    close: async () => {
      await client.close();
      await ended(child, "SIGTERM");
    },
  };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

const inTab = (id: string, type: string, wires: readonly string[], more: object = {}): FlowNode => ({
  id,
  type,
  z: tab.id,
  ...more,
  wires: wires.length > 0 ? [wires] : [],
});

/** Flow that books a posted quote and responds with the trade or the error. */
const flow = [
  tab,
  { id: "connection", type: "fxdesk-connection", name: "Sandbox", fromEnvironment: true },
  inTab("posted", "http in", ["book"], { url: "/book", method: "post" }),
  operationNode(bookTrade, "book", ["reported"], { fromPayload: true }),
  catchNode("caught", ["failed"]),
  inTab("failed", "function", ["reported"], {
    func: "msg.payload = { error: msg.error.message }; msg.statusCode = 200; return msg;",
    outputs: 1,
  }),
  inTab("reported", "http response", []),
] as const satisfies readonly FlowNode[];

async function nodeRedSurface(name: string): Promise<Surface> {
  const nodeRed = await NodeRed.start({ env: variables });
  await nodeRed.deploy(flow);
  return {
    name,
    isAlive: true,
    async book(booking) {
      const headers = { "content-type": "application/json" };
      const response = await nodeRed.request("/book", {
        method: "POST",
        headers,
        body: JSON.stringify(booking),
        signal: AbortSignal.timeout(30_000),
      });
      const { trade_id: tradeId, error } = (await response.json()) as { trade_id?: string; error?: string };
      return tradeId === undefined ? { error: error ?? `status ${response.status}` } : { tradeId };
    },
    kill: () => ended(nodeRed.process, "SIGKILL"),
    close: () => (nodeRed.process.signalCode === null ? nodeRed.close() : Promise.resolve()),
  };
}

beforeAll(async () => {
  [postgres, sandbox] = [closeLater(await startPostgres()), await startSandboxProcess([])];
  store = await postgres.create();
  const settings = {
    store: store.location,
    storeKey: store.key!.toString("base64"),
    timeoutMs: "3000",
    queueTimeoutMs: "3000",
  };
  const ours = Object.entries(settings).map(([name, value]) => [environmentName(name), value] as const);
  variables = { ...sandbox.variables, ...Object.fromEntries(ours) };
  surfaces = [
    await mcpSurface("MCP 1"),
    await nodeRedSurface("Node-RED 1"),
    await mcpSurface("MCP 2"),
    await nodeRedSurface("Node-RED 2"),
  ];
}, 120_000);

afterAll(() => Promise.all(surfaces.map((surface) => surface.close().catch(() => undefined))), 60_000);

const booked = async () => new Set([...(await sandbox.tradesByReference()).values()].flat());

const bookOn = (surface: Surface, booking: Booking): Promise<SurfaceResult> =>
  surface.book(booking).catch((error: Error) => ({ error: error.message }));

/**
 * Tries the surfaces in turn, like a round-robin proxy, until one of them has booked the trade. Returns undefined if none has: a
 * process that is killed between recording and sending leaves a call of unknown outcome, which is never sent again.
 */
async function bookSomewhere(booking: Booking, turn: number): Promise<string | undefined> {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const surface = surfaces[(turn + attempt) % surfaces.length]!;
    if (!surface.isAlive) continue;
    const said = await bookOn(surface, booking);
    if ("tradeId" in said) return said.tradeId;
    await pause(250);
  }
  return undefined;
}

async function kill(surface: Surface): Promise<void> {
  surface.isAlive = false;
  await surface.kill();
}

/** Asserts that nothing is booked while the journal cannot be written. */
async function expectNothingBookedWithoutStore(wanted: readonly Booking[]): Promise<void> {
  const before = await booked();
  await postgres.stop();
  const alive = surfaces.filter(({ isAlive }) => isAlive);
  const said = await Promise.all(
    wanted.map((booking, index) => bookOn(alive[index % alive.length]!, booking)),
  );
  for (const each of said)
    expect(each).toEqual({ error: expect.stringMatching(/Nothing was sent|not sent/i) as string });
  expect(await booked()).toEqual(before);
  await postgres.start();
}

test(`makes ${bookings} bookings once each, and reports their outcomes on every surface`, async () => {
  const before = await booked();
  const wanted: Booking[] = [];
  for (let index = 0; index < bookings; index += 1)
    wanted.push({ quote_id: await sandbox.quote(), reason: "other" });
  const trades = new Map<string, string>();
  const unknown = new Set<number>();
  const bookAll = async (from: number, to: number) => {
    let next = from;
    const one = async () => {
      while (next < to) {
        const turn = next;
        next += 1;
        const booking = wanted[turn]!;
        const trade = await bookSomewhere(booking, turn);
        if (trade === undefined) unknown.add(turn);
        else trades.set(booking.quote_id, trade);
      }
    };
    await Promise.all(Array.from({ length: maxConcurrentBookings }, one));
  };
  const [third, half] = [Math.floor(bookings / 3), Math.floor(bookings / 2)];
  await bookAll(0, third);
  // Killed while they work.
  const going = bookAll(third, half);
  await pause(50);
  await Promise.all([kill(surfaces[0]!), kill(surfaces[1]!)]);
  await going;
  await expectNothingBookedWithoutStore(wanted.slice(half, half + 8));
  await bookAll(half, bookings);

  const made = [...(await booked())].filter((id) => !before.has(id));
  expect(made.length).toBe(bookings - unknown.size);
  // Only calls that were under way when their process was killed.
  expect(unknown.size).toBeLessThanOrEqual(maxConcurrentBookings);
  expect([...unknown].filter((turn) => turn < third || turn >= half)).toEqual([]);
  expect(new Set(trades.values())).toEqual(new Set(made));
  for (const surface of surfaces.filter(({ isAlive }) => isAlive))
    for (const [turn, booking] of wanted.entries())
      expect(await bookOn(surface, booking)).toEqual(
        unknown.has(turn)
          ? { error: expect.any(String) as string }
          : { tradeId: trades.get(booking.quote_id) },
      );

  const entries: readonly Entry[] = await closeLater(await openJournal(store)).list();
  const states = entries.map(({ state }) => state);
  expect(states.filter((state) => state === "done").length).toBe(trades.size);
  expect(states.filter((state) => state === "unknown").length).toBe(unknown.size);
  expect(states.length).toBe(bookings);
  expect(new Set(entries.map(({ surface }) => surface))).toEqual(new Set(["mcp", "node-red"]));
}, 600_000);
