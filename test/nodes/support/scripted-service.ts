/** A service that responds as a test says, and the flow of one node that calls it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { untilEvent } from "../../support/eventually";

type Handler = (url: URL, response: ServerResponse, request: IncomingMessage) => void;

export class ScriptedService {
  handler: Handler = (_url, response) => response.writeHead(404).end();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedService> {
    const server = createServer((request, response) => {
      request.resume();
      service.handler(new URL(request.url!, "http://service"), response, request);
    }).listen(0, "127.0.0.1");
    const service = new ScriptedService(server);
    await untilEvent(server, "listening");
    return service;
  }

  get urls(): { readonly baseUrl: string; readonly xs2aUrl: string } {
    const url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return { baseUrl: url, xs2aUrl: url };
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

export const json = (response: ServerResponse, status: number, body: unknown): unknown =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
