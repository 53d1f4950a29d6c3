/**
 * Card of a result in hosts of AI assistants (MCP Apps, 2026-01-26). It shows what the host passes on. Every text becomes a
 * text node, the page loads nothing, its only call reads the state of a release, and its only link leads to the releases page.
 */
const { card, ...connection } = document.body.dataset;
const target = decodeURIComponent(connection.target);
const environment = decodeURIComponent(connection.environment);
const main = document.querySelector("main");

/** Lists with more rows can be searched. */
const maxUnsearchedRows = 20;

/** Replaces characters that have no shape or change the order of others, as core/values/visible-text.ts does. */
const visible = (value) =>
  String(value).replaceAll(
    /(?![ \t\n\r\u3000])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/gu,
    (character) => `<U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

const isObject = (value) => typeof value === "object" && value !== null;
const listOf = (value) => (Array.isArray(value) ? value.filter(isObject) : []);
const textsOf = (value) => (Array.isArray(value) ? value.map(visible) : []);

/** "instructedAmount" and "trade_type" become "Instructed amount" and "Trade type". */
function titleOf(name) {
  const words = visible(name)
    .replaceAll("_", " ")
    .replaceAll(/([a-z])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`)
    .replaceAll(/\b(id|iban)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const timeText = (value) =>
  visible(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(\.\d+)?)?Z$/, "$1 $2 UTC");

const decimal = /^(-?\d+)(\.\d+)?$/;

/** Groups the digits of a decimal text; the digits stay as they are. */
function amountText(value) {
  const text = visible(value);
  const [, whole, fraction = ""] = decimal.exec(text) ?? [];
  return whole === undefined ? text : whole.replaceAll(/\B(?=(\d{3})+$)/g, ",") + fraction;
}

/** Returns a cell whose decimal point is below that of the other rows. */
function amountCell(value, decimals) {
  const [whole, fraction = ""] = amountText(value).split(/(?=\.\d+$)/);
  if (decimals === 0) return element("td", { class: "amount" }, whole);
  const part = element("span", {}, fraction);
  part.style.minWidth = `${decimals + 1}ch`;
  return element("td", { class: "amount" }, whole, part);
}

const decimalsOf = (value) => (decimal.exec(String(value))?.[2]?.length ?? 1) - 1;

/** Columns are names, or `{ amount: name }`. Rows are lists of values. */
function table(title, columns, rows) {
  if (rows.length === 0) return [];
  const decimals = columns.map((_, index) => Math.max(...rows.map((row) => decimalsOf(row[index] ?? ""))));
  const heads = columns.map((column) =>
    isObject(column)
      ? element("th", { scope: "col", class: "amount" }, visible(column.amount))
      : element("th", { scope: "col" }, visible(column)),
  );
  const lines = rows.map((row) => {
    const cells = columns.map((column, index) =>
      isObject(column)
        ? amountCell(row[index] ?? "", decimals[index])
        : element("td", {}, element("bdi", {}, visible(row[index] ?? ""))),
    );
    // On narrow screens each cell is a line with the title of its column.
    for (const [index, cell] of cells.entries()) cell.dataset.title = heads[index].textContent;
    return element("tr", {}, ...cells);
  });
  const count = element("span", {}, rows.length > maxUnsearchedRows ? ` (${rows.length})` : "");
  const body = element("tbody", {}, ...lines);
  const made = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
  const box = element("div", { class: "table", tabindex: "0", role: "region", "aria-label": title }, made);
  return [element("h2", {}, title, count), searchOf(title, lines, count), box];
}

function searchOf(title, lines, count) {
  if (lines.length <= maxUnsearchedRows) return undefined;
  const search = element("input", { type: "search", placeholder: "Search", "aria-label": `Search ${title}` });
  const searchable = (text) => text.toLowerCase().replaceAll(/(?<=\d),(?=\d)/g, "");
  const texts = lines.map(({ textContent }) => searchable(textContent));
  search.addEventListener("input", () => {
    for (const [index, line] of lines.entries())
      line.hidden = !texts[index].includes(searchable(search.value));
    count.textContent = ` (${lines.filter(({ hidden }) => !hidden).length} of ${lines.length})`;
  });
  return search;
}

function facts(pairs) {
  const given = pairs.filter(([, value]) => value !== undefined && value !== "");
  const parts = given.flatMap(([title, value]) => [
    element("dt", {}, title),
    element("dd", {}, element("bdi", {}, visible(value))),
  ]);
  return parts.length > 0 ? [element("dl", {}, ...parts)] : [];
}

const warnings = (texts) => texts.map((text) => element("p", { class: "warning" }, text));
const notes = (texts) => texts.map((text) => element("p", { class: "soft" }, text));

/** Puts the amounts of one account or currency, by balance type, in one row. Types that are all zero are named in a note. */
function pivot(title, leads, list) {
  const types = [...new Set(list.map(({ type }) => String(type)))];
  const isZero = (type) => list.every((each) => each.type !== type || /^-?0+(\.0+)?$/.test(each.amount));
  const shown = types.filter((type, index) => index === 0 || !isZero(type));
  const rows = new Map();
  for (const each of list) {
    const lead = leads.map((name) => each[name] ?? "");
    let key = JSON.stringify(lead);
    // A second amount of one type is another row, so that none is hidden.
    while (rows.get(key)?.amounts.has(String(each.type))) key += "+";
    if (!rows.has(key)) rows.set(key, { lead, amounts: new Map() });
    rows.get(key).amounts.set(String(each.type), each.amount);
  }
  const columns = [...leads.map(titleOf), ...shown.map((type) => ({ amount: titleOf(type) }))];
  const lines = [...rows.values()].map(({ lead, amounts }) => [
    ...lead,
    ...shown.map((type) => amounts.get(type)),
  ]);
  const zero = types.filter((type) => !shown.includes(type)).map(titleOf);
  return [
    ...table(title, columns, lines),
    ...notes(zero.length > 0 && lines.length > 0 ? [`All zero: ${zero.join(", ")}.`] : []),
  ];
}

const estimatesNote = ({ estimated_rates: rates }) => {
  const texts = listOf(rates).map(({ currency, rate }) => `${visible(currency)} ${visible(rate)}`);
  return notes(texts.length > 0 ? [`At estimated rates: ${texts.join(", ")}.`] : []);
};

/** Says what is missing before any figure. */
function gapsOf({ complete, unread, without_rate: rateless, gaps, truncated, part, next }) {
  const unreadTexts = listOf(unread).map(
    (each) => `Not read: ${visible(each.account_id)} ${visible(each.currency)}. ${visible(each.reason)}`,
  );
  const ratelessTexts = textsOf(rateless);
  return [
    ...warnings([
      ...(complete === false ? ["Incomplete: the figures below are not the whole."] : []),
      ...unreadTexts,
      ...(ratelessTexts.length > 0 ? [`Without a rate: ${ratelessTexts.join(", ")}.`] : []),
      ...textsOf(gaps),
      ...(truncated === undefined ? [] : [visible(truncated)]),
      ...(part === undefined ? [] : [visible(part)]),
    ]),
    ...notes(next === undefined ? [] : ["Ask the assistant for the next rows."]),
  ];
}

function exposure(content) {
  const figures = ["expected", "trades", "net", "covered"].filter((name) =>
    listOf(content.currencies).some((each) => each[name] !== undefined),
  );
  const columns = figures.map((name) => ({ amount: name === "covered" ? "Covered %" : titleOf(name) }));
  const figuresOf = (each) => figures.map((name) => each[name]);
  const positions = listOf(content.positions);
  const { base, as_of: day } = content;
  return [
    ...facts([
      ["As of", day],
      ...(isObject(base) ? [[`Net in ${visible(base.currency)}`, amountText(base.net)]] : []),
    ]),
    ...estimatesNote(content),
    ...table(
      "By currency",
      ["Currency", ...columns],
      listOf(content.currencies).map((each) => [each.currency, ...figuresOf(each)]),
    ),
    ...table(
      "By time",
      ["Currency", "Time", ...columns],
      positions.map((each) => [each.currency, each.tenor ?? each.month, ...figuresOf(each)]),
    ),
  ];
}

function position(content) {
  const isExposure = content.positions !== undefined || content.currencies !== undefined;
  const title = isExposure ? "Currency exposure" : "Cash position";
  if (isExposure) return [title, ...gapsOf(content), ...exposure(content)];
  return [
    title,
    ...gapsOf(content),
    ...facts([["Read at", content.at && timeText(content.at)]]),
    ...pivot("Converted", ["currency"], listOf(content.converted)),
    ...estimatesNote(content),
    ...pivot("Totals", ["currency"], listOf(content.totals)),
    ...pivot("Accounts", ["account_name", "account_id", "currency"], listOf(content.balances)),
  ];
}

/** Returns a value of a request in words: amounts, accounts, and lists of either. */
function valueText(value) {
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (!isObject(value)) return visible(value);
  if (value.amount !== undefined && value.currency !== undefined)
    return `${amountText(value.amount)} ${visible(value.currency)}`;
  const entries = Object.entries(value);
  if (entries.length === 1) return valueText(entries[0][1]);
  return entries.map(([name, each]) => `${titleOf(name)}: ${valueText(each)}`).join(", ");
}

/** Returns a table of objects; amounts have their currency in the next column. */
function rowsOf(name, list) {
  const names = [...new Set(list.flatMap((row) => Object.keys(row)))];
  const isAmount = (column) => list.every((row) => decimal.test(row[column]?.amount ?? ""));
  const columns = names.flatMap((column) =>
    isAmount(column) ? [{ amount: titleOf(column) }, "Currency"] : [titleOf(column)],
  );
  const rows = list.map((row) =>
    names.flatMap((column) =>
      isAmount(column) ? [row[column].amount, row[column].currency] : [valueText(row[column] ?? "")],
    ),
  );
  return table(titleOf(name), columns, rows);
}

function fields(title, named) {
  const shown = named.map(([name, value]) => [
    titleOf(name),
    /amount$/i.test(name) && !isObject(value) ? amountText(value) : valueText(value),
  ]);
  return shown.length > 0 ? [element("h2", {}, title), ...facts(shown)] : [];
}

function orderTitle({ fixed_side: side, amount, buy_currency: buy, sell_currency: sell }) {
  if (side !== "buy" && side !== "sell") return undefined;
  return side === "buy"
    ? `Buy ${amountText(amount)} ${visible(buy)}, pay in ${visible(sell)}`
    : `Sell ${amountText(amount)} ${visible(sell)}, get ${visible(buy)}`;
}

function order(content) {
  const { terms = {}, journal, state } = content;
  // The terms of a call are its fields; those of an order are the order.
  const named = Object.entries(isObject(terms.values) ? terms.values : terms);
  const isRows = ([, value]) => Array.isArray(value) && value.some(isObject);
  const status = element("b", {}, titleOf(state ?? ""));
  return [
    orderTitle(terms) ?? `Request: ${visible(content.operation ?? "")}`,
    element("p", {}, status, ` – ${visible(content.description ?? "")}`),
    ...gapsOf(content),
    ...warnings([...textsOf(content.warnings), ...textsOf(content.deviations)]),
    ...facts([
      ["Summary", content.summary],
      ["Release", content.release],
      ["Requested by", content.requested_by],
      ["Requested at", content.requested_at && timeText(content.requested_at)],
      ["Valid until", content.valid_until && timeText(content.valid_until)],
      ["Client", content.client],
      ["Trade ID", content.trade_id],
      ["Remark", content.remark],
    ]),
    ...fields(
      "Terms",
      named.filter((each) => !isRows(each)),
    ),
    ...named.filter(isRows).flatMap(([name, value]) => rowsOf(name, listOf(value))),
    ...fields("Outcome", isObject(journal?.result) ? Object.entries(journal.result) : []),
    ...notes(state === "waiting" ? ["People release it outside the assistant. This card cannot."] : []),
    ...pageButton(content),
    ...refreshButton(content),
  ];
}

/** Opens the releases page, where people decide after login. */
function pageButton({ releases_page: page }) {
  if (!canOpenLinks || page === undefined) return [];
  const button = element("button", { type: "button", title: visible(page) }, "Open the releases page");
  button.addEventListener("click", () => request("ui/open-link", { url: page }).catch(() => undefined));
  return [button];
}

const openStates = new Set(["waiting", "released", "booking", "sent", "unknown"]);

function refreshButton({ state, release, outcome }) {
  if (!canCallTools || !openStates.has(state) || outcome === "done" || outcome === "rejected") return [];
  const button = element("button", { type: "button" }, "Read state again");
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      show(await request("tools/call", { name: "get_release", arguments: { release } }));
    } catch (error) {
      button.replaceWith(...warnings([visible(error.message)]));
    }
  });
  return [button];
}

const renderers = { position, order };

function show({ structuredContent, content, isError }) {
  const texts = listOf(content).flatMap(({ type, text }) => (type === "text" ? [visible(text)] : []));
  const [title, ...parts] =
    isObject(structuredContent) && !isError
      ? renderers[card](structuredContent)
      : [isError ? "The call failed" : "Result", ...texts.map((text) => element("pre", {}, text))];
  const badge = element("span", { class: `target ${environment}` }, target);
  main.replaceChildren(
    element("header", {}, element("h1", {}, title), badge),
    ...parts.filter((part) => part !== undefined),
  );
}

const waiting = new Map();
let lastId = 0;
let canCallTools = false;
let canOpenLinks = false;

// The origin of a host is unknown. Nothing secret is sent, and only messages of the embedding window are read.
const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const notify = (method, params = {}) => post({ method, params });

function request(method, params) {
  const id = ++lastId;
  post({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function applyContext({ theme } = {}) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

const handlers = {
  "ui/notifications/tool-result": show,
  "ui/notifications/tool-cancelled": () =>
    show({ content: [{ type: "text", text: "The call was cancelled." }] }),
  "ui/notifications/host-context-changed": applyContext,
};

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  const { id, method, params, result, error } = data;
  if (method === undefined) {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  } else if (Object.hasOwn(handlers, method)) handlers[method](params ?? {});
  else if (id !== undefined && (method === "ping" || method === "ui/resource-teardown"))
    post({ id, result: {} });
  else if (id !== undefined) post({ id, error: { code: -32601, message: `Unknown method: ${method}` } });
});

const { hostContext, hostCapabilities } = await request("ui/initialize", {
  appInfo: { name: `fxdesk ${card}`, version: "1.0.0" },
  appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  protocolVersion: "2026-01-26",
});
applyContext(hostContext);
canCallTools = hostCapabilities?.serverTools !== undefined;
canOpenLinks = hostCapabilities?.openLinks !== undefined;
notify("ui/notifications/initialized");
new ResizeObserver(() => {
  const { width, height } = document.body.getBoundingClientRect();
  notify("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) });
}).observe(document.body);
