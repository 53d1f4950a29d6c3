/** A service that holds every response until it is told to give it, and sees which requests were cut off meanwhile. */
import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { type Fault, type FaultServer, faultServer } from "./fault-server";

export interface HeldServer extends FaultServer {
  /** Resolves when this many requests have arrived whole. */
  untilArrived(count: number): Promise<void>;
  /** Responds to the request that has waited longest. */
  respond(fault: Fault): void;
  /** Connections that the other end closed before their response. */
  cutCount(): number;
  /** Resolves when that has happened to this many. */
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
