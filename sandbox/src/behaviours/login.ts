/** The login page. Contract: endpoint 25. */
import type { BehavioursOf } from "../calls/behaviour";
import { pageHeaders } from "../pages/page-template";
import { loginPage } from "../pages/login";
import { DomainError } from "../world/common/domain-error";
import { demo } from "../world/parties/parties";

export const login: BehavioursOf<"login"> = {
  "login.getPage": ({ values, world }) => {
    if (values.client_id !== demo.authClientId)
      throw new DomainError(
        "application-unknown",
        "The application is unknown.",
        `client_id ${values.client_id}`,
      );
    if (values.redirect_uri !== world.settings.redirectUri)
      throw new DomainError(
        "redirect-uri-mismatch",
        "The redirect URI is not the registered one.",
        `redirect_uri must be ${world.settings.redirectUri}, not ${values.redirect_uri}.`,
      );
    return { status: 200, headers: pageHeaders, body: loginPage(values, world.home) };
  },
};
