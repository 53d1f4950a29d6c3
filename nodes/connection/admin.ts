/** What the form of a connection asks the runtime for: to log in, and to try the connection. */
import type { IncomingHttpHeaders } from "node:http";
import type { NodeAPI } from "node-red";
import { createClient } from "../../core/client/client";
import { logInTo, type LoginUnderWay } from "../../core/client/login";
import { standingOf } from "../../core/client/connection-check";
import { loginHtml, loginPageHeaders } from "../../core/credentials/login-page";
import type { Service } from "../../core/declaration/service";
import { isForeign } from "../foreign-requests";
import { type ConnectionForm, optionsFromForm } from "./form";
import { loginMs, Logins } from "./logins";
import { answered, type Question, type Told } from "./questions";

/** Where a person returns to, below the root of the editor, unless the connection says another address. */
const returnPath = "fxdesk/connection/return";

/** The secret that a browser has for a login. */
const cookieOf = (handle: string): string => `fxdesk-login-${handle}`;

const cookieIn = ({ cookie = "" }: IncomingHttpHeaders, name: string): string | undefined =>
  cookie
    .split(/; */)
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** Serves the forms of who may change flows, and whoever comes back from a login that was begun in one. */
export function serveConnections(RED: NodeAPI, service: Service): void {
  const logins = new Logins();
  const mayWrite = RED.auth.needsPermission("fxdesk.write");

  const tried = async (form: ConnectionForm): Promise<Told> => {
    const client = createClient(optionsFromForm(service, RED, form), service);
    try {
      const { error, ...standing } = await standingOf(client);
      return { body: { ...standing, ...(error && { message: error.message }) } };
    } finally {
      await client.close();
    }
  };

  const begun = async (form: ConnectionForm, editor: string): Promise<LoginUnderWay> => {
    const { httpAdminRoot = "/" } = RED.settings as { readonly httpAdminRoot?: string };
    const usual = new URL(returnPath, new URL(`${httpAdminRoot}/`.replaceAll("//", "/"), editor)).href;
    const options = optionsFromForm(service, RED, form);
    const login = await logInTo(service, {
      ...options,
      settings: { redirectUri: usual, ...options.settings },
    });
    const { origin } = new URL(login.redirectUri);
    if (origin !== editor)
      throw new TypeError(`redirectUri leads to ${origin}: open the editor there to log in.`);
    return login;
  };

  RED.httpAdmin.post("/fxdesk/connection/test", mayWrite, (request, response) => {
    void answered(service, request as Question, tried).then(({ status = 200, body }) =>
      response.status(status).json(body),
    );
  });

  RED.httpAdmin.post("/fxdesk/connection/login", mayWrite, (request, response) => {
    const editor = request.headers.origin ?? `${request.protocol}://${request.headers.host}`;
    const answer = async (form: ConnectionForm): Promise<Told> => {
      const login = await begun(form, editor);
      const { handle, browser } = logins.add(login);
      const { pathname, protocol } = new URL(login.redirectUri);
      response.cookie(cookieOf(handle), browser, {
        path: pathname,
        httpOnly: true,
        sameSite: "lax",
        secure: protocol === "https:",
        maxAge: loginMs,
      });
      return { body: { handle, address: login.address } };
    };
    void answered(service, request as Question, answer).then(({ status = 200, body }) =>
      response.status(status).json(body),
    );
  });

  RED.httpAdmin.get("/fxdesk/connection/login/:handle", mayWrite, (request, response, next) => {
    const state = logins.stateOf(String(request.params.handle));
    if (isForeign(request.headers)) response.status(403).end();
    else if (state) response.set("cache-control", "no-store").json(state);
    else next();
  });

  // Who comes back has no token of the editor: the state and the cookie say who it is.
  RED.httpAdmin.use((request, response, next) => {
    const address = `http://localhost${request.originalUrl}`;
    if (request.method !== "GET" || !URL.canParse(address)) return next();
    const { pathname, searchParams } = new URL(address);
    if (!logins.isAwaitedAt(pathname)) return next();
    const browserOf = (handle: string) => cookieIn(request.headers, cookieOf(handle));
    void logins
      .take({ path: pathname, parameters: searchParams, browserOf })
      .then((page) => response.status(page.status).set(loginPageHeaders).send(loginHtml(page)));
  });
}
