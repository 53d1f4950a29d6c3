/** The market. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { local, described } from "./parts";

const Price = z.object({ symbol: z.string(), rate: z.number() });

export const listRates = operation({
  ...local,
  name: "sandbox.listRates",
  tool: "sandbox_list_rates",
  title: "Rates",
  summary:
    "Lists what each currency costs against the dollar, as the market quotes it, before the bank's margin.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/rates",
  responses: { 200: json(z.array(Price), "The rates.") },
});

export const moveRate = operation({
  ...local,
  name: "sandbox.moveRate",
  tool: "sandbox_move_rate",
  title: "Move rate",
  summary:
    "Moves the market. The first currency of the pair moves against all others; the second, when the first is USD.",
  method: "POST",
  path: "/_sandbox/rates",
  body: z.object({
    symbol: z
      .string()
      .regex(/^[A-Z]{6}$/, "must be two currencies, such as EURUSD")
      .meta(described("Two currencies, such as EURUSD.", "EURUSD")),
    rate: z.number().positive().meta(described("What one unit of the first is worth in the second.", 1.25)),
  }),
  responses: { 200: json(Price, "The rate now.") },
});

export const marketControls = [listRates, moveRate] as const;
