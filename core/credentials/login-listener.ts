/** Where a person returns to after a login: a path of this machine, which is listened on for them alone. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { FxdeskError, Timeout } from "../errors";
import { isLoopback, withoutBrackets } from "../schema/host";
import {
  renderLoginPage,
  type LoginPage,
  loginPageHeaders,
  failedLoginPage,
  unknownLoginPage,
} from "./login-page";

export interface RedirectOptions {
  /** The address as it is registered. */
  readonly redirectUri: string;
  /** Where to listen, where that is not the port of the address: what arrives there is passed on. */
  readonly port?: number | undefined;
  /** What the person brings along. */
  readonly state: string;
  /** How long they may take. */
  readonly timeoutMs: number;
}

/** Waits for one person. */
export interface PendingRedirect<T> {
  /** What `finish` made of what the person brought. Rejects with an FxdeskError. */
  readonly result: Promise<T>;
}

/** Resolves when the page has left, or nobody waits for it any more. */
const sendPage = (response: ServerResponse, page: LoginPage) =>
  new Promise<void>((resolve) => {
    response.on("close", resolve);
    response.writeHead(page.status, { ...loginPageHeaders, connection: "close" }).end(renderLoginPage(page));
  });

const loggedInPage: LoginPage = { status: 200, title: "Logged in", message: "You may close this page." };

/** Where to listen: for an address elsewhere on the loopback, from where it is passed on. */
function listenAddressOf({ redirectUri, port }: RedirectOptions): { host: string; port: number } {
  const { hostname, port: redirectPort, protocol } = new URL(redirectUri);
  const host = isLoopback(hostname) ? withoutBrackets(hostname) : "127.0.0.1";
  return { host, port: port ?? Number(redirectPort || (protocol === "https:" ? 443 : 80)) };
}

/** What a request asks for; undefined where it is none that a login leads to. */
function parseRedirect(
  { method, headers, url = "" }: IncomingMessage,
  expected: URL,
): URLSearchParams | undefined {
  const address = expected.origin + url;
  if (method !== "GET" || headers.host !== expected.host || !URL.canParse(address)) return undefined;
  const { pathname, searchParams } = new URL(address);
  return pathname === expected.pathname ? searchParams : undefined;
}

/**
 * Listens for a person who comes back with the state, once, and gives what they bring to `finish`. Whoever else comes is
 * turned away, and ends nothing. Rejects where nobody can listen there, with the error of the system.
 */
export async function listenForRedirect<T>(
  options: RedirectOptions,
  finish: (parameters: URLSearchParams) => Promise<T>,
): Promise<PendingRedirect<T>> {
  const expected = new URL(options.redirectUri);
  const server = createServer();
  server.listen(listenAddressOf(options));
  await once(server, "listening");
  const result = new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      closeServer(server);
      reject(loginTimeoutError(options.timeoutMs));
    }, options.timeoutMs);
    let isHandled = false;
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      const parameters = parseRedirect(request, expected);
      if (!parameters) return void response.writeHead(404, { connection: "close" }).end();
      if (isHandled || parameters.get("state") !== options.state)
        return void sendPage(response, unknownLoginPage);
      isHandled = true;
      clearTimeout(timer);
      const finishLogin = async () => {
        try {
          const value = await finish(parameters);
          await sendPage(response, loggedInPage);
          resolve(value);
        } catch (error) {
          await sendPage(response, failedLoginPage(error as Error));
          reject(error as Error);
        }
        closeServer(server);
      };
      void finishLogin();
    });
  });
  // Who listens may not have come to wait for it.
  result.catch(() => undefined);
  return { result };
}

/** Takes nobody else, and keeps nothing open. */
function closeServer(server: Server): void {
  server.close();
  server.closeAllConnections();
}

const loginTimeoutError = (timeoutMs: number): FxdeskError =>
  new Timeout(`Nobody logged in within ${Math.round(timeoutMs / 60_000)} minutes.`, {
    operation: "login",
    code: "timeout",
    outcome: "not-sent",
    retryable: true,
  });
