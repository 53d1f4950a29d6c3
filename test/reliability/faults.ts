/** Setup of each fault. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { startHalt } from "../../core/store/halt";
import { withStore } from "../../core/store/open";
import { closedPortUrl } from "../core/support/client-fixtures";
import { startFullBacklogServer } from "../core/support/stalled-servers";
import { type Fault, inSequence, reset, respond, silence } from "../support/fault-server";
import type { Call } from "./calls";
import type { FaultName } from "./matrix";

type Response = (call: Call, abort: () => void) => Fault;

/** Conditions of one call. */
export interface FaultSetup {
  /** Response of the service; not used if there is an address. */
  readonly fault?: Response;
  /** Address to call instead of a responding service. */
  readonly address?: () => Promise<string>;
  readonly timeoutMs?: number;
  /** The access token can be refreshed. */
  readonly renews?: true;
  /** The caller aborts before the call starts. */
  readonly aborted?: true;
  /** Location of the store, in a folder for this call. */
  readonly store?: (folder: string) => Promise<string>;
}

const shortTimeoutMs = 250;
const oversizedBytes = 33 * 1024 * 1024;
/** Enough for all kinds of calls at once on a busy machine. */
const oversizedTimeoutMs = 90_000;

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Response =>
  () =>
    respond(code, '{"code":"c","message":"m","details":"d"}', headers);

const success =
  (body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Response =>
  (call) =>
    respond(call.status, body, headers);

let bomb: Buffer | undefined;

export const faults: Readonly<Record<FaultName, FaultSetup>> = {
  refused: { address: closedPortUrl },
  // Not a valid host name: one label is too long.
  nameless: { address: () => Promise.resolve(`http://${"x".repeat(64)}.example`) },
  hangs: { address: async () => `http://${await startFullBacklogServer()}`, timeoutMs: shortTimeoutMs },
  reset: { fault: () => reset },
  halfHead: { fault: () => (socket) => socket.end("HTTP/1.1 200 X\r\ncontent-le") },
  halfBody: {
    fault: (call) => (socket) => socket.end(`HTTP/1.1 ${call.status} X\r\ncontent-length: 99\r\n\r\n[`),
  },
  // Long enough to send the request on a busy machine.
  silence: { fault: () => silence, timeoutMs: 8 * shortTimeoutMs },
  status400: { fault: status(400) },
  status401: { fault: status(401) },
  expired: { fault: ({ good }) => inSequence(respond(401), good), renews: true },
  status403: { fault: status(403) },
  status404: { fault: status(404) },
  status409: { fault: status(409) },
  status429: { fault: status(429) },
  retryAfter: { fault: ({ good }) => inSequence(respond(429, "", { "retry-after": "0" }), good) },
  retryTooLate: { fault: status(429, { "retry-after": "3600" }) },
  status500: { fault: status(500) },
  status502: { fault: status(502) },
  status503: { fault: status(503) },
  status504: { fault: status(504) },
  passing: { fault: ({ good }) => inSequence(respond(503), good) },
  html: { fault: success("<html>", { "content-type": "text/html" }) },
  empty: { fault: success("{}") },
  shape: { fault: success('{"trade_id":7,"alias":7}') },
  redirect: { fault: () => respond(302, "", { location: "http://127.0.0.1:1/elsewhere" }) },
  large: {
    fault: (call) => respond(call.status, Buffer.alloc(oversizedBytes, " ")),
    timeoutMs: oversizedTimeoutMs,
  },
  bomb: {
    fault: (call) => {
      bomb ??= gzipSync(Buffer.alloc(oversizedBytes, " "));
      return respond(call.status, bomb, { "content-encoding": "gzip" });
    },
    timeoutMs: oversizedTimeoutMs,
  },
  halted: {
    fault: ({ good }) => good,
    store: async (folder) => {
      const location = join(folder, "store.db");
      await withStore({ location, key: undefined }, (store) =>
        startHalt(store, { environment: undefined, by: "jane", reason: "wrong rates" }),
      );
      return location;
    },
  },
  storeBroken: {
    fault: ({ good }) => good,
    store: async (folder) => {
      const place = join(folder, "store.db");
      await writeFile(place, "This text is not a database, although it has its path.", { mode: 0o600 });
      return place;
    },
  },
  abortedBefore: { fault: ({ good }) => good, aborted: true },
  abortedAfter: {
    fault:
      ({ good }, abort) =>
      (socket, number) => {
        abort();
        setImmediate(() => good(socket, number));
      },
  },
};
