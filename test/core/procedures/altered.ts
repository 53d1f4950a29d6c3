/** The sandbox behind a proxy that changes what it responds. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A JSON response, as it may be changed. */
export interface Altered {
  readonly url: URL;
  status: number;
  body: any;
}

export interface Proxy {
  readonly url: string;
  alter: (response: Altered) => void;
  close(): Promise<void>;
}

const ofConnection = /^(host|connection|accept-encoding)$/;

export async function proxyOf(target: string): Promise<Proxy> {
  const handOn = async (request: IncomingMessage, response: ServerResponse) => {
    const headers = Object.entries(request.headers).filter(([header]) => !ofConnection.test(header));
    const url = new URL(request.url!, target);
    const got = await fetch(url, { headers: Object.fromEntries(headers) as Record<string, string> });
    const altered: Altered = { url, status: got.status, body: await got.json() };
    proxy.alter(altered);
    const total = got.headers.get("x-total-count");
    response.writeHead(altered.status, {
      "content-type": "application/json",
      ...(total !== null && { "x-total-count": total }),
    });
    response.end(JSON.stringify(altered.body));
  };
  const server = createServer((request, response) => void handOn(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    alter: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
