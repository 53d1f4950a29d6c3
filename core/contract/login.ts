/** The login page for people. Contract: endpoint 25; Authentication, 5. */
import { z } from "zod";
import { id, webAddress } from "../values/values";
import { hiddenFromModels, html, section } from "../spec/declare";

const operation = section({
  section: { title: "Login", icon: "login.svg", category: "fxdesk administration", order: 14 },
  server: "service",
  credentials: [],
});

export const getLoginPage = operation({
  name: "login.getPage",
  tool: "get_login_page",
  title: "Get login page",
  summary: "Returns the HTML page of the OAuth 2.0 login on which a person signs in to the service.",
  keywords: ["authenticate", "Anmeldung", "einloggen"],
  effect: "read",
  method: "GET",
  path: "/authenticate",
  query: {
    scope: z
      .string()
      .regex(/(^| )openid( |$)/, "must include openid")
      .meta({ title: "Scope", description: "OAuth scopes separated by spaces; must include openid." }),
    response_type: z.literal("code").meta({ title: "Response type", description: "Always `code`." }),
    client_id: id("Application ID", "Client ID of the OAuth application, not of the corporate client."),
    redirect_uri: hiddenFromModels(
      webAddress("Redirect URI", "Address to which the person returns, exactly as registered."),
      "redirectUri",
    ),
    state: id("State", "Opaque value that the redirect returns unchanged."),
  },
  responses: { 200: html("The login page.") },
  errors: {},
  contract: "25",
});

export const login = [getLoginPage] as const;
