/** A proxy of the sandbox that changes its responses, closed with its test. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "../../support/resources";

/** A response with a JSON body, or none, that a test may change. Text is sent unchanged. */
export interface AlterableResponse {
  readonly url: URL;
  status: number;
  headers: Record<string, string>;
  body: any;
}

export interface Proxy {
  readonly url: string;
  alter: (response: AlterableResponse) => void;
}

const connectionHeaders = /^(host|connection|keep-alive|(accept|content|transfer)-encoding|content-length)$/;
const withoutConnection = (headers: Iterable<readonly [string, unknown]>) =>
  Object.fromEntries([...headers].filter(([name]) => !connectionHeaders.test(name))) as Record<
    string,
    string
  >;

export async function startAlteringProxy(target: string): Promise<Proxy> {
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url!, target);
    const sent = Buffer.concat((await request.toArray()) as Buffer[]);
    const upstream = await fetch(url, {
      method: request.method!,
      headers: withoutConnection(Object.entries(request.headers)),
      ...(sent.length > 0 && { body: sent }),
    });
    const bytes = Buffer.from(await upstream.arrayBuffer());
    const isJson = upstream.headers.get("content-type")?.includes("json");
    const altered: AlterableResponse = {
      url,
      status: upstream.status,
      headers: withoutConnection(upstream.headers),
      body: isJson ? (JSON.parse(bytes.toString()) as unknown) : bytes,
    };
    if (isJson || bytes.length === 0) proxy.alter(altered);
    const { status, headers, body } = altered;
    response.writeHead(status, headers);
    response.end(typeof body === "string" || body instanceof Buffer ? body : JSON.stringify(body));
  };
  const port = await listen(createServer((request, response) => void forward(request, response)));
  const proxy: Proxy = { url: `http://127.0.0.1:${port}`, alter: () => undefined };
  return proxy;
}
