/** How the page looks, and the few lines that keep it current. */

export const style = `
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; padding: 1.1rem 1.5rem .2rem;
  max-width: 82rem; margin: auto; }
header p { margin: 0; color: var(--soft); }
main { display: grid; grid-template-columns: minmax(0, 2.2fr) minmax(0, 1fr); gap: 1rem; align-items: start;
  padding: .8rem 1.5rem 3rem; max-width: 82rem; margin: auto; }
.column { display: grid; gap: 1rem; min-width: 0; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem 1.15rem; min-width: 0; }
h2 { font-size: 1rem; margin: 0 0 .6rem; }
h3 { font-size: .93rem; margin: 0 0 .25rem; }
small, .none, .more { color: var(--soft); font-size: .85rem; }
.more { margin: .5rem 0 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .38rem .8rem .38rem 0; border-top: 1px solid var(--line); white-space: nowrap;
  vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
thead th { border-top: 0; color: var(--soft); font-weight: 500; font-size: .82rem; padding-top: 0; }
tbody th { font-weight: 600; }
tbody small { display: block; font-weight: 400; font-size: .9em; line-height: 1.25; }
.number { text-align: right; }
.zero { color: var(--soft); }
.url { white-space: normal; overflow-wrap: anywhere; width: 100%; }
.chip { display: inline-block; padding: 0 .55rem; border-radius: 99px; font-size: .82rem; font-weight: 550; white-space: nowrap; }
.good { color: var(--good); background: var(--goodback); }
.busy { color: var(--busy); background: var(--busyback); }
.chip.bad { color: var(--bad); background: var(--badback); }
.calm { color: var(--calm); background: var(--calmback); }
.clock { font-size: 1.08rem; font-weight: 600; font-variant-numeric: tabular-nums; margin-bottom: .6rem; }
.rates { grid-template-columns: repeat(auto-fill, minmax(9.2rem, 1fr)); gap: .1rem 1.4rem; }
.rates div { display: flex; justify-content: space-between; }
ul { margin: 0 0 .5rem; padding-left: 1.1rem; }
time { white-space: nowrap; }
details { border-top: 1px solid var(--line); padding: .5rem 0; }
h2 + details { border-top: 0; padding-top: 0; }
summary { cursor: pointer; font-weight: 550; }
details p { color: var(--soft); margin: .35rem 0 0; }
details form.asks { border-top: 0; margin-top: 0; padding-top: .4rem; }
article { border-top: 1px solid var(--line); padding: .65rem 0 .3rem; }
article:first-child { border-top: 0; padding-top: 0; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; }
form.asks { display: flex; flex-wrap: wrap; gap: .55rem .6rem; align-items: end; border-top: 1px solid var(--line);
  margin-top: .8rem; padding-top: .8rem; }
form.asks + form.button { margin-top: .6rem; }
label { flex: 1 1 6rem; min-width: 0; }
.notice { max-width: 79rem; margin: .6rem auto 0; padding: .55rem 1rem; border-radius: 9px; width: calc(100% - 3rem); }
.notice.bad { color: var(--bad); background: var(--badback); }
@media (max-width: 60rem) { main { grid-template-columns: minmax(0, 1fr); } .column { display: contents; } }
@media (max-width: 30rem) { .minor { display: none; } tbody th small { white-space: normal; } table { font-size: .82rem; } th, td { padding-right: .6rem; }
  .chip { padding: 0 .4rem; font-size: .76rem; white-space: normal; border-radius: 8px; max-width: 7.2rem; }
  header, main { padding-left: .8rem; padding-right: .8rem; }
  .notice { width: calc(100% - 1.6rem); } }
`;

/** Reads the page again and puts what is shown into place; forms keep what is being typed. */
export const script = `
setInterval(async () => {
  if (document.hidden) return;
  const answer = await fetch("/").catch(() => undefined);
  if (!answer) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of next.querySelectorAll("[data-live]")) {
    const shown = document.getElementById(part.id);
    if (shown && shown.innerHTML !== part.innerHTML && !shown.contains(document.activeElement))
      shown.replaceChildren(...part.childNodes);
  }
}, 2000);
`;
