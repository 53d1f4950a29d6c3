/** Files are received completely or not at all, and never end the process. */
import { execFile, execFileSync } from "node:child_process";
import { lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { FxdeskError, ReceivedFile } from "../../../core";
import { eventually } from "../../support/eventually";
import { type Fault, respond } from "../../support/fault-server";
import { tempFolder } from "../../support/resources";
import { startClientAndServer, failureOf, fileInput } from "../support/client-fixtures";

const large = Buffer.alloc(300_000, "statement\n");
const pdf = { "content-type": "application/pdf" };
const head = "HTTP/1.1 200 X\r\ncontent-type: application/pdf\r\n";

async function fetchFile(fault: Fault, options: object = {}) {
  const { client, server } = await startClientAndServer(fault, options);
  return { client, server, file: (await client.statements.getFile(fileInput)).body as ReceivedFile };
}

test.each<[how: string, fault: Fault]>([
  ["with a length", respond(200, large, pdf)],
  ["gzipped", respond(200, gzipSync(large), { ...pdf, "content-encoding": "gzip" })],
  [
    "in chunks",
    (socket) =>
      socket.write(
        `${head}transfer-encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n${large.toString()}\r\n0\r\n\r\n`,
      ),
  ],
])("reads and saves the complete file if it arrives %s", async (_, fault) => {
  const path = join(await tempFolder(), "file.pdf");
  const { client, file: received } = await fetchFile(fault);
  expect((await received.bytes()).equals(large)).toBe(true);
  await ((await client.statements.getFile(fileInput)).body as ReceivedFile).save(path);
  expect((await readFile(path)).equals(large)).toBe(true);
});

interface Cut {
  readonly how: string;
  readonly fault: Fault;
  /** Waits for the headers first, because a reset discards unread data. */
  readonly afterHead?: (socket: Socket) => void;
}

const gzip = { ...pdf, "content-encoding": "gzip" };
const sendHead =
  (headers: string, after: (socket: Socket) => void = () => undefined): Fault =>
  (socket) => {
    socket.write(`${head}${headers}\r\n\r\n${large.toString()}`);
    after(socket);
  };
const end = (socket: Socket) => socket.end();
const chunked = `${large.length.toString(16)}\r\n${large.toString()}\r\n`;

const cuts: Cut[] = [
  { how: "before its length", fault: sendHead("content-length: 400000", end) },
  {
    how: "before its last chunk",
    fault: (socket) => socket.end(`${head}transfer-encoding: chunked\r\n\r\n${chunked}`),
  },
  { how: "without a length", fault: sendHead("connection: close", end) },
  {
    how: "by a reset",
    fault: sendHead("content-length: 400000"),
    afterHead: (socket) => socket.resetAndDestroy(),
  },
  { how: "within its gzip", fault: respond(200, gzipSync(large).subarray(0, 300), gzip) },
  { how: "and is no gzip", fault: respond(200, large, gzip) },
];

test.each(cuts)("reports a file that is cut $how, and saves nothing", async ({ fault, afterHead }) => {
  const path = await tempFolder();
  await writeFile(join(path, "file.pdf"), "the last one");
  const sockets: Socket[] = [];
  const { client, file: received } = await fetchFile((socket, number) => {
    sockets.push(socket);
    fault(socket, number);
  });
  afterHead?.(sockets[0]!);
  const error = await failureOf(received.save(join(path, "file.pdf")));
  expect(["unavailable", "invalid_response"]).toContain(error.code);
  expect(error).toMatchObject({ operation: "statements.getFile", outcome: "unknown" });
  const again = (await client.statements.getFile(fileInput)).body as ReceivedFile;
  afterHead?.(sockets[1]!);
  await failureOf(again.bytes());
  expect(await readdir(path)).toEqual(["file.pdf"]);
  expect((await readFile(join(path, "file.pdf"))).toString()).toBe("the last one");
});

/** Ending of the transfer, and the result for a slow reader. */
const closings: [what: string, announced: string, reset: boolean, ending: string][] = [
  ["ends after a whole file", `content-length: ${large.length}\r\n`, false, "whole"],
  ["ends before its length", `content-length: ${large.length + 1}\r\n`, false, "unavailable"],
  ["ends without a length", "", false, "invalid_response"],
  ["breaks after a file without a length", "", true, "invalid_response"],
];

test.each(closings)(
  "gives a slow reader the same result if the connection %s",
  async (_, announced, reset, ending) => {
    let all = 0;
    const { client, server } = await startClientAndServer((socket) => {
      socket.write(`${head}connection: close\r\n${announced}\r\n`);
      socket.write(large, () => {
        if (reset) socket.resetAndDestroy();
        else socket.end();
        all += 1;
      });
    });
    // Many files, because the race between reader and connection is rare.
    const files = await Promise.all(Array.from({ length: 8 }, () => client.statements.getFile(fileInput)));
    await eventually(() => all === server.heads.length, { withinMs: 20_000, what: "the end of all files" });
    const endings = await Promise.all(files.map(({ body }) => readSlowly(body as ReceivedFile)));
    expect(new Set(endings)).toEqual(new Set([ending]));
  },
);

async function readSlowly({ stream }: ReceivedFile): Promise<string> {
  let length = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      await nextTurn();
    }
  } catch (error) {
    return (error as FxdeskError).code;
  }
  return length === large.length ? "whole" : `${length} bytes`;
}

const saved = async (path: string) => (await fetchFile(respond(200, large, pdf))).file.save(path);

describe("the path of a saved file", () => {
  test("is resolved through links, which remain", async () => {
    const path = await tempFolder();
    await mkdir(join(path, "archive"));
    await writeFile(join(path, "archive/file.pdf"), "the last one");
    await symlink("archive/file.pdf", join(path, "near.pdf"));
    await symlink("near.pdf", join(path, "far.pdf"));
    expect(await saved(join(path, "far.pdf"))).toBe(large.length);
    expect(await readFile(join(path, "archive/file.pdf"))).toEqual(large);
    expect(await readlink(join(path, "far.pdf"))).toBe("near.pdf");
    expect((await readdir(path)).toSorted()).toEqual(["archive", "far.pdf", "near.pdf"]);
  });

  test("may be a FIFO, which remains one", async () => {
    const path = await tempFolder();
    const fifo = join(path, "fifo");
    execFileSync("mkfifo", [fifo]);
    const read = promisify(execFile)("cat", [fifo], { encoding: "buffer", timeout: 20_000 });
    expect(await saved(fifo)).toBe(large.length);
    expect((await read).stdout).toEqual(large);
    expect((await lstat(fifo)).isFIFO()).toBe(true);
    expect(await readdir(path)).toEqual(["fifo"]);
  });

  test("must not be a folder", async () => {
    const path = await tempFolder();
    await mkdir(join(path, "archive"));
    const { file: received } = await fetchFile(respond(200, large, pdf));
    expect(await failureOf(received.save(join(path, "archive")))).toMatchObject({ code: "file" });
    expect(await readdir(path)).toEqual(["archive"]);
    expect(received.stream.destroyed).toBe(true);
  });
});

test("refuses to read a file twice", async () => {
  const path = await tempFolder();
  const { file: received } = await fetchFile(respond(200, large, pdf));
  await received.bytes();
  expect(await failureOf(received.bytes())).toMatchObject({ code: "file" });
  expect(await failureOf(received.save(join(path, "file.pdf")))).toMatchObject({ code: "file" });
  expect(await readdir(path)).toEqual([]);
});

test("ends an unread file at the time limit and frees its connection", async () => {
  const sockets: Socket[] = [];
  const { file: received } = await fetchFile(
    (socket) => {
      sockets.push(socket);
      socket.write(`${head}content-length: 9000000\r\n\r\n${large.toString()}`);
    },
    { timeoutMs: 2_000 },
  );
  await eventually(() => received.stream.closed, { withinMs: 20_000, what: "the end of the file" });
  expect(await failureOf(received.bytes())).toMatchObject({ code: "timeout" });
  await eventually(() => sockets.every((socket) => socket.destroyed), { withinMs: 20_000, what: "its end" });
});

test("abandons unread files on close, and waits for those being read", async () => {
  const {
    client,
    server,
    file: unread,
  } = await fetchFile((socket, number) =>
    socket.write(
      `${head}content-length: ${number === 1 ? 9_000_000 : large.length}\r\n\r\n${large.toString()}`,
    ),
  );
  const read = (await client.statements.getFile(fileInput)).body as ReceivedFile;
  const chunks = read.stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  await chunks.next();
  const closing = client.close();
  expect(await failureOf(unread.bytes())).toMatchObject({ code: "aborted" });
  for (let step = await chunks.next(); !step.done; step = await chunks.next()) await nextTurn();
  await closing;
  expect(server.heads).toHaveLength(2);
});

test("reports a file in an unknown coding, and can close the client", async () => {
  const { client } = await startClientAndServer(respond(200, large, { ...pdf, "content-encoding": "zstd" }));
  const error = await failureOf(client.statements.getFile(fileInput));
  expect(error).toMatchObject({ code: "invalid_response", outcome: "unknown" });
  expect(error.message).toContain("zstd");
});
