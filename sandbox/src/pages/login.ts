/** The page on which a person logs in. */
import { demo } from "../world/parties";
import { escaped, hidden, page } from "./html";

/** What the application asked for, and the form carries along. */
export interface LoginRequest {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly state: string;
}

export function loginPage({ client_id, redirect_uri, state }: LoginRequest, problem?: string): string {
  return page(
    "Log in",
    `<p>The application ${escaped(client_id)} asks for access to your accounts. This is a sandbox: the demo user is
${demo.email} with the password ${demo.password}.</p>
${problem ? `<p role="alert">${escaped(problem)}</p>` : ""}
<form method="post" action="login">
${hidden("client_id", client_id)}${hidden("redirect_uri", redirect_uri)}${hidden("state", state)}
<label>E-mail<input name="email" type="email" autocomplete="username" required autofocus></label>
<label>Password<input name="password" type="password" autocomplete="current-password" required></label>
<button>Log in</button>
</form>`,
  );
}
