/** The rates. */
import { dayOf } from "../../world/calendar/days";
import { pairOf, tradedCurrencies } from "../../world/money/fx";
import { revalueAll } from "../../world/trades/margin";
import type { World } from "../../world/world";
import { unfit } from "../../world/domain-error";
import type { marketControls } from "../controls/market";
import { type ActionsOf } from "./parts";
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
    world.rates.move(base, quoted, new Big(rate), dayOf(world.now));
    revalueAll(world);
    return priceOf(world, base, quoted);
  },
};
