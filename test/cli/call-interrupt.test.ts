/** Tests exit code and message of an interrupted call that changes something. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { eventually, untilEvent } from "../support/eventually";
import {
  type Fault,
  type FaultServer,
  faultServer,
  inSequence,
  respond,
  silence,
} from "../support/fault-server";
import { environmentOf, program, type Variables } from "./run-command";

const change = [
  "call",
  "accountDetails.updateAlias",
  "--account-details-id",
  "a-1",
  "--alias",
  "Collections",
];
const open = ["call", "accountDetails.open", "--country", "BE", "--currency", "EUR"];

let server: FaultServer | undefined;
let child: ChildProcessByStdio<null, Readable, Readable> | undefined;
afterEach(async () => {
  child?.kill("SIGKILL");
  await server?.close();
});

const refreshVariables = {
  FXDESK_ACCESS_TOKEN: "",
  FXDESK_REFRESH_TOKEN: "a-refresh-token",
  FXDESK_AUTH_CLIENT_ID: "an-application",
  FXDESK_AUTH_CLIENT_SECRET: "its-secret",
  FXDESK_STORE_KEY: Buffer.alloc(32, "interrupted").toString("base64"),
};

/** Runs a call and interrupts it after a number of requests; returns exit code and output. */
async function interruptCall(
  args: readonly string[],
  fault: Fault,
  { requests = 1, signal = "SIGINT" as NodeJS.Signals, variables = {} as Variables } = {},
) {
  const sockets: Socket[] = [];
  server = await faultServer((socket, number) => {
    sockets.push(socket);
    fault(socket, number);
  });
  child = spawn(process.execPath, [program, ...args], {
    env: environmentOf({
      FXDESK_BASE_URL: server.url,
      FXDESK_CLIENT_ID: "c",
      FXDESK_CONTACT_ID: "p",
      FXDESK_ACCESS_TOKEN: "a-secret-token",
      ...variables,
    }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = untilEvent(child, "close", 50_000);
  const haveArrived = () => sockets.length === requests;
  await eventually(haveArrived, {
    withinMs: 50_000,
    what: () => `${requests} requests, not ${sockets.length}`,
  });
  child.kill(signal);
  const [code] = await ended;
  const [stdout, stderr] = await output;
  return { code, stdout, stderr };
}

const mayBeDone = "It may have been carried out: check at the service before you repeat it.";

test.each(["SIGINT", "SIGTERM"] as const)(
  "a call that was sent may have been carried out: %s",
  async (signal) => {
    expect(await interruptCall(change, silence, { signal })).toEqual({
      code: 7,
      stdout: "",
      stderr: `accountDetails.updateAlias: Interrupted after it was sent. ${mayBeDone}\n`,
    });
  },
);

test("reports not-sent if the request was not sent", async () => {
  expect(await interruptCall(change, silence, { variables: refreshVariables })).toEqual({
    code: 130,
    stdout: "",
    stderr: "accountDetails.updateAlias: The call was aborted. Nothing was sent.\n",
  });
});

test("a running procedure may have been carried out", async () => {
  const fault = inSequence(respond(200, "[]"), respond(200, ""), silence);
  expect(await interruptCall(open, fault, { requests: 3 })).toEqual({
    code: 7,
    stdout: "",
    stderr: `accountDetails.open: Interrupted while it was running. ${mayBeDone}\n`,
  });
});
