/** Renders the terms of a request and its state. */
import type { TermsDescription, TermsTable } from "../../core/call/call-options";
import type { ReleaseState } from "../../core/releases/states";
import type { CallTerms } from "../../core/releases/terms";
import { type Html, html, untrusted } from "./layout";

export const formatTime = (moment: number): string =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" }).format(
    moment,
  ) + " UTC";

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

/** Returns the rows that contain a text in one of their cells, whatever its case. */
const rowsWith = ({ rows }: TermsTable, words: string) =>
  rows.filter((row) => row.some((cell) => cell.toLowerCase().includes(words.toLowerCase())));

/** Number of rows from which a table has a search field. */
const searchableRows = 10;

function searchForm(table: TermsTable, words: string, shown: number): Html | undefined {
  if (table.rows.length < searchableRows) return undefined;
  return html`<form method="get" class="search">
      <label
        ><span>Search ${table.title.toLowerCase()}</span><input name="search" type="search" value="${words}"
      /></label>
      <button>Search</button>
    </form>
    ${
      shown === table.rows.length
        ? undefined
        : html`<p role="status">${String(shown)} of ${String(table.rows.length)} rows contain this text.</p>`
    }`;
}

const isAmountText = (text: string): boolean => /^[\d,.]+ [A-Z]{3}$/.test(text);

function tableHtml(table: TermsTable, words: string): Html {
  const rows = rowsWith(table, words);
  return html`<h3>${table.title}</h3>
    ${searchForm(table, words, rows.length)}
    <div class="scroll" tabindex="0" role="region" aria-label="${table.title}">
      <table>
        <thead>
          <tr>
            <th scope="col">No.</th>
            ${table.columns.map((column) => html`<th scope="col">${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                <td data-title="No.">${String(table.rows.indexOf(row) + 1)}</td>
                ${row.map(
                  (cell, index) =>
                    html`<td
                      class="${isAmountText(cell) ? "amount" : "text"}"
                      data-title="${table.columns[index]!}"
                    >
                      ${untrusted(cell)}
                    </td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

/** Renders all terms without rounding. With `search`, tables have only the rows that contain it. */
export const termsHtml = ({ facts, tables }: TermsDescription, search: string): Html =>
  html`<dl>
      ${facts.map(
        ([title, text]) =>
          html`<dt>${title}</dt>
            <dd>${untrusted(text)}</dd>`,
      )}
    </dl>
    ${tables.map((table) => tableHtml(table, search))}`;

/** Renders the request exactly as it is sent. */
export const requestHtml = ({ method, address, target, headers, body }: CallTerms): Html =>
  html`<details>
    <summary>Request as it is sent</summary>
    ${factList([
      ["request", `${method} ${address}${target}`],
      ["body", body],
      ["headers", headers],
    ])}
  </details>`;
