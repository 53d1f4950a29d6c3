/** HTML templates, and layout, style and security headers of all pages. */
import { createHash } from "node:crypto";
import { alphabetNote } from "../../core/values/visible-text";
import { printable } from "../terminal/terminal";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export class Html {
  constructor(readonly text: string) {}
}

type Insert = string | Html | readonly Html[] | undefined;

function escapeInsert(value: Insert): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "string") return printable(value).replace(/[&<>"']/g, (each) => entities[each]!);
  return value.map(({ text }) => text).join("");
}

/** Template tag: escapes markup in insertions and shows their invisible characters as codes. */
export const html = ([first = "", ...pieces]: TemplateStringsArray, ...values: readonly Insert[]) =>
  new Html(pieces.reduce((text, piece, index) => text + escapeInsert(values[index]) + piece, first));

/** Renders text of other people with a warning if it mixes alphabets whose letters look alike. */
export function untrusted(text: string): Html {
  const note = alphabetNote(text);
  return html`${text}${note === undefined ? undefined : html` <strong class="chip bad">${note}</strong>`}`;
}

const style = `
:root { color-scheme: light dark;
  --back: #f3f5f8; --card: #fff; --line: #dbe1e8; --edge: #77838f; --text: #17212b; --soft: #4d5a66; --link: #1d4ed8;
  --good: #14532d; --goodback: #dcfce7; --busy: #713f12; --busyback: #fef3c7; --bad: #8f1616; --badback: #fee2e2; }
@media (prefers-color-scheme: dark) { :root {
  --back: #0f141a; --card: #181f27; --line: #2a3440; --edge: #7d8a98; --text: #e5eaf0; --soft: #a7b4c1; --link: #9dbafd;
  --good: #86efac; --goodback: #14351f; --busy: #fcd34d; --busyback: #3b2f0d; --bad: #fca5a5; --badback: #431a1c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
header, main { max-width: 54rem; margin: auto; padding: .9rem 1.2rem; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1rem; }
header form { margin-left: auto; display: flex; align-items: center; gap: .8rem; }
h1 { font-size: 1.9rem; line-height: 1.25; margin: .2rem 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .5rem; }
p { margin: 0 0 .5rem; }
.large { font-size: 1.35rem; line-height: 1.4; }
.environment { margin: 0; padding: .55rem 1.2rem; font-weight: 700; font-size: 1.1rem; text-align: center;
  overflow-wrap: anywhere; }
.chip { display: inline-block; padding: 0 .6rem; border-radius: 9px; font-weight: 600; font-size: .92rem;
  overflow-wrap: anywhere; }
.good { color: var(--good); background: var(--goodback); }
.busy { color: var(--busy); background: var(--busyback); }
.bad { color: var(--bad); background: var(--badback); }
.production { color: #fff; background: #a51212; }
section, .card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem 1.2rem;
  margin: 0 0 1rem; }
section h2 { margin-top: 0; }
dl { margin: 0; display: grid; grid-template-columns: minmax(8rem, max-content) minmax(0, 1fr); gap: .25rem 1.2rem; }
h3 { font-size: 1rem; margin: 1rem 0 .4rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; vertical-align: top; unicode-bidi: isolate; }
th { color: var(--soft); font-weight: 600; }
tr + tr td, tbody td { border-top: 1px solid var(--line); }
td.amount { text-align: right; white-space: nowrap; }
@media (max-width: 40rem) {
  thead { display: none; }
  table, tbody { display: block; }
  tr { display: block; padding: .4rem 0; border-top: 1px solid var(--line); }
  td, tr + tr td, tbody td { display: flex; border: 0; padding: .1rem 0; overflow-wrap: anywhere; }
  td::before { content: attr(data-title); flex: 0 0 7rem; color: var(--soft); font-weight: 600; margin-right: auto; text-align: left; white-space: normal; }
}
.search { display: flex; align-items: end; gap: .7rem; margin-bottom: .5rem; }
summary { cursor: pointer; color: var(--soft); margin-top: .8rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; unicode-bidi: isolate; font-variant-numeric: tabular-nums; }
ul { list-style: none; margin: 0; padding: 0; }
li a { font-size: 1.25rem; font-weight: 600; }
a { color: var(--link); overflow-wrap: anywhere; }
.soft { color: var(--soft); }
label span { display: block; font-size: .9rem; color: var(--soft); }
input, button { font: inherit; border-radius: 8px; border: 1px solid var(--edge); padding: .45rem .7rem; min-height: 2.6rem; }
input { width: 100%; background: var(--back); color: var(--text); }
button { font-weight: 650; cursor: pointer; background: none; color: var(--text); }
button.yes { background: #14532d; color: #fff; border-color: transparent; }
button.no { background: #8f1616; color: #fff; border-color: transparent; }
.decide { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); gap: 1rem; }
.decide form, .card form { display: grid; gap: .7rem; align-content: start; }
nav { display: flex; gap: 1rem; }
[role=alert], [role=status] { border: 1px solid; border-radius: 9px; padding: .6rem 1rem; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.narrow { max-width: 28rem; margin: 4vh auto; }
`;

const styleHash = createHash("sha256").update(style).digest("base64");

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' " +
  "rx='7' fill='%2314532d'/%3E%3Cpath d='M8 17l5 5 11-12' fill='none' stroke='%23fff' stroke-width='4'/%3E%3C/svg%3E";

/** No external resources, no framing, and forms post only to this server. */
const contentPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;

/** Headers of each page, which runs no scripts. */
export const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": contentPolicy,
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // A stricter policy makes browsers omit the origin of a form.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** Path of the script of pages that ask for a passkey. */
export const scriptPath = "/passkey.js";

export interface RenderedPage {
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Renders a page. Only with `hasScript` may it run the script of this server. */
export const renderPage = (title: string, body: Html, { hasScript = false } = {}): RenderedPage => ({
  ...(hasScript && { headers: { "content-security-policy": `${contentPolicy}; script-src 'self'` } }),
  body: html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · fxdesk releases</title>
        <link rel="icon" href="${icon}" />
        ${new Html(`<style>${style}</style>`)}
        ${hasScript ? html`<script src="${scriptPath}" defer></script>` : undefined}
      </head>
      <body>
        ${body}
      </body>
    </html>`.text,
});
