import { once } from "node:events";
import { createServer } from "node:net";

export const host = "127.0.0.1";

/** The usual port where it is free, else any free one. */
export async function freePort(preferred: number): Promise<number> {
  const probe = createServer();
  const listening = (port: number) => once(probe.listen(port, host), "listening");
  await listening(preferred).catch(() => listening(0));
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}
