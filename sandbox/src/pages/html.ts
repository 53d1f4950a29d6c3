/** The sandbox's own web pages. */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it can stand in a page. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character]!);

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; background: #eef1f5; color: #1c2733; margin: 0;
    display: grid; place-items: center; min-height: 100vh; }
  main { background: #fff; padding: 2rem 2.5rem; border-radius: 12px; width: min(26rem, 90vw);
    box-shadow: 0 8px 30px rgb(28 39 51 / 12%); box-sizing: border-box; }
  h1 { font-size: 1.3rem; margin: 0 0 .25rem; }
  p { color: #53616f; margin: 0 0 1.25rem; }
  label { display: block; font-weight: 600; margin-bottom: 1rem; }
  input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem .65rem; margin-top: .25rem;
    border: 1px solid #b8c2cc; border-radius: 6px; }
  button { font: inherit; font-weight: 600; padding: .55rem 1.2rem; border: 0; border-radius: 6px;
    background: #14532d; color: #fff; cursor: pointer; }
  button.refuse { background: #7f1d1d; }
  input:focus-visible, button:focus-visible { outline: 3px solid #60a5fa; outline-offset: 1px; }
  [role=alert] { color: #7f1d1d; font-weight: 600; }
  dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0 0 1.25rem; }
  dt { color: #53616f; } dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
`;

/** A whole page; the title is text, the content is HTML. */
export const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</body>
</html>
`;

export const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`;
