/** A TCP server with scripted responses that records what arrived. */
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { Declaration } from "@fxdesk/toolkit/operations";
import { requestServer } from "./fault-server";

/** Scripted handling of one request. */
export type PlannedResponse =
  | {
      readonly kind: "respond";
      readonly status: number;
      readonly body: string;
      readonly as: "length" | "chunked" | "close" | "gzip";
    }
  | { readonly kind: "reset" | "close" | "silence" | "garbage" | "half-head" | "drip" }
  | {
      readonly kind: "cut";
      readonly status: number;
      readonly body: string;
      readonly as: "length" | "chunked";
    };

/** Statuses for random responses, documented or not. */
export const statuses = [
  200, 201, 202, 203, 204, 207, 301, 302, 304, 307, 400, 401, 403, 404, 405, 408, 409, 418, 422, 429, 499,
  500, 502, 503, 504, 599,
];

/** Bodies for random responses that prove nothing. */
export const unexpectedBodies = [
  "",
  "null",
  "{}",
  "[]",
  "7",
  '"done"',
  "<html>",
  '{"code":"c","message":"m","details":"d"}',
  '{"tppMessages":[null]}',
];

/** Returns the body of a success with the ID of its resource, if the operation has one. */
export function provingBody({ identifiedBy, pages }: Declaration, identity: string): string {
  if (pages) return "[]";
  return JSON.stringify(identifiedBy === undefined ? {} : { [identifiedBy]: identity });
}

/** Record of the calls with one ID. */
export interface SeenCalls {
  /** Number of complete request heads. */
  heads: number;
  /** Statuses of responses whose head was sent. */
  readonly statuses: number[];
  /** Bytes of each request, head and body, as Latin-1 text. */
  readonly requests: string[];
}

export interface WitnessServer {
  readonly url: string;
  /** Records by ID. */
  readonly seen: ReadonlyMap<string, SeenCalls>;
  /** Scripts the handling of calls with an ID. */
  plan(id: string, fate: PlannedResponse | ((request: string) => PlannedResponse)): void;
  /** Resolves when all connections are closed; until then, data may still arrive. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const identifier = /(?:x-contact-id|x-request-id): ([0-9a-f-]{36})/i;

const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);

function head(status: number, headers: Readonly<Record<string, string | number>>): Buffer {
  const lines = Object.entries({ "content-type": "application/json", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join("")}\r\n`);
}

function encodeResponse({ status, body, as }: PlannedResponse & { kind: "respond" }): Buffer {
  const bytes = Buffer.from(body);
  const zipped = gzipSync(bytes);
  switch (as) {
    case "length":
      return Buffer.concat([head(status, { "content-length": bytes.length }), bytes]);
    case "gzip":
      return Buffer.concat([
        head(status, { "content-length": zipped.length, "content-encoding": "gzip" }),
        zipped,
      ]);
    case "chunked":
      return Buffer.concat([
        head(status, { "transfer-encoding": "chunked" }),
        chunk(bytes),
        Buffer.from("0\r\n\r\n"),
      ]);
    case "close":
      return Buffer.concat([head(status, { connection: "close" }), bytes]);
  }
}

const encodeCutResponse = ({ status, body, as }: PlannedResponse & { kind: "cut" }): Buffer =>
  as === "chunked"
    ? Buffer.concat([
        head(status, { "transfer-encoding": "chunked" }),
        chunk(Buffer.from(body.slice(0, -1) || " ")),
      ])
    : Buffer.concat([head(status, { "content-length": body.length + 10 }), Buffer.from(body)]);

function play(socket: Socket, fate: PlannedResponse): void {
  switch (fate.kind) {
    case "respond":
      socket.write(encodeResponse(fate));
      if (fate.as === "close") socket.end();
      return;
    case "cut":
      socket.end(encodeCutResponse(fate));
      return;
    case "reset":
      socket.resetAndDestroy();
      return;
    case "close":
      socket.end();
      return;
    case "garbage":
      socket.end("no http\r\n\r\n");
      return;
    case "half-head":
      socket.end("HTTP/1.1 201 X\r\ncontent-le");
      return;
    case "drip": {
      socket.write("HTTP/1.1 200 X\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
      const timer = setInterval(() => socket.write("1\r\n \r\n"), 5);
      socket.on("close", () => clearInterval(timer));
      return;
    }
    case "silence":
  }
}

export async function startWitnessServer(): Promise<WitnessServer> {
  const plannedResponses = new Map<string, PlannedResponse | ((request: string) => PlannedResponse)>();
  const seen = new Map<string, SeenCalls>();
  const { url, sockets, close } = await requestServer((socket, request) => {
    const id = identifier.exec(request)?.[1] ?? "";
    const known = seen.get(id) ?? { heads: 0, statuses: [], requests: [] };
    seen.set(id, known);
    known.heads += 1;
    known.requests.push(request);
    const expected = plannedResponses.get(id) ?? { kind: "reset" };
    const fate = typeof expected === "function" ? expected(request) : expected;
    if ("status" in fate) known.statuses.push(fate.status);
    if (fate.kind === "drip") known.statuses.push(200);
    play(socket, fate);
  });
  return {
    url,
    seen,
    plan: (id, fate) => void plannedResponses.set(id, fate),
    settled: async () => {
      while (sockets.size > 0)
        await Promise.all(
          [...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))),
        );
    },
    close,
  };
}
