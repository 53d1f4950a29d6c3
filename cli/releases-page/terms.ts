/** Renders the terms of a request: a short title and limits, and all facts. */
import { fxdeskService } from "../../core/client/fxdesk-service";
import type { Release } from "../../core/releases/release";
import type { ReleaseState } from "../../core/releases/states";
import type { CallTerms, OrderTerms } from "../../core/releases/terms";
import { type Html, html, untrusted } from "./layout";

const groupDigits = (amount: string): string => amount.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ",");

export const formatTime = (moment: number): string =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" }).format(
    moment,
  ) + " UTC";

function orderTitle({ fixed_side, amount, buy_currency, sell_currency }: OrderTerms): string {
  return fixed_side === "buy"
    ? `Buy ${groupDigits(amount)} ${buy_currency}, pay in ${sell_currency}`
    : `Sell ${groupDigits(amount)} ${sell_currency}, get ${buy_currency}`;
}

function rateLimit({ worst_rate, rate_symbol, sell_currency }: OrderTerms): string {
  const [base, quoted] = [rate_symbol.slice(0, 3), rate_symbol.slice(3)];
  return `${sell_currency === base ? "at least" : "at most"} ${worst_rate} ${quoted} for one ${base}`;
}

const callTitle = (operation: string): string =>
  fxdeskService.operations.find(({ name }) => name === operation)?.title ?? operation;

export const titleOf = ({ sealed }: Release): string =>
  sealed.kind === "order" ? orderTitle(sealed.terms) : callTitle(sealed.operation);

/** Returns the rate limit of an order, or the amounts of a call. */
export function limitsOf({ sealed }: Release): string {
  if (sealed.kind === "order") {
    const { trade_type, value_date } = sealed.terms;
    const kind = [trade_type.replaceAll("_", " "), value_date].filter(Boolean).join(", ");
    return `${kind}: ${rateLimit(sealed.terms)}`;
  }
  if (typeof sealed.trade === "object") {
    const { buy_amount, buy_currency, sell_amount, sell_currency } = sealed.trade;
    return `Sells ${groupDigits(sell_amount)} ${sell_currency} for ${groupDigits(buy_amount)} ${buy_currency}.`;
  }
  if (sealed.amounts?.length)
    return sealed.amounts.map(({ amount, currency }) => `${groupDigits(amount)} ${currency}`).join(" + ");
  return sealed.effect === "money" && !sealed.amounts ? "The amount is unknown." : "Commits no money.";
}

type ChipStyle = "good" | "busy" | "bad" | "production";

/** Returns the style of an environment: production stands out, the sandbox is green. */
export function environmentStyle(environment: string): ChipStyle {
  const [name = ""] = environment.split(" ");
  if (name === "api") return "production";
  return name === "sandbox" ? "good" : "busy";
}

const stateStyles: Partial<Readonly<Record<ReleaseState, ChipStyle>>> = {
  released: "good",
  booked: "good",
  sent: "good",
  refused: "bad",
  unknown: "bad",
};

export const stateChip = (state: ReleaseState): Html =>
  html`<strong class="chip ${stateStyles[state] ?? "busy"}">${state}</strong>`;

/** Converts a field name to a label: `buy_currency` to “Buy currency”. */
const labelOf = (name: string): string => {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const factList = (entries: readonly (readonly [name: string, value: unknown])[]): Html =>
  html`<dl>
    ${entries
      .filter(([, value]) => value !== undefined)
      .map(
        ([name, value]) =>
          html`<dt>${labelOf(name)}</dt>
            <dd>${untrusted(typeof value === "string" ? value : JSON.stringify(value))}</dd>`,
      )}
  </dl>`;

const callFacts = ({ method, address, target, headers, body, values }: CallTerms) =>
  [
    ["method", method],
    ["address", address],
    ["target", target],
    ...Object.entries(values),
    ["body as sent", body],
    ["headers", headers],
  ] as const;

/** Renders all terms without rounding or formatting. */
export const termsOf = ({ sealed }: Release): Html =>
  factList(sealed.kind === "order" ? Object.entries(sealed.terms) : callFacts(sealed.terms));
