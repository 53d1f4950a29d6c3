/** Logins that were begun in the editor, until the person has come back. */
import { randomBytes, randomUUID } from "node:crypto";
import type { StoredLogin, LoginInProgress } from "../../core/client/login";
import { type LoginPage, failedLoginPage, unknownLoginPage } from "../../core/credentials/login-page";

/** How a login stands. */
export type LoginState =
  | { readonly state: "waiting" }
  | ({ readonly state: "done" } & StoredLogin)
  | { readonly state: "failed"; readonly message: string };

interface PendingLogin {
  readonly login: LoginInProgress;
  /** Only the browser in which the login was begun knows it: nobody is made to log in for somebody else. */
  readonly browserSecret: string;
  state: LoginState;
  isCompleted: boolean;
}

/** How long a person may take. */
export const loginTimeoutMs = 5 * 60_000;

/** More are forgotten, the oldest first. */
const maxPending = 20;

const loggedInPage: LoginPage = {
  status: 200,
  title: "Logged in",
  message: "Close this page and go back to the editor: update the connection there, and deploy.",
};

/** What a browser brings along. */
export interface LoginReturn {
  /** Path of the address, as the browser asked for it. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  /** The secret of the browser for a login. */
  readonly browserSecretOf: (handle: string) => string | undefined;
}

export class PendingLogins {
  readonly #pending = new Map<string, PendingLogin>();

  /** The handle is for who asks how the login stands, the secret for the browser. */
  add(login: LoginInProgress): { readonly handle: string; readonly browser: string } {
    const [handle, browserSecret] = [randomUUID(), randomBytes(32).toString("base64url")];
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size >= maxPending) this.#pending.delete(oldest);
    this.#pending.set(handle, { login, browserSecret, state: { state: "waiting" }, isCompleted: false });
    setTimeout(() => this.#pending.delete(handle), loginTimeoutMs).unref();
    return { handle, browser: browserSecret };
  }

  /** Undefined where there is no such login any more. */
  stateOf(handle: string): LoginState | undefined {
    return this.#pending.get(handle)?.state;
  }

  /** Whether somebody is awaited at a path. */
  hasPendingAt(path: string): boolean {
    return [...this.#pending.values()].some(({ login }) => new URL(login.redirectUri).pathname === path);
  }

  /** Takes who comes back, once, and returns what they are shown. */
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
