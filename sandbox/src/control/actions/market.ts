/** The rates. */
import { dayOf } from "../../world/days";
import { pairOf, tradedCurrencies } from "../../world/fx";
import { revalueAll } from "../../world/margin";
import type { World } from "../../world/world";
import type { marketControls } from "../controls/market";
import { type ActionsOf, attempt, conflict, unfit } from "./parts";
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

export const marketActions: ActionsOf<typeof marketControls> = {
  listRates: ({ world }) =>
    tradedCurrencies
      .filter((currency) => currency !== "USD")
      .map((currency) => pairOf(currency, "USD"))
      .map(({ base, quoted }) => priceOf(world, base, quoted)),

  moveRate: ({ world }, { symbol, rate }) => {
    const [base, quoted] = currenciesOf(symbol);
    attempt(
      () => world.rates.move(base, quoted, new Big(rate), dayOf(world.now)),
      (message) => conflict("rate_too_far", message),
    );
    revalueAll(world);
    return priceOf(world, base, quoted);
  },
};
