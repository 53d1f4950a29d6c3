/**
 * Tests calls whose process is stopped or whose stdout is closed: a sent booking is finished and its outcome reported, another
 * change is reported as possibly carried out. FXDESK_RUNS sets the number of runs.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import * as fc from "fast-check";
import { eventually, untilEvent } from "../support/eventually";
import { type Fault, faultServer, inSequence, respond, silence } from "../support/fault-server";
import { closeLater, runLater, tempFolder } from "../support/resources";
import {
  booking,
  environmentOf,
  program,
  updateAliasArgs,
  type Variables,
  variablesFor,
} from "./run-command";

const numRuns = Number(process.env.FXDESK_RUNS ?? 3);
const within = { withinMs: 50_000 };
const book = [...booking, "--yes"];
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Starts a service that by default holds each response until the test writes it. */
async function startService(fault: Fault = silence) {
  const sockets: Socket[] = [];
  const server = closeLater(
    await faultServer((socket, number) => {
      sockets.push(socket);
      fault(socket, number);
    }),
  );
  /** Waits for a number of requests. Returns the socket of the last one. */
  const requested = async (count = 1): Promise<Socket> => {
    await eventually(() => sockets.length >= count, { ...within, what: () => `${sockets.length} requests` });
    return sockets[count - 1]!;
  };
  return { server, variables: variablesFor(server), requested };
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
  runLater(() => process_.kill("SIGKILL"));
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
  const { server, variables, requested } = await startService();
  const running = startCommand(book, variables);
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
  test.each([
    ["trades.book", book],
    ["accountDetails.updateAlias", updateAliasArgs],
  ])("a signal cancels %s and nothing is sent", async (name, args) => {
    const { server, variables, requested } = await startService();
    const running = startCommand(args, {
      ...variables,
      FXDESK_REFRESH_TOKEN: "a-refresh-token",
      FXDESK_AUTH_CLIENT_ID: "an-application",
      FXDESK_AUTH_CLIENT_SECRET: "its-secret",
      FXDESK_STORE: join(await tempFolder(), "store.db"),
      FXDESK_STORE_KEY: Buffer.alloc(32, 1).toString("base64"),
      FXDESK_ACCESS_TOKEN: "",
    });
    await requested();
    running.child.kill("SIGTERM");
    expect(await running.ended).toEqual([130, null]);
    expect(running.stderr).toMatch(new RegExp(`^${name}: The call was aborted\\. Nothing was sent\\.\n`));
    expect(server.heads.map((head) => head.split(" ")[1])).toEqual(["/token"]);
  });
});

test("an interrupted procedure may have been carried out", async () => {
  const { variables, requested } = await startService(inSequence(respond(200, "[]"), respond(200), silence));
  const open = ["call", "accountDetails.open", "--country", "BE", "--currency", "EUR"];
  const running = startCommand(open, variables);
  await requested(3);
  running.child.kill("SIGINT");
  expect(await running.ended).toEqual([7, null]);
  expect(running.stderr).toBe(
    "accountDetails.open: Interrupted while it was running. " +
      "The call may have been carried out: check at the service before you repeat it.\n",
  );
});

describe("after the request was sent", () => {
  test("a second signal ends the wait and names where to look up the outcome", async () => {
    const { variables, requested } = await startService();
    const running = startCommand(book, variables);
    await requested();
    running.child.kill("SIGTERM");
    await untilStderrIncludes(running, waitingMessage);
    running.child.kill("SIGINT");
    expect(await running.ended).toEqual([7, null]);
    expect(running.stdout).toBe("");
    expect(running.stderr).toBe(
      `fxdesk: ${waitingMessage}trades.book: The command stopped waiting for the response. ` +
        "Do not repeat the call: check with trades.list whether it was carried out.\n",
    );
  });

  test("several signals of one Ctrl-C count once", async () => {
    const { variables, requested } = await startService();
    const running = startCommand(book, variables);
    const socket = await requested();
    for (const signal of signals) running.child.kill(signal);
    await untilStderrIncludes(running, waitingMessage);
    respond(201, bodyOf("t-1"))(socket, 1);
    expect(await running.ended).toEqual([0, null]);
    expect(running.stdout).toContain('"trade_id": "t-1"');
  });

  test.each([
    [404, 4, "trades.book: "],
    [502, 7, "Do not repeat the call: check with trades.list"],
  ])("a signal does not change the outcome of a %i", async (status, code, message) => {
    const { variables, requested } = await startService();
    const running = startCommand(book, variables);
    const socket = await requested();
    running.child.kill("SIGINT");
    await untilStderrIncludes(running, waitingMessage);
    respond(status, "{}")(socket, 1);
    expect(await running.ended).toEqual([code, null]);
    expect(running.stderr).toContain(message);
  });
});

const full = "/dev/full";

(existsSync(full) ? test : test.skip)("reports the outcome on stderr if the disk is full", async () => {
  const file = openSync(full, "w");
  runLater(() => closeSync(file));
  const { variables } = await startService(respond(201, bodyOf("t-1")));
  const running = startCommand(book, variables, file);
  expect(await running.ended).toEqual([0, null]);
  expect(running.stderr).toMatch(
    /^fxdesk: trades\.book: carried out \(201\), trade_id t-1, reference FX-[\w-]+, journal entry [\w-]+\.$/m,
  );
  expect(running.stderr).toContain("fxdesk: The response could not be printed: ENOSPC");
});

test("ends a read at the first signal", async () => {
  const { variables, requested } = await startService();
  const running = startCommand(["call", "trades.list"], variables);
  await requested();
  running.child.kill("SIGTERM");
  expect(await running.ended).toEqual([null, "SIGTERM"]);
});
