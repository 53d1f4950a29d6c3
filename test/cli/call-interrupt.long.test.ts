/**
 * Tests bookings whose process is stopped or whose stdout is closed: a sent call is finished and its outcome reported.
 * FXDESK_RUNS sets the number of runs.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import * as fc from "fast-check";
import { eventually, untilEvent } from "../support/eventually";
import { type Fault, type FaultServer, faultServer, respond, silence } from "../support/fault-server";
import { environmentOf, program, type Variables } from "./run-command";

const numRuns = Number(process.env.FXDESK_RUNS ?? 3);
const within = { withinMs: 50_000 };
const booking = ["call", "trades.book", "--quote-id", "q-1", "--reason", "other", "--yes"];
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A service that holds each response until the test releases it. */
interface HeldService {
  readonly server: FaultServer;
  readonly variables: Variables;
  /** Socket of the received request. */
  readonly requested: () => Promise<Socket>;
}

let heldService: HeldService | undefined;
let child: ChildProcessByStdio<null, Readable, Readable> | undefined;
afterEach(async () => {
  child?.kill("SIGKILL");
  await heldService?.server.close();
});

async function startHeldService(fault: Fault = silence): Promise<HeldService> {
  let socket: Socket | undefined;
  const server = await faultServer((connection, number) => {
    socket = connection;
    fault(connection, number);
  });
  const variables = {
    FXDESK_BASE_URL: server.url,
    FXDESK_CLIENT_ID: "c",
    FXDESK_CONTACT_ID: "p",
    FXDESK_ACCESS_TOKEN: "a-secret-token",
  };
  const requested = async () => {
    const found = await eventually(() => socket, { ...within, what: "a request comes" });
    socket = undefined;
    return found;
  };
  return (heldService = { server, variables, requested });
}

interface RunningCommand {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: Promise<unknown[]>;
}

function startCommand(
  args: readonly string[],
  variables: Variables,
  stdout: "pipe" | number = "pipe",
): RunningCommand {
  const process_ = spawn(process.execPath, [program, ...args], {
    env: environmentOf(variables),
    stdio: ["ignore", stdout, "pipe"],
  }) as ChildProcessByStdio<null, Readable, Readable>;
  child = process_;
  const said = { stdout: "", stderr: "" };
  process_.stdout?.on("data", (chunk) => (said.stdout += String(chunk)));
  process_.stderr.on("data", (chunk) => (said.stderr += String(chunk)));
  return Object.assign(said, { child: process_, ended: untilEvent(process_, "close", 50_000) });
}

const untilStderrIncludes = (running: RunningCommand, words: string) =>
  eventually(() => running.stderr.includes(words), {
    ...within,
    what: () => `"${words}", not: ${running.stderr}`,
  });

const waitingMessage = "trades.book was sent. Waiting for its outcome; press Ctrl-C again to stop waiting.\n";

const bodyOf = (trade: string) =>
  JSON.stringify({
    trade_id: trade,
    bank_account: { account_holder_name: "Fx", bank_name: "Bank", country: "BE" },
    maturity_date: "2026-03-18",
  });

/** Returns the bytes of a response. */
function bytesOf(fault: Fault): string {
  let bytes = "";
  fault({ write: (text: string) => (bytes += text) } as unknown as Socket, 1);
  return bytes;
}

/** Plan of an interruption. */
interface Stop {
  readonly by: (typeof signals)[number] | "closed stdout";
  /** Bytes of the response sent before the interruption. */
  readonly part: number;
  /** Delay in turns of the event loop. */
  readonly turns: number;
}

const stops: fc.Arbitrary<Stop> = fc.record({
  by: fc.constantFrom(...signals, "closed stdout" as const),
  part: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.99, noNaN: true })),
  turns: fc.nat(200),
});

async function expectFinished({ by, part, turns }: Stop, number: number): Promise<void> {
  const trade = `t-${number}`;
  const { server, variables, requested } = await startHeldService();
  const running = startCommand(booking, variables);
  const socket = await requested();
  let cutOff = false;
  socket.on("close", () => (cutOff = true));
  const response = bytesOf(respond(201, bodyOf(trade)));
  const sent = Math.floor(response.length * part);
  socket.write(response.slice(0, sent));
  for (let left = turns; left > 0; left -= 1) await turn();
  if (by === "closed stdout") running.child.stdout.destroy();
  else {
    running.child.kill(by);
    await untilStderrIncludes(running, `fxdesk: ${waitingMessage}`);
  }
  expect(cutOff).toBe(false);
  socket.write(response.slice(sent));
  expect({ by, ended: await running.ended }).toEqual({ by, ended: [0, null] });
  expect(server.heads).toHaveLength(1);
  if (by === "closed stdout")
    expect(running.stderr).toMatch(
      new RegExp(`^fxdesk: trades\\.book: carried out \\(201\\), trade_id ${trade}, `, "m"),
    );
  else expect(JSON.parse(running.stdout)).toMatchObject({ trade_id: trade });
  await server.close();
}

test(
  "finishes a sent call and reports its outcome, whenever and however it is stopped",
  async () => {
    const plans = fc.sample(stops, { seed: 2041, numRuns });
    for (const [index, plan] of plans.entries()) await expectFinished(plan, index);
  },
  60_000 + numRuns * 10_000,
);

describe("before the request is sent", () => {
  test.each(["SIGTERM"] as const)("%s cancels it and nothing is sent", async (signal) => {
    const { server, variables, requested } = await startHeldService();
    const renewed = {
      FXDESK_REFRESH_TOKEN: "a-refresh-token",
      FXDESK_AUTH_CLIENT_ID: "an-application",
      FXDESK_AUTH_CLIENT_SECRET: "its-secret",
      FXDESK_STORE_KEY: Buffer.alloc(32, signal).toString("base64"),
    };
    const running = startCommand(booking, { ...variables, ...renewed });
    await requested();
    running.child.kill(signal);
    expect(await running.ended).toEqual([130, null]);
    expect(running.stderr).toMatch(
      /^trades\.book: The call was aborted\. Nothing was sent\.\nJournal entry: [\w-]+\n$/,
    );
    expect(server.heads.map((head) => head.split(" ")[1])).toEqual(["/token"]);
  });
});

describe("after the request was sent", () => {
  test("a second signal ends the wait and names where to look up the outcome", async () => {
    const { variables, requested } = await startHeldService();
    const running = startCommand(booking, variables);
    await requested();
    running.child.kill("SIGTERM");
    await untilStderrIncludes(running, waitingMessage);
    running.child.kill("SIGINT");
    expect(await running.ended).toEqual([7, null]);
    expect(running.stdout).toBe("");
    expect(running.stderr).toBe(
      `fxdesk: ${waitingMessage}trades.book: The command stopped waiting for the response. ` +
        "Do not repeat it: check with trades.list whether it was carried out.\n",
    );
  });

  test("several signals of one Ctrl-C count once", async () => {
    const { variables, requested } = await startHeldService();
    const running = startCommand(booking, variables);
    const socket = await requested();
    for (const signal of signals) running.child.kill(signal);
    await untilStderrIncludes(running, waitingMessage);
    respond(201, bodyOf("t-1"))(socket, 1);
    expect(await running.ended).toEqual([0, null]);
    expect(running.stdout).toContain('"trade_id": "t-1"');
  });

  test.each([
    [409, 5, "trades.book: "],
    [502, 7, "Do not repeat it: check with trades.list"],
  ])("a signal does not change the outcome of a %i", async (status, code, message) => {
    const { variables, requested } = await startHeldService();
    const running = startCommand(booking, variables);
    const socket = await requested();
    running.child.kill("SIGINT");
    await untilStderrIncludes(running, waitingMessage);
    respond(status, "{}")(socket, 1);
    expect(await running.ended).toEqual([code, null]);
    expect(running.stderr).toContain(message);
  });
});

const full = "/dev/full";

(existsSync(full) ? describe : describe.skip)("on a full disk", () => {
  let file: number;
  beforeEach(() => (file = openSync(full, "w")));
  afterEach(() => closeSync(file));

  test("reports the outcome on stderr", async () => {
    const { variables } = await startHeldService(respond(201, bodyOf("t-1")));
    const running = startCommand(booking, variables, file);
    expect(await running.ended).toEqual([0, null]);
    expect(running.stderr).toMatch(
      /^fxdesk: trades\.book: carried out \(201\), trade_id t-1, reference FX-[\w-]+, journal entry [\w-]+\.$/m,
    );
    expect(running.stderr).toContain("fxdesk: The response could not be printed: ENOSPC");
  });
});

test("ends a read at the first signal", async () => {
  const { variables, requested } = await startHeldService();
  const running = startCommand(["call", "trades.list"], variables);
  await requested();
  running.child.kill("SIGTERM");
  expect(await running.ended).toEqual([null, "SIGTERM"]);
});
