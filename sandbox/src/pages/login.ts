/** Login page. */
import { demo } from "../world/parties/parties";
import { cardPage } from "./page-template";
import { hiddenInput, html } from "./html";

/** Parameters of the application's request, passed through the form. */
export interface LoginRequest {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly state: string;
}

/** Error of the previous attempt. */
interface FailedLogin {
  readonly message: string;
  readonly email: string;
}

export function loginPage(
  { client_id, redirect_uri, state }: LoginRequest,
  demoUser: { readonly email: string },
  failed?: FailedLogin,
): string {
  const [emailFocus, passwordFocus] = failed ? [undefined, html`autofocus`] : [html`autofocus`, undefined];
  return cardPage(
    "Log in",
    html`<p>The application <b>${client_id}</b> requests access to your accounts.</p>
      <p>The demo user is ${demoUser.email} with the password ${demo.password}.</p>
      ${failed && html`<p role="alert">${failed.message}</p>`}
      <form method="post" action="login">
        ${hiddenInput("client_id", client_id)}${hiddenInput("redirect_uri", redirect_uri)}${hiddenInput("state", state)}
        <label
          ><span>E-mail</span
          ><input
            name="email"
            type="email"
            value="${failed?.email}"
            autocomplete="username"
            required
            ${emailFocus}
        /></label>
        <label
          ><span>Password</span
          ><input name="password" type="password" autocomplete="current-password" required ${passwordFocus}
        /></label>
        <button>Log in</button>
      </form>`,
  );
}
