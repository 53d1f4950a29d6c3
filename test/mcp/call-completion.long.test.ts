/** Money calls that were sent are completed and their outcome is logged, however the caller or the server stops. */
import { request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { createClient } from "@fxdesk/toolkit";
import * as fc from "fast-check";
import { createToolbox } from "../../mcp/toolbox";
import { type Fault, reset, respond } from "../support/fault-server";
import { type HeldServer, heldServer } from "../support/held-server";
import { cancelRequest, McpProcess, toolCall } from "./support/mcp-process";
import { textOf } from "./support/clients";

/** Number of runs. Each starts a process. */
const runs = Math.min(Number(process.env.FXDESK_RUNS ?? 9), 200);

/** Final responses of the service, with the expected log line. */
const outcomes: Readonly<Record<string, { readonly fault: Fault; readonly logged: string }>> = {
  booked: {
    fault: respond(201, '{"trade_id":"T-1"}'),
    logged: "fxdesk: trades.book: carried out (201), trade_id T-1",
  },
  refused: { fault: respond(400, '{"code":"c","message":"Spent."}'), logged: "fxdesk: trades.book: refused" },
  failed: { fault: respond(502, "{}"), logged: "fxdesk: trades.book: outcome unknown" },
  lost: { fault: reset, logged: "fxdesk: trades.book: outcome unknown" },
};

/** One run: the calls, the delay after sending until the caller stops, and the delay before each response. */
const runPlan = fc.record({
  calls: fc.array(fc.constantFrom(...Object.keys(outcomes)), { minLength: 1, maxLength: 3 }),
  stopAfterMs: fc.integer({ min: 0, max: 20 }),
  respondAfterMs: fc.integer({ min: 0, max: 100 }),
});

let services: HeldServer[] = [];
async function openService(): Promise<HeldServer> {
  const service = await heldServer();
  services.push(service);
  return service;
}
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()));
  services = [];
});

const environment = ({ url }: HeldServer): Record<string, string> => ({
  FXDESK_BASE_URL: url,
  FXDESK_CLIENT_ID: "client",
  FXDESK_ACCESS_TOKEN: "canary-token",
});
const booking = (id: number) => toolCall(id, "book_trade", { quote_id: `quote-${id}`, reason: "other" });

/** A caller, with methods to make a call and read its result. */
interface Caller {
  call(id: number): void;
  result(id: number): string | undefined;
  disconnect(): void;
}

async function overStdio(service: HeldServer): Promise<[McpProcess, Caller]> {
  const served = await new McpProcess(
    ["--allow", "money", "--release", "never"],
    environment(service),
  ).initialized();
  const caller = {
    call: (id: number) => served.send(booking(id)),
    result: (id: number) => served.result(id),
    disconnect: () => served.process.stdin.end(),
  };
  return [served, caller];
}

async function overHttp(service: HeldServer): Promise<[McpProcess, Caller]> {
  const token = "a-token-of-more-than-32-characters";
  const served = new McpProcess(["--http", "--allow", "money", "--release", "never"], {
    ...environment(service),
    FXDESK_MCP_TOKEN: token,
  });
  await served.until(() => served.err.includes("/mcp"));
  const url = /http:\S+\/mcp/.exec(served.err)![0];
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${token}`,
  };
  const sent: ReturnType<typeof request>[] = [];
  const results = new Map<number, string>();
  const caller = {
    call(id: number) {
      const post = request(url, { method: "POST", headers }, (response) => {
        response.setEncoding("utf8").on("data", (chunk: string) => {
          results.set(id, (results.get(id) ?? "") + chunk);
        });
        response.on("error", () => undefined);
      });
      post.on("error", () => undefined).end(JSON.stringify(booking(id)));
      sent.push(post);
    },
    result: (id: number) => results.get(id),
    disconnect: () => sent.forEach((post) => post.destroy()),
  };
  return [served, caller];
}

interface StopMethod {
  readonly open: (service: HeldServer) => Promise<[McpProcess, Caller]>;
  stop(served: McpProcess, caller: Caller, ids: readonly number[]): void;
  /** True if the caller still receives results. */
  readonly isListening: boolean;
  /** Ends the process if `stop` did not. */
  end?(served: McpProcess): void;
}

const bySignal = (signal: NodeJS.Signals, open: StopMethod["open"]): StopMethod => ({
  open,
  stop: ({ process }) => process.kill(signal),
  isListening: true,
});

const stopMethods: Readonly<Record<string, StopMethod>> = {
  "a cancelled request": {
    open: overStdio,
    stop: (served, _, ids) => served.send(...ids.map(cancelRequest)),
    isListening: false,
    end: ({ process }) => process.stdin.end(),
  },
  "the end of the input": { open: overStdio, stop: (_, caller) => caller.disconnect(), isListening: true },
  "a closed output": { open: overStdio, stop: ({ process }) => process.stdout.destroy(), isListening: false },
  SIGTERM: bySignal("SIGTERM", overStdio),
  SIGINT: bySignal("SIGINT", overStdio),
  SIGHUP: bySignal("SIGHUP", overStdio),
  "a disconnect from HTTP": {
    open: overHttp,
    stop: (_, caller) => caller.disconnect(),
    isListening: false,
    end: ({ process }) => process.kill("SIGTERM"),
  },
  "SIGTERM over HTTP": bySignal("SIGTERM", overHttp),
  "SIGINT over HTTP": bySignal("SIGINT", overHttp),
};

const stopMethodNames = Object.keys(stopMethods);
const cases = fc
  .sample(runPlan, runs)
  .map((run, index) => [index + 1, stopMethodNames[index % stopMethodNames.length]!, run] as const);

test.each(cases)("run %i: %s", async (_number, name, { calls, stopAfterMs, respondAfterMs }) => {
  const way = stopMethods[name]!;
  const service = await openService();
  const [served, caller] = await way.open(service);
  const ids = calls.map((__, index) => index + 1);
  for (const id of ids) caller.call(id);
  await service.untilArrived(calls.length);
  await setTimeout(stopAfterMs);
  way.stop(served, caller, ids);
  for (const ending of calls) {
    await setTimeout(respondAfterMs);
    service.respond(outcomes[ending]!.fault);
  }
  if (way.end) {
    await served.until(() => served.log().length >= calls.length);
    way.end(served);
  }

  expect(await served.exit).toBe(0);
  expect(service.cutCount()).toBe(0);
  expect(service.heads).toHaveLength(calls.length);
  const log = served.log().map((line) => line.replace(/(?<=T-1|refused|unknown).*/, ""));
  expect(log.toSorted()).toEqual(calls.map((ending) => outcomes[ending]!.logged).toSorted());
  if (way.isListening) expect(ids.map((id) => caller.result(id))).toEqual(ids.map(() => expect.any(String)));
  expect(served.out + served.err).not.toContain("canary");
});

describe("reads", () => {
  const list = toolCall(1, "list_trades", {});

  test("do not delay the exit", async () => {
    const service = await openService();
    const served = await new McpProcess([], environment(service)).initialized();
    served.send(list);
    await service.untilArrived(1);
    served.process.stdin.end();
    expect(await served.exit).toBe(0);
    expect(served.result(1)).toContain("list_trades failed: The call was aborted.");
    expect(service.cutCount()).toBe(1);
  });
});

test("exits at once on a second signal, and logs the unknown outcome", async () => {
  const service = await openService();
  const [served, caller] = await overStdio(service);
  caller.call(1);
  await service.untilArrived(1);
  const again = setInterval(() => served.process.kill("SIGTERM"), 50);
  expect(await served.exit).toBe(7);
  clearInterval(again);
  expect(served.log()).toEqual([
    "fxdesk: trades.book: outcome unknown. The response was lost (the server was stopped). Do not repeat the call: check with " +
      "trades.list whether it was carried out.",
  ]);
});

test("after close starts no call, sends no queued call, and reports sent calls", async () => {
  const logged = jest.spyOn(console, "error").mockImplementation();
  const service = await openService();
  const credentials = { accessToken: "token" };
  const client = createClient({ baseUrl: service.url, clientId: "client", credentials, connections: 1 });
  const tools = createToolbox({ client, toolsets: ["all"], allow: ["money"], release: "never" });
  const { signal } = new AbortController();
  const call = async (id: number) =>
    textOf((await tools.call("book_trade", booking(id).params.arguments, signal))!);

  const first = call(1);
  await service.untilArrived(1);
  const second = call(2);
  // Until the call waits for the connection that the first has.
  await new Promise(setImmediate);
  const closed = tools.close();
  expect(await second).toContain("Book trade: not carried out.");
  expect(await call(3)).toBe("book_trade failed: the server is stopping. Nothing was sent.");
  service.respond(outcomes.booked!.fault);
  await closed;
  expect(await first).toContain("Book trade: The trade is booked.");
  expect(logged.mock.calls.map(([line]) => String(line))).toEqual([
    expect.stringMatching(/^fxdesk: trades\.book: not sent.*\. The call was aborted\..* Nothing was sent\.$/),
    expect.stringMatching(
      /^fxdesk: trades\.book: carried out \(201\), trade_id T-1, reference FX-[\w-]+, journal entry [\w-]+\.$/,
    ),
  ]);
  expect(service.heads).toHaveLength(1);
  logged.mockRestore();
  await client.close();
});
