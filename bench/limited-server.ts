/** A service with a rate limit per second (429 above it), in a process of its own. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Counts {
  readonly taken: number;
  readonly refused: number;
}

export interface LimitedServer {
  readonly url: string;
  /** Stops the server and returns its counts. */
  stop(): Promise<Counts>;
}

function serve(perSecond: number): void {
  const times: number[] = [];
  let taken = 0;
  let refused = 0;
  const server = createServer((_, response) => {
    const now = performance.now();
    while (times.length > 0 && times[0]! <= now - 1_000) times.shift();
    const isTaken = times.length < perSecond;
    if (isTaken) times.push(now);
    if (isTaken) taken += 1;
    else refused += 1;
    response.writeHead(isTaken ? 200 : 429, { "content-type": "application/json" }).end("[]");
  });
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
  process.on("message", () => process.send!({ taken, refused }, () => process.exit(0)));
  process.on("disconnect", () => process.exit(0));
}

export async function startLimitedServer(perSecond: number): Promise<LimitedServer> {
  const child = fork(__filename, [String(perSecond)], { execArgv: [] });
  const [port] = (await once(child, "message")) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.send("stop");
      return ((await once(child, "message")) as [Counts])[0];
    },
  };
}

if (require.main === module) serve(Number(process.argv[2]));
