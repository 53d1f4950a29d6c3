/** HTML templates that escape every text, and style, frame and security headers of all pages. */
import { createHash } from "node:crypto";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);

export class Html {
  constructor(readonly text: string) {}
}

type Insert = string | number | Html | readonly Html[] | undefined;

function toInsertText(value: Insert): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return escapeHtml(String(value));
}

/** Tagged template that escapes its insertions, except nested Html. */
export const html = ([first = "", ...pieces]: TemplateStringsArray, ...values: readonly Insert[]) =>
  new Html(pieces.reduce((text, piece, index) => text + toInsertText(values[index]) + piece, first));

export const hiddenInput = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

/** Renders names and values as a definition list, without empty values. */
export const definitionList = (
  entries: readonly (readonly [name: string, value: string | undefined])[],
): Html =>
  html`<dl>
    ${entries.flatMap(([name, value]) =>
      value
        ? html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`
        : [],
    )}
  </dl>`;

const baseStyle = `
:root { color-scheme: light dark;
  --back: #f3f5f8; --card: #fff; --line: #e1e6ec; --edge: #84909d; --text: #17212b; --soft: #56636f; --accent: #14532d;
  --on: #fff; --good: #166534; --goodback: #dcfce7; --busy: #854d0e; --busyback: #fef3c7; --bad: #991b1b;
  --badback: #fee2e2; --calm: #475569; --calmback: #e8edf3; --link: #1d4ed8; --focus: #2563eb; }
@media (prefers-color-scheme: dark) { :root {
  --back: #0f141a; --card: #181f27; --line: #2a3440; --edge: #6b7886; --text: #e5eaf0; --soft: #9aa8b6; --accent: #4ade80;
  --on: #06210f; --good: #86efac; --goodback: #14351f; --busy: #fcd34d; --busyback: #3b2f0d; --bad: #fca5a5;
  --badback: #431a1c; --calm: #b6c2cf; --calmback: #2a3440; --link: #93b4fd; --focus: #93c5fd; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.35rem; margin: 0; letter-spacing: -.01em; }
p { margin: 0 0 .4rem; }
dl { margin: 0 0 .5rem; }
dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .08rem 0; }
dt { color: var(--soft); }
dd { margin: 0 0 0 auto; text-align: right; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
a { color: var(--link); overflow-wrap: anywhere; }
label span { display: block; font-size: .82rem; color: var(--soft); }
input, select, button { font: inherit; border-radius: 7px; border: 1px solid var(--edge); padding: .38rem .6rem; }
input:not([type=checkbox]), select { width: 100%; background: var(--back); color: var(--text); min-height: 2.3rem; }
button { background: var(--accent); border-color: transparent; color: var(--on); font-weight: 600; cursor: pointer;
  padding: .38rem .9rem; min-height: 2.3rem; white-space: nowrap; }
button.quiet { background: none; border-color: var(--edge); color: var(--text); }
button.bad { background: none; border-color: currentcolor; color: var(--bad); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 1px; }
`;

/** Style of pages with a single centred card. */
const cardStyle = `
body { display: grid; place-content: center; grid-template-columns: min(27rem, 92vw); min-height: 100vh; padding: 1rem 0; }
main { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.6rem 1.8rem; }
h1 { margin-bottom: .6rem; }
dl { margin: 1rem 0; }
dl div { padding: .2rem 0; }
form { display: grid; gap: .8rem; margin-top: 1rem; }
fieldset { border: 1px solid var(--line); border-radius: 9px; margin: 0; padding: .3rem .8rem .5rem; }
legend { color: var(--soft); font-size: .82rem; padding: 0 .3rem; }
fieldset label { display: flex; align-items: center; gap: .6rem; padding: .2rem 0; overflow-wrap: anywhere; }
[type=checkbox] { flex: none; width: 1.1rem; height: 1.1rem; margin: 0; accent-color: var(--accent); }
.row { display: flex; gap: .6rem; }
.row button { flex: 1; }
[role=alert] { color: var(--bad); background: var(--badback); border-radius: 7px; padding: .4rem .7rem; }
footer { color: var(--soft); font-size: .85rem; text-align: center; margin-top: .8rem; }
`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Inlined: otherwise browsers request /favicon.ico, which would appear in the request log. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' " +
  "rx='7' fill='%2314532d'/%3E%3Cpath d='M8 13h14l-4-4M24 19H10l4 4' fill='none' stroke='%23fff' stroke-width='3'/%3E%3C/svg%3E";

interface Scripts {
  /** Script embedded in the page. */
  readonly script: string;
  /** Path of a library served by the sandbox. It sets inline styles. */
  readonly library?: string;
}

/** Content security policy of a page with scripts. */
const scriptPolicy = ({ script, library }: Scripts): readonly string[] => [
  `script-src ${hashOf(script)}${library === undefined ? "" : " 'self'"}`,
  "connect-src 'self'",
  "form-action 'self'",
];

const scriptElements = ({ script, library }: Scripts): Html =>
  html`${library && html`<script type="module" src="${library}"></script>`}${new Html(`<script>${script}</script>`)}`;

/**
 * Creates a template whose security policy allows only its own style and no framing. Pages with a script may contact
 * only the sandbox; forms of the others may lead to other origins.
 */
export function createPageTemplate(ownStyle: string, scripts?: Scripts) {
  const style = baseStyle + ownStyle;
  const policy = [
    "default-src 'none'",
    `style-src ${scripts?.library === undefined ? hashOf(style) : "'unsafe-inline'"}`,
    "img-src data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    ...(scripts ? scriptPolicy(scripts) : []),
  ];
  return {
    /** Headers to send with each page. */
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "cache-control": "no-store",
    },
    render: (title: string, body: Html): string =>
      html`<!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <title>${title}</title>
            <link rel="icon" href="${icon}" />
            ${new Html(`<style>${style}</style>`)}
          </head>
          <body>
            ${body} ${scripts && scriptElements(scripts)}
          </body>
        </html>`.text,
  };
}

const cardTemplate = createPageTemplate(cardStyle);

/** Headers to send with card pages. */
export const pageHeaders = cardTemplate.headers;

/** Renders a page with one titled card. */
export const cardPage = (title: string, content: Html): string =>
  cardTemplate.render(
    `${title} · fxdesk sandbox`,
    html`<main>
        <h1>${title}</h1>
        ${content}
      </main>
      <footer>Sandbox: no real bank, no real money.</footer>`,
  );
