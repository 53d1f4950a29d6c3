/** Logins started in the editor, until the browser returns. */
import { randomBytes, randomUUID } from "node:crypto";
import type { StoredLogin, LoginInProgress } from "../../core/client/login";
import { type LoginPage, failedLoginPage, unknownLoginPage } from "../../core/http/login-page";

/** State of a login. */
export type LoginState =
  | { readonly state: "waiting" }
  | ({ readonly state: "done" } & StoredLogin)
  | { readonly state: "failed"; readonly message: string };

interface PendingLogin {
  readonly login: LoginInProgress;
  /** Known only to the browser that started the login, to prevent login CSRF. */
  readonly browserSecret: string;
  state: LoginState;
  isCompleted: boolean;
}

/** Time limit of a login. */
export const loginTimeoutMs = 5 * 60_000;

/** Maximum number of pending logins. The oldest is dropped. */
const maxPending = 20;

const loggedInPage: LoginPage = {
  status: 200,
  title: "Logged in",
  message: "Close this page and return to the editor. Update the connection there and deploy.",
};

/** Request of a browser that returns from the login page. */
export interface LoginReturn {
  /** Path of the request. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  /** Returns the browser's secret for a login. */
  readonly browserSecretOf: (handle: string) => string | undefined;
}

export class PendingLogins {
  readonly #pending = new Map<string, PendingLogin>();

  /** Adds a login. Returns a handle for polling its state and a secret for the browser. */
  add(login: LoginInProgress): { readonly handle: string; readonly browser: string } {
    const [handle, browserSecret] = [randomUUID(), randomBytes(32).toString("base64url")];
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size >= maxPending) this.#pending.delete(oldest);
    this.#pending.set(handle, { login, browserSecret, state: { state: "waiting" }, isCompleted: false });
    setTimeout(() => this.#pending.delete(handle), loginTimeoutMs).unref();
    return { handle, browser: browserSecret };
  }

  /** Returns the state of a login, or undefined if it is unknown or expired. */
  stateOf(handle: string): LoginState | undefined {
    return this.#pending.get(handle)?.state;
  }

  /** True if a pending login returns to this path. */
  hasPendingAt(path: string): boolean {
    return [...this.#pending.values()].some(({ login }) => new URL(login.redirectUri).pathname === path);
  }

  /** Completes the login of a returning browser, once. Returns the page to show. */
  async complete({ path, parameters, browserSecretOf }: LoginReturn): Promise<LoginPage> {
    const state = parameters.get("state");
    const found = [...this.#pending].find(
      ([handle, { login, browserSecret, isCompleted }]) =>
        !isCompleted &&
        login.state === state &&
        new URL(login.redirectUri).pathname === path &&
        browserSecretOf(handle) === browserSecret,
    );
    if (!found) return unknownLoginPage;
    const [, pending] = found;
    pending.isCompleted = true;
    try {
      pending.state = { state: "done", ...(await pending.login.finish(parameters)) };
      return loggedInPage;
    } catch (error) {
      pending.state = { state: "failed", message: (error as Error).message };
      return failedLoginPage(error as Error);
    }
  }
}
