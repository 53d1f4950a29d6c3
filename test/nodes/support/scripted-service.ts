/** A service that responds as a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "../../support/resources";

export interface ScriptedService {
  handler: (url: URL, response: ServerResponse, request: IncomingMessage) => void;
  readonly urls: { readonly baseUrl: string; readonly xs2aUrl: string };
}

export async function startScriptedService(): Promise<ScriptedService> {
  const server = createServer((request, response) => {
    request.resume();
    service.handler(new URL(request.url!, "http://service"), response, request);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const service: ScriptedService = {
    handler: (_url, response) => response.writeHead(404).end(),
    urls: { baseUrl: url, xs2aUrl: url },
  };
  return service;
}

export const json = (response: ServerResponse, status: number, body: unknown): unknown =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
