/** An operation that the contract does not have. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";

export const getRate = operation({
  name: "rates.get",
  tool: "get_rate",
  title: "Get rate",
  summary: "Returns a rate, as trades.list names it.",
  effect: "read",
  method: "GET",
  path: "/rates/{pair}",
  server: "service",
  credentials: ["accessToken"],
  parameters: { pair: z.string().meta({ description: "Such as EURUSD." }) },
  responses: { 200: json(z.object({ pair: z.string(), rate: z.number() }), "The rate.") },
  errors: {},
  contract: "",
});
