/**
 * Refreshes the dashboard every two seconds, except the parts in use. Forms are sent without leaving the page; the focus
 * stays where it was, or moves to the notice.
 */
const pollMs = 2_000;
/** Time limit of a response. */
const timeoutMs = 10_000;

const notice = document.getElementById("notice");
const offlineNotice = '<p class="notice bad" role="alert">The sandbox does not respond.</p>';
let isOffline = false;

/** Reads the attribute, because a field of the form may be called "name". */
const nameOf = (form) => form.getAttribute("name");

const formNamed = (name, within) =>
  [...within.querySelectorAll("form")].find((each) => nameOf(each) === name);

/** True if a field differs from its initial value. A select without a default starts with its first option. */
function isEdited(field) {
  if (field.localName === "input") return field.value !== field.defaultValue;
  if (field.localName !== "select") return false;
  const initialIndex = [...field.options].findIndex(({ defaultSelected }) => defaultSelected);
  return field.selectedIndex !== Math.max(initialIndex, 0);
}

const editedForms = (part) =>
  [...part.querySelectorAll("form")].filter((form) => [...form.elements].some(isEdited));

/**
 * Last received content by the ID of the part, with the forms preserved in it. The page itself is no basis for
 * comparison, because browser extensions modify it.
 */
const received = new Map();
const stateOf = (part, preservedForms) => JSON.stringify([part.innerHTML, ...preservedForms.map(nameOf)]);

for (const part of document.querySelectorAll("[data-live]")) received.set(part.id, stateOf(part, []));

/** Replaces a part of the page, but preserves edited forms and expanded details. */
function replace(shown, part) {
  const preservedForms = editedForms(shown);
  const state = stateOf(part, preservedForms);
  if (received.get(part.id) === state) return;
  received.set(part.id, state);
  for (const form of preservedForms) formNamed(nameOf(form), part)?.replaceWith(form);
  for (const { id } of shown.querySelectorAll("details[open]"))
    part.querySelector(`#${id}`)?.toggleAttribute("open", true);
  showCopyButtons(part);
  shown.replaceChildren(...part.childNodes);
}

/** Shows the copy buttons if the browser provides a clipboard. */
function showCopyButtons(part) {
  if (!navigator.clipboard) return;
  for (const button of part.querySelectorAll("[data-copies]")) button.hidden = false;
}

function replaceParts(next, isInUse) {
  for (const part of next.querySelectorAll("[data-live]")) {
    const shown = document.getElementById(part.id);
    if (shown && !isInUse(shown)) replace(shown, part);
  }
}

/** Fetches the current page. Rejects if the sandbox does not respond or fails. */
async function fetchPage(options) {
  const response = await fetch("/", { ...options, signal: AbortSignal.timeout(timeoutMs) });
  if (response.status >= 500) throw new Error(`The sandbox responded with status ${response.status}.`);
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  return { ok: response.ok, next };
}

function showOffline() {
  if (!isOffline) notice.innerHTML = offlineNotice;
  isOffline = true;
}

function clearOffline() {
  if (isOffline) notice.replaceChildren();
  isOffline = false;
}

/** Names of the forms being sent, so that a double click sends once. */
const sending = new Set();

async function poll() {
  if (document.hidden || sending.size > 0) return;
  const { next } = await fetchPage();
  clearOffline();
  if (sending.size === 0) replaceParts(next, (shown) => shown.querySelector(":focus:not(.scroll)"));
}

async function refresh() {
  await poll().catch(showOffline);
  scheduleRefresh();
}

const scheduleRefresh = () => setTimeout(() => void refresh(), pollMs);

scheduleRefresh();

/** Runs an update of the page and restores the focus, to the replacement of the focused element if necessary. */
function withFocus(update) {
  const focused = document.activeElement;
  const form = focused.closest("form");
  const index = form && [...form.elements].indexOf(focused);
  update();
  if (focused.isConnected) focused.focus();
  else ((form && formNamed(nameOf(form), document)?.elements[index]) ?? notice).focus();
}

async function send(form, button) {
  const data = new FormData(form, button);
  const body = form.enctype === "multipart/form-data" ? data : new URLSearchParams(data);
  const { ok, next } = await fetchPage({ method: "POST", body });
  isOffline = false;
  if (ok) form.reset();
  notice.replaceChildren(...next.getElementById("notice").childNodes);
  withFocus(() => replaceParts(next, () => false));
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const name = nameOf(event.target);
  if (sending.has(name)) return;
  sending.add(name);
  send(event.target, event.submitter)
    .catch(showOffline)
    .finally(() => sending.delete(name));
});

showCopyButtons(document);

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-copies]");
  if (!button) return;
  const copied = document.getElementById(button.dataset.copies).textContent;
  navigator.clipboard.writeText(copied).then(
    () => (button.textContent = "Copied"),
    () => (button.textContent = "Select the text to copy it"),
  );
});
