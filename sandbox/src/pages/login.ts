/** The page on which a person logs in. */
import { demo } from "../world/parties/parties";
import { page } from "./document";
import { hidden, html } from "./html";

/** What the application asked for, and the form carries along. */
export interface LoginRequest {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly state: string;
}

/** What became of a login that failed. */
interface Failed {
  readonly message: string;
  readonly email: string;
}

export function loginPage(
  { client_id, redirect_uri, state }: LoginRequest,
  known: { readonly email: string },
  failed?: Failed,
): string {
  const [atEmail, atPassword] = failed ? [undefined, html`autofocus`] : [html`autofocus`, undefined];
  return page(
    "Log in",
    html`<p>The application <b>${client_id}</b> asks for access to your accounts.</p>
      <p>The demo user is ${known.email} with the password ${demo.password}.</p>
      ${failed && html`<p role="alert">${failed.message}</p>`}
      <form method="post" action="login">
        ${hidden("client_id", client_id)}${hidden("redirect_uri", redirect_uri)}${hidden("state", state)}
        <label
          ><span>E-mail</span
          ><input
            name="email"
            type="email"
            value="${failed?.email}"
            autocomplete="username"
            required
            ${atEmail}
        /></label>
        <label
          ><span>Password</span
          ><input name="password" type="password" autocomplete="current-password" required ${atPassword}
        /></label>
        <button>Log in</button>
      </form>`,
  );
}
