/** Routes of the connection form: login and connection test. */
import type { IncomingHttpHeaders } from "node:http";
import type { NodeAPI } from "node-red";
import { editorAccess } from "./serve-texts";
import { createClient } from "../../core/client/client";
import { startLogin, type LoginInProgress } from "../../core/client/login";
import { checkConnection } from "../../core/client/connection-check";
import { renderLoginPage, loginPageHeaders } from "../../core/http/login-page";
import type { Service } from "../../core/spec/service";
import { optionsFromForm, serveForm } from "./connection-form";
import type { ConnectionForm } from "./deployed-values";
import { loginTimeoutMs, PendingLogins } from "./pending-logins";

/** Default redirect path after a login, below the root of the editor. */
const returnPath = "fxdesk/connection/return";

/** Returns the name of the cookie with the browser's secret for a login. */
const cookieName = (handle: string): string => `fxdesk-login-${handle}`;

const readCookie = ({ cookie = "" }: IncomingHttpHeaders, name: string): string | undefined =>
  cookie
    .split(/; */)
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** Adds the routes. They require `fxdesk.write`, except the redirect target of the login. */
export function serveConnectionActions(RED: NodeAPI, service: Service): void {
  const logins = new PendingLogins();

  const testConnection = async (form: ConnectionForm): Promise<object> => {
    const client = createClient(optionsFromForm(service, RED, form), service);
    try {
      const { error, ...status } = await checkConnection(client);
      return { ...status, ...(error && { message: error.message }) };
    } finally {
      await client.close();
    }
  };

  const startFormLogin = async (form: ConnectionForm, editor: string): Promise<LoginInProgress> => {
    const { httpAdminRoot = "/" } = RED.settings as { readonly httpAdminRoot?: string };
    const defaultRedirectUri = new URL(returnPath, new URL(`${httpAdminRoot}/`.replaceAll("//", "/"), editor))
      .href;
    const options = optionsFromForm(service, RED, form);
    const login = await startLogin(service, {
      ...options,
      settings: { redirectUri: defaultRedirectUri, ...options.settings },
    });
    const { origin } = new URL(login.redirectUri);
    if (origin !== editor)
      throw new TypeError(`redirectUri points to ${origin}. Open the editor at that address to log in.`);
    return login;
  };

  serveForm(RED, service, "test", testConnection);

  serveForm(RED, service, "login", async (form, request, response) => {
    const editor = request.headers.origin ?? `${request.protocol}://${request.headers.host}`;
    const login = await startFormLogin(form, editor);
    const { handle, browser } = logins.add(login);
    const { pathname, protocol } = new URL(login.redirectUri);
    response.cookie(cookieName(handle), browser, {
      path: pathname,
      httpOnly: true,
      sameSite: "lax",
      secure: protocol === "https:",
      maxAge: loginTimeoutMs,
    });
    return { handle, address: login.address };
  });

  RED.httpAdmin.get(
    "/fxdesk/connection/login/:handle",
    editorAccess(RED, "fxdesk.write"),
    (request, response, next) => {
      const state = logins.stateOf(String(request.params.handle));
      if (state) response.set("cache-control", "no-store").json(state);
      else next();
    },
  );

  // A returning browser sends no editor token; the state and the cookie authenticate it.
  RED.httpAdmin.use((request, response, next) => {
    const address = `http://localhost${request.originalUrl}`;
    if (request.method !== "GET" || !URL.canParse(address)) return next();
    const { pathname, searchParams } = new URL(address);
    if (!logins.hasPendingAt(pathname)) return next();
    const browserSecretOf = (handle: string) => readCookie(request.headers, cookieName(handle));
    void logins
      .complete({ path: pathname, parameters: searchParams, browserSecretOf })
      .then((page) => response.status(page.status).set(loginPageHeaders).send(renderLoginPage(page)));
  });
}
