/** Rates of the service's estimates, for currencies without a rate of the caller. */
import { z } from "zod";
import { formatAmount } from "../files/amount";
import { groupBy } from "../values/lists";
import { type CurrencyAmount, type Rates } from "./decimal";
import { type Context, mapConcurrent } from "./procedure";
import { currencyField, textField } from "./result-fields";

export const EstimatedRates = z
  .array(
    z.object({
      currency: currencyField,
      rate: textField("Value of one unit, by an estimate of the service that cannot be booked."),
    }),
  )
  .optional()
  .describe("Estimates used for currencies without one of the given rates.");

/**
 * Returns the caller's rates, completed with estimates for the largest amount of each currency. Currencies without an estimate stay
 * without a rate.
 */
export async function completeRates(
  context: Context,
  amounts: readonly CurrencyAmount[],
  into: string,
  given: Rates,
) {
  const open = amounts.filter(
    ({ currency, amount }) => currency !== into && given[currency] === undefined && !amount.eq(0),
  );
  const found = await mapConcurrent(
    context,
    [...groupBy(open, ({ currency }) => currency)],
    async ([currency, own]) => {
      const largest = own
        .map(({ amount }) => amount)
        .reduce((one, other) => (other.abs().gt(one.abs()) ? other : one));
      const amount = formatAmount(largest, currency);
      return { currency, rate: await context.client.orders.estimateRate({ currency, amount, into }) };
    },
  );
  const estimated_rates = found.flatMap(({ currency, rate }) =>
    rate === undefined ? [] : [{ currency, rate }],
  );
  const rates: Rates = {
    ...given,
    ...Object.fromEntries(estimated_rates.map(({ currency, rate }) => [currency, rate])),
  };
  return { rates, ...(estimated_rates.length > 0 && { estimated_rates }) };
}
