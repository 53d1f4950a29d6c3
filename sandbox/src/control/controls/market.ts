/** The market. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { control, local, described } from "./parts";
import { dayOf } from "../../world/calendar/days";
import { pairOf, tradedCurrencies } from "../../world/money/fx";
import { revalueAll } from "../../world/trades/margin";
import type { World } from "../../world/world";
import { unfit } from "../../world/domain-error";
import { Big } from "big.js";

/** The pair as it stands between two currencies, when both are traded. */
function currenciesOf(symbol: string): readonly [string, string] {
  const [base, quoted] = [symbol.slice(0, 3), symbol.slice(3)];
  const unknown = [base, quoted].find((currency) => !tradedCurrencies.includes(currency));
  if (unknown !== undefined) throw unfit(`symbol: ${unknown} is not traded`);
  if (base === quoted) throw unfit("symbol must be two currencies");
  return [base, quoted];
}

const priceOf = ({ rates, now }: World, base: string, quoted: string) => {
  const { symbol, rate } = rates.mid(base, quoted, dayOf(now));
  return { symbol, rate: rate.toNumber() };
};

const Price = z.object({ symbol: z.string(), rate: z.number() });

export const listRates = control(
  operation({
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
  }),
  ({ world }) =>
    tradedCurrencies
      .filter((currency) => currency !== "USD")
      .map((currency) => pairOf(currency, "USD"))
      .map(({ base, quoted }) => priceOf(world, base, quoted)),
);

export const moveRate = control(
  operation({
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
  }),
  ({ world }, { symbol, rate }) => {
    const [base, quoted] = currenciesOf(symbol);
    world.rates.move(base, quoted, new Big(rate), dayOf(world.now));
    revalueAll(world);
    return priceOf(world, base, quoted);
  },
);

export const marketControls = [listRates, moveRate] as const;
