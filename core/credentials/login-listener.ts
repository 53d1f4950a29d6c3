/** Where a person returns to after a login: a path of this machine, which is listened on for them alone. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { FxdeskError, Timeout } from "../errors";
import { isLoopback, withoutBrackets } from "../schema/host";
import { loginHtml, type LoginPage, loginPageHeaders, notLoggedIn, notThisLogin } from "./login-page";

export interface ReturnOptions {
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
export interface Returning<T> {
  /** What `finish` made of what the person brought. Rejects with an FxdeskError. */
  readonly result: Promise<T>;
}

/** Resolves when the page has left, or nobody waits for it any more. */
const show = (response: ServerResponse, page: LoginPage) =>
  new Promise<void>((resolve) => {
    response.on("close", resolve);
    response.writeHead(page.status, { ...loginPageHeaders, connection: "close" }).end(loginHtml(page));
  });

const loggedIn: LoginPage = { status: 200, title: "Logged in", message: "You may close this page." };

/** Where to listen: for an address elsewhere on the loopback, from where it is passed on. */
function placeOf({ redirectUri, port }: ReturnOptions): { host: string; port: number } {
  const { hostname, port: own, protocol } = new URL(redirectUri);
  const host = isLoopback(hostname) ? withoutBrackets(hostname) : "127.0.0.1";
  return { host, port: port ?? Number(own || (protocol === "https:" ? 443 : 80)) };
}

/** What a request asks for; undefined where it is none that a login leads to. */
function askedFor(
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
export async function listenForReturn<T>(
  options: ReturnOptions,
  finish: (parameters: URLSearchParams) => Promise<T>,
): Promise<Returning<T>> {
  const expected = new URL(options.redirectUri);
  const server = createServer();
  server.listen(placeOf(options));
  await once(server, "listening");
  const result = new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      close(server);
      reject(nobodyCame(options.timeoutMs));
    }, options.timeoutMs);
    let isTaken = false;
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      const asked = askedFor(request, expected);
      if (!asked) return void response.writeHead(404, { connection: "close" }).end();
      if (isTaken || asked.get("state") !== options.state) return void show(response, notThisLogin);
      isTaken = true;
      clearTimeout(timer);
      const end = async () => {
        try {
          const value = await finish(asked);
          await show(response, loggedIn);
          resolve(value);
        } catch (error) {
          await show(response, notLoggedIn(error as Error));
          reject(error as Error);
        }
        close(server);
      };
      void end();
    });
  });
  // Who listens may not have come to wait for it.
  result.catch(() => undefined);
  return { result };
}

/** Takes nobody else, and keeps nothing open. */
function close(server: Server): void {
  server.close();
  server.closeAllConnections();
}

const nobodyCame = (timeoutMs: number): FxdeskError =>
  new Timeout(`Nobody logged in within ${Math.round(timeoutMs / 60_000)} minutes.`, {
    operation: "login",
    code: "timeout",
    outcome: "not-sent",
    retryable: true,
  });
