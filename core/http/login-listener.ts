/** Local HTTP listener for the redirect at the end of a login. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { createError, type FxdeskError } from "../spec/errors";
import { isLoopback, withoutBrackets } from "../values/host";
import {
  renderLoginPage,
  type LoginPage,
  loginPageHeaders,
  failedLoginPage,
  unknownLoginPage,
} from "./login-page";

interface RedirectOptions {
  /** Redirect address exactly as registered. */
  readonly redirectUri: string;
  /** Port to listen on, if a proxy forwards the redirect address to it. Default: the port of the address. */
  readonly port?: number | undefined;
  /** Expected OAuth state. */
  readonly state: string;
  /** Time limit for the person to log in. */
  readonly timeoutMs: number;
}

/** A listener waiting for the redirect. */
interface PendingRedirect<T> {
  /** Result of `finish`. Rejects with an FxdeskError. */
  readonly result: Promise<T>;
}

/** Sends a page. Resolves when the connection is closed. */
const sendPage = (response: ServerResponse, page: LoginPage) =>
  new Promise<void>((resolve) => {
    response.on("close", resolve);
    response.writeHead(page.status, { ...loginPageHeaders, connection: "close" }).end(renderLoginPage(page));
  });

const loggedInPage: LoginPage = { status: 200, title: "Logged in", message: "You may close this page." };

/** Returns the local address to listen on. Redirect addresses on other hosts are forwarded to the loopback interface. */
function listenAddressOf({ redirectUri, port }: RedirectOptions): { host: string; port: number } {
  const { hostname, port: redirectPort, protocol } = new URL(redirectUri);
  const host = isLoopback(hostname) ? withoutBrackets(hostname) : "127.0.0.1";
  return { host, port: port ?? Number(redirectPort || (protocol === "https:" ? 443 : 80)) };
}

/** Returns the parameters of a redirect, or undefined for any other request. */
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
 * Listens for one redirect with the expected state, and passes its parameters to `finish`. Other requests get an error page and
 * do not end the wait. Rejects with the system error if the port cannot be opened.
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
  // Avoids an unhandled rejection if the caller does not await the result yet.
  result.catch(() => undefined);
  return { result };
}

function closeServer(server: Server): void {
  server.close();
  server.closeAllConnections();
}

const loginTimeoutError = (timeoutMs: number): FxdeskError =>
  createError(
    "login",
    "timeout",
    "not-sent",
    `The login was not completed within ${Math.round(timeoutMs / 60_000)} minutes.`,
    { retryable: true },
  );
