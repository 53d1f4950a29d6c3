/** What currencies cost, and the ways to move them. */
import { Big } from "big.js";
import { listRates, moveRate } from "../../control/controls";
import type { Stage } from "../../stage";
import { type Html, html } from "../html";
import { form } from "./form";
import { accountsOf, head, type Panel, table } from "./parts";

type Price = ReturnType<typeof listRates.act>[number];

/** By how much a button moves a rate, of itself. */
const moves = [
  { by: "-0.01", label: "− 1 %", description: "down" },
  { by: "0.01", label: "+ 1 %", description: "up" },
];

const rateDecimals = 6;

const moved = (rate: number, by: string): string =>
  new Big(rate).times(new Big(1).plus(by)).round(rateDecimals).toFixed();

const row = ({ symbol, rate }: Price): Html => {
  const buttons = moves.map(({ by, label, description }) =>
    form(moveRate, {
      given: { symbol, rate: moved(rate, by) },
      label,
      name: `${symbol} ${description} 1 %`,
      look: "quiet",
    }),
  );
  return html`<tr>
    <th scope="row">${symbol}</th>
    <td class="number">${rate}</td>
    <td><div class="row end">${buttons}</div></td>
  </tr>`;
};

const rates = (prices: readonly Price[]): Html =>
  table([head("Pair"), head("Rate", "number"), html`<td></td>`], prices.map(row));

function show(stage: Stage): Html {
  const own = new Set(accountsOf(stage.world).map(({ currency }) => currency));
  const isOwn = ({ symbol }: Price) => own.has(symbol.slice(0, 3)) && own.has(symbol.slice(3));
  const all = listRates.act(stage, {});
  return html`${rates(all.filter(isOwn))}
    <details id="other-rates">
      <summary>Other currencies</summary>
      ${rates(all.filter((price) => !isOwn(price)))}
    </details>`;
}

export const market: Panel = {
  id: "market",
  title: "Market",
  place: "side",
  show,
  forms: () => form(moveRate),
};
