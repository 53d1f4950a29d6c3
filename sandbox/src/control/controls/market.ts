/** Controls for market rates. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { defineControl, controlDefaults, withDescription } from "./define-control";
import { dayOf } from "@fxdesk/toolkit/calendars";
import { pairOf, tradedCurrencies } from "../../world/money/fx";
import { revalueAllMargins } from "../../world/trades/margin";
import type { World } from "../../world/model/world";
import { toValidationError } from "../../world/common/domain-error";
import { Big } from "big.js";

/** Splits a symbol into its two currencies. Throws unless both are traded. */
function parsePair(symbol: string): readonly [string, string] {
  const [base, quoted] = [symbol.slice(0, 3), symbol.slice(3)];
  const unknown = [base, quoted].find((currency) => !tradedCurrencies.includes(currency));
  if (unknown !== undefined) throw toValidationError(`symbol: ${unknown} is not traded`);
  if (base === quoted) throw toValidationError("symbol must name two different currencies");
  return [base, quoted];
}

const toPrice = ({ rates, now }: World, base: string, quoted: string) => {
  const { symbol, rate } = rates.midRate(base, quoted, dayOf(now));
  return { symbol, rate: rate.toNumber() };
};

const Price = z.object({ symbol: z.string(), rate: z.number() });

export const listRates = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.listRates",
    tool: "sandbox_list_rates",
    title: "Rates",
    summary: "Lists the market rate of each currency against USD, before the bank's margin.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/rates",
    responses: { 200: json(z.array(Price), "The rates.") },
  }),
  ({ world }) =>
    tradedCurrencies
      .filter((currency) => currency !== "USD")
      .map((currency) => pairOf(currency, "USD"))
      .map(({ base, quoted }) => toPrice(world, base, quoted)),
);

export const moveRate = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.moveRate",
    tool: "sandbox_move_rate",
    title: "Move rate",
    summary:
      "Sets a market rate. The first currency of the pair moves against all others; if it is USD, the second one moves.",
    method: "POST",
    path: "/_sandbox/rates",
    body: z.object({
      symbol: z
        .string()
        .regex(/^[A-Z]{6}$/, "must be two currencies like EURUSD")
        .meta(withDescription("Currency pair.", "EURUSD")),
      rate: z
        .number()
        .positive()
        .meta(withDescription("Price of one unit of the first currency in the second.", 1.25)),
    }),
    responses: { 200: json(Price, "The new rate.") },
  }),
  ({ world }, { symbol, rate }) => {
    const [base, quoted] = parsePair(symbol);
    world.rates.move(base, quoted, new Big(rate), dayOf(world.now));
    revalueAllMargins(world);
    return toPrice(world, base, quoted);
  },
);

export const marketControls = [listRates, moveRate] as const;
