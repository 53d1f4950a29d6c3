/** Logins that were begun in the editor, until the person has come back. */
import { randomBytes, randomUUID } from "node:crypto";
import type { KeptLogin, LoginUnderWay } from "../../core/client/login";
import { type LoginPage, notLoggedIn, notThisLogin } from "../../core/credentials/login-page";

/** How a login stands. */
export type LoginState =
  | { readonly state: "waiting" }
  | ({ readonly state: "done" } & KeptLogin)
  | { readonly state: "failed"; readonly message: string };

interface Pending {
  readonly login: LoginUnderWay;
  /** Only the browser in which the login was begun knows it: nobody is made to log in for somebody else. */
  readonly browser: string;
  state: LoginState;
  isTaken: boolean;
}

/** How long a person may take. */
export const loginMs = 5 * 60_000;

/** More are forgotten, the oldest first. */
const most = 20;

const loggedIn: LoginPage = {
  status: 200,
  title: "Logged in",
  message: "Close this page and go back to the editor: update the connection there, and deploy.",
};

/** What a browser brings along. */
export interface Returned {
  /** Path of the address, as the browser asked for it. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  /** The secret of the browser for a login. */
  readonly browserOf: (handle: string) => string | undefined;
}

export class Logins {
  readonly #pending = new Map<string, Pending>();

  /** The handle is for who asks how the login stands, the secret for the browser. */
  add(login: LoginUnderWay): { readonly handle: string; readonly browser: string } {
    const [handle, browser] = [randomUUID(), randomBytes(32).toString("base64url")];
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size >= most) this.#pending.delete(oldest);
    this.#pending.set(handle, { login, browser, state: { state: "waiting" }, isTaken: false });
    setTimeout(() => this.#pending.delete(handle), loginMs).unref();
    return { handle, browser };
  }

  /** Undefined where there is no such login any more. */
  stateOf(handle: string): LoginState | undefined {
    return this.#pending.get(handle)?.state;
  }

  /** Whether somebody is awaited at a path. */
  isAwaitedAt(path: string): boolean {
    return [...this.#pending.values()].some(({ login }) => new URL(login.redirectUri).pathname === path);
  }

  /** Takes who comes back, once, and returns what they are shown. */
  async take({ path, parameters, browserOf }: Returned): Promise<LoginPage> {
    const state = parameters.get("state");
    const found = [...this.#pending].find(
      ([handle, { login, browser, isTaken }]) =>
        !isTaken &&
        login.state === state &&
        new URL(login.redirectUri).pathname === path &&
        browserOf(handle) === browser,
    );
    if (!found) return notThisLogin;
    const [, pending] = found;
    pending.isTaken = true;
    try {
      pending.state = { state: "done", ...(await pending.login.finish(parameters)) };
      return loggedIn;
    } catch (error) {
      pending.state = { state: "failed", message: (error as Error).message };
      return notLoggedIn(error as Error);
    }
  }
}
