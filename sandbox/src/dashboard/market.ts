/** Panel of the market rates. */
import { Big } from "big.js";
import { listRates, moveRate } from "../control/controls";
import type { SandboxSession } from "../session/sandbox-session";
import { type Html, html } from "../pages/html";
import { controlForm } from "./form";
import { homeAccounts, headCell, type Panel, scrollableTable } from "./panel";

type Price = ReturnType<typeof listRates.act>[number];

/** Relative rate changes of the buttons. */
const rateSteps = [
  { by: "-0.01", label: "− 1 %", description: "down" },
  { by: "0.01", label: "+ 1 %", description: "up" },
];

const rateDecimals = 6;

const moveRateBy = (rate: number, by: string): string =>
  new Big(rate).times(new Big(1).plus(by)).round(rateDecimals).toFixed();

const rateRow = ({ symbol, rate }: Price): Html => {
  const buttons = rateSteps.map(({ by, label, description }) =>
    controlForm(moveRate, {
      fixedValues: { symbol, rate: moveRateBy(rate, by) },
      label,
      name: `${symbol} ${description} 1 %`,
      cssClass: "quiet",
    }),
  );
  return html`<tr>
    <th scope="row">${symbol}</th>
    <td class="number">${rate}</td>
    <td><div class="row end">${buttons}</div></td>
  </tr>`;
};

const ratesTable = (prices: readonly Price[]): Html =>
  scrollableTable([headCell("Pair"), headCell("Rate", "number"), html`<td></td>`], prices.map(rateRow));

function renderMarket(session: SandboxSession): Html {
  const own = new Set(homeAccounts(session.world).map(({ currency }) => currency));
  const isOwn = ({ symbol }: Price) => own.has(symbol.slice(0, 3)) && own.has(symbol.slice(3));
  const all = listRates.act(session, {});
  return html`${ratesTable(all.filter(isOwn))}
    <details id="other-rates">
      <summary>Other currencies</summary>
      ${ratesTable(all.filter((price) => !isOwn(price)))}
    </details>`;
}

export const marketPanel: Panel = {
  id: "market",
  title: "Market",
  area: "side",
  show: renderMarket,
  forms: () => controlForm(moveRate),
};
