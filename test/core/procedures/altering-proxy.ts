/** A proxy of the sandbox that changes its responses. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A JSON response that a test may change. */
export interface AlterableResponse {
  readonly url: URL;
  status: number;
  body: any;
}

export interface Proxy {
  readonly url: string;
  alter: (response: AlterableResponse) => void;
  close(): Promise<void>;
}

const connectionHeaders = /^(host|connection|accept-encoding)$/;

export async function startAlteringProxy(target: string): Promise<Proxy> {
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const headers = Object.entries(request.headers).filter(([header]) => !connectionHeaders.test(header));
    const url = new URL(request.url!, target);
    const upstream = await fetch(url, { headers: Object.fromEntries(headers) as Record<string, string> });
    const altered: AlterableResponse = { url, status: upstream.status, body: await upstream.json() };
    proxy.alter(altered);
    const total = upstream.headers.get("x-total-count");
    response.writeHead(altered.status, {
      "content-type": "application/json",
      ...(total !== null && { "x-total-count": total }),
    });
    response.end(JSON.stringify(altered.body));
  };
  const server = createServer((request, response) => void forward(request, response));
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
