/** A service that holds responses until released, and counts requests aborted meanwhile. */
import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { type Fault, type FaultServer, faultServer } from "./fault-server";

export interface HeldServer extends FaultServer {
  /** Resolves after this many complete requests. */
  untilArrived(count: number): Promise<void>;
  /** Responds to the oldest request. */
  respond(fault: Fault): void;
  /** Connections closed by the client before their response. */
  cutCount(): number;
  /** Resolves after this many such connections. */
  untilCutOff(count: number): Promise<void>;
}

export async function heldServer(): Promise<HeldServer> {
  const changed = new EventEmitter();
  const waiting: Socket[] = [];
  let cut = 0;
  const hold: Fault = (socket) => {
    waiting.push(socket);
    socket.once("close", () => {
      if (!waiting.includes(socket)) return;
      cut += 1;
      changed.emit("change");
    });
    // `heads` counts the request only after this.
    setImmediate(() => changed.emit("change"));
  };
  const server = await faultServer(hold);
  const until = async (holds: () => boolean) => {
    while (!holds()) await once(changed, "change");
  };
  return {
    ...server,
    untilArrived: (count) => until(() => server.heads.length >= count),
    respond: (fault) => fault(waiting.shift()!, 1),
    cutCount: () => cut,
    untilCutOff: (count) => until(() => cut >= count),
  };
}
