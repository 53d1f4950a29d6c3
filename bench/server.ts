/**
 * A minimal server that responds to every request with the same JSON. It runs in a process of its own and parses only the end
 * of a request, so that measurements show the client.
 */
import { fork } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { trade } from "./trade";

/** Two trades: about 1 KB. */
const body = JSON.stringify([trade, { ...trade, trade_id: "6a1b86d4-7f2c-4f0e-8f6e-3f9d4c2b1a22" }]);

const endOfHead = "\r\n\r\n";
const head = (connection: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: ${connection}\r\ncontent-length: ${Buffer.byteLength(body)}${endOfHead}`;
const keepAliveResponse = Buffer.from(head("keep-alive") + body);
const closeResponse = Buffer.from(head("close") + body);

function serve(): void {
  const server = createServer((socket) => {
    let unparsed: Buffer = Buffer.alloc(0);
    socket.setNoDelay(true).on("error", () => undefined);
    socket.on("data", (chunk) => {
      const received = unparsed.length === 0 ? chunk : Buffer.concat([unparsed, chunk]);
      let begin = 0;
      for (let end = received.indexOf(endOfHead); end >= 0; end = received.indexOf(endOfHead, begin)) {
        const closes = received.subarray(begin, end).includes("connection: close");
        begin = end + endOfHead.length;
        if (closes) socket.end(closeResponse);
        else socket.write(keepAliveResponse);
      }
      unparsed = received.subarray(begin);
    });
  });
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
  process.on("disconnect", () => process.exit(0));
}

/** Starts the server; returns its address and a function that stops it. */
export async function startServer(): Promise<{ url: string; stop: () => void }> {
  const child = fork(__filename, { execArgv: [] });
  const port = await new Promise<number>((resolve) =>
    child.once("message", (message) => resolve(Number(message))),
  );
  return { url: `http://127.0.0.1:${port}`, stop: () => child.disconnect() };
}

if (require.main === module) serve();
