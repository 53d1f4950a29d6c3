import { once } from "node:events";
import { createServer } from "node:net";

export const host = "127.0.0.1";

/** Returns the preferred port if it is free, otherwise any free port, which it reports with the name of its user. */
export async function freePort(
  preferred: number,
  user = "",
  report: (text: string) => void = () => undefined,
): Promise<number> {
  const probe = createServer();
  const listening = (port: number) => once(probe.listen(port, host), "listening");
  await listening(preferred).catch(() => listening(0));
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  if (port !== preferred) report(`Port ${preferred} is in use, so ${user} uses port ${port}.`);
  return port;
}
