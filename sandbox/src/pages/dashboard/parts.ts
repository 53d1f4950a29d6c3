/** What the panels are made of. */
import type { Big } from "big.js";
import type { Stage } from "../../stage";
import type { Account } from "../../world/accounts/account";
import { type Money, written } from "../../world/money/currencies";
import type { Trade } from "../../world/trades/trades";
import type { World } from "../../world/world";
import { type Html, html } from "../html";

/** Part of the page with a heading; it is read again while the page is open. */
export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly place: "top" | "main" | "side";
  readonly show?: (stage: Stage) => Html;
  /** Kept while somebody fills them in. */
  readonly forms?: (stage: Stage) => Html;
}

const grouped = (digits: string) => digits.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",");

export const amountOf = (amount: Big, currency: string): string => grouped(written(amount, currency));

export const moneyOf = ({ amount, currency }: Money): string => `${amountOf(amount, currency)} ${currency}`;

export const nothing = (text: string): Html => html`<p class="none">${text}</p>`;

export const head = (name: string, look = ""): Html => html`<th scope="col" class="${look}">${name}</th>`;

/** What is wider than the screen is moved from side to side, also with the keyboard. */
export const table = (heads: readonly Html[], rows: readonly Html[]): Html =>
  html`<div class="scroll" tabindex="0">
    <table>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;

export const counted = (shown: number, all: number, what: string): Html =>
  html`<p class="more">${shown} of ${all} ${what}</p>`;

/** Of each list in turn, so that none hides another. */
export function inTurn<T>(...lists: readonly (readonly T[])[]): T[] {
  const turns = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: turns }, (_, turn) =>
    lists.flatMap((each) => each.slice(turn, turn + 1)),
  ).flat();
}

/** The first of them, and the others to be unfolded. */
export function folded<T>(
  what: string,
  all: readonly T[],
  shown: number,
  drawn: (some: readonly T[]) => Html,
): Html {
  const others = all.slice(shown);
  if (others.length === 0) return drawn(all);
  return html`${drawn(all.slice(0, shown))}
    <details id="other-${what}">
      <summary>${others.length} more ${what}</summary>
      ${drawn(others)}
    </details>`;
}

export const chip = (text: string, look: string): Html => html`<span class="chip ${look}">${text}</span>`;

export const small = (text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<small>${text}</small>`;

/** The demo company's accounts. */
export const accountsOf = ({ accounts, home }: World): Account[] =>
  [...accounts.values()].filter(({ clientId }) => clientId === home.clientId);

/** The demo company's trades, in the order of booking. */
export const tradesOf = ({ trades, home }: World): Trade[] =>
  [...trades.values()].filter(({ clientId }) => clientId === home.clientId);
