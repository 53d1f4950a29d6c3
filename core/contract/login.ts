/** The page on which a person logs in. Contract: endpoint 25; Authentication, 5. */
import { z } from "zod";
import { id, webAddress } from "../schema/values";
import { hiddenFromModels, html, operation } from "../declaration/declare";

export const getLoginPage = operation({
  name: "login.getPage",
  tool: "get_login_page",
  title: "Get login page",
  summary:
    "Returns the page (link, URL) where users sign in to the service: OAuth login (log in, authenticate).",
  effect: "read",
  method: "GET",
  path: "/authenticate",
  server: "service",
  credentials: [],
  query: {
    scope: z
      .string()
      .regex(/(^| )openid( |$)/, "must include openid")
      .meta({ title: "Scope", description: "Scopes with spaces between; openid must be one." }),
    response_type: z.literal("code").meta({ title: "Response type", description: "Always code." }),
    client_id: id("Application ID", "The OAuth application, not the client whose accounts are meant."),
    redirect_uri: hiddenFromModels(
      webAddress("Redirect URI", "Where the person is sent afterwards, exactly as registered."),
      "redirectUri",
    ),
    state: id("State", "Comes back unchanged with the redirect."),
  },
  responses: { 200: html("The login page.") },
  errors: {},
  contract: "25",
});

export const login = [getLoginPage] as const;
