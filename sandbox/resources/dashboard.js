/**
 * Keeps the sandbox's page current: reads it again and puts what is shown into place; what is being used stays. A form
 * is sent without leaving the page; the focus goes to the same place in it, or to what became of it.
 */
const pollMs = 2_000;
/** How long a response may take. */
const patienceMs = 10_000;

const notice = document.getElementById("notice");
const gone = '<p class="notice bad" role="alert">The sandbox does not respond.</p>';
let isGone = false;

/** A field of the form may be called "name". */
const nameOf = (form) => form.getAttribute("name");

const formNamed = (name, within) =>
  [...within.querySelectorAll("form")].find((each) => nameOf(each) === name);

/** Whether a field holds something else than it came with; an option is chosen without saying so when it is the first. */
function isEdited(field) {
  if (field.localName === "input") return field.value !== field.defaultValue;
  if (field.localName !== "select") return false;
  const given = [...field.options].findIndex(({ defaultSelected }) => defaultSelected);
  return field.selectedIndex !== Math.max(given, 0);
}

const beingFilledIn = (part) =>
  [...part.querySelectorAll("form")].filter((form) => [...form.elements].some(isEdited));

/**
 * What came last and what was kept in it, by the ID of the part. What stands in the page is not compared with: browser
 * extensions write into it.
 */
const received = new Map();
const stateOf = (part, kept) => JSON.stringify([part.innerHTML, ...kept.map(nameOf)]);

for (const part of document.querySelectorAll("[data-live]")) received.set(part.id, stateOf(part, []));

/** Puts a part into the place of the one that is shown; forms that are being filled in and what was unfolded stay. */
function replace(shown, part) {
  const kept = beingFilledIn(shown);
  const state = stateOf(part, kept);
  if (received.get(part.id) === state) return;
  received.set(part.id, state);
  for (const form of kept) formNamed(nameOf(form), part)?.replaceWith(form);
  for (const { id } of shown.querySelectorAll("details[open]"))
    part.querySelector(`#${id}`)?.toggleAttribute("open", true);
  offerCopies(part);
  shown.replaceChildren(...part.childNodes);
}

/** Buttons that copy are of use only where something can be copied. */
function offerCopies(part) {
  if (!navigator.clipboard) return;
  for (const button of part.querySelectorAll("[data-copies]")) button.hidden = false;
}

function put(next, stays) {
  for (const part of next.querySelectorAll("[data-live]")) {
    const shown = document.getElementById(part.id);
    if (shown && !stays(shown)) replace(shown, part);
  }
}

/** The page as it is now. Rejects when the sandbox does not respond, or fails. */
async function ask(options) {
  const response = await fetch("/", { ...options, signal: AbortSignal.timeout(patienceMs) });
  if (response.status >= 500) throw new Error(`The sandbox responds ${response.status}.`);
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  return { ok: response.ok, next };
}

function miss() {
  if (!isGone) notice.innerHTML = gone;
  isGone = true;
}

function meet() {
  if (isGone) notice.replaceChildren();
  isGone = false;
}

/** The names of the forms that are being sent: pressing twice sends once. */
const sending = new Set();

async function poll() {
  if (document.hidden || sending.size > 0) return;
  const { next } = await ask();
  meet();
  if (sending.size === 0) put(next, (shown) => shown.querySelector(":focus:not(.scroll)"));
}

async function keepCurrent() {
  await poll().catch(miss);
  later();
}

const later = () => setTimeout(() => void keepCurrent(), pollMs);

later();

/** Does what replaces parts of the page; the focus stays where it is, or goes to what stands in its place. */
function withFocus(replaceParts) {
  const focused = document.activeElement;
  const form = focused.closest("form");
  const place = form && [...form.elements].indexOf(focused);
  replaceParts();
  if (focused.isConnected) focused.focus();
  else ((form && formNamed(nameOf(form), document)?.elements[place]) ?? notice).focus();
}

async function send(form, button) {
  const filledIn = new FormData(form, button);
  const body = form.enctype === "multipart/form-data" ? filledIn : new URLSearchParams(filledIn);
  const { ok, next } = await ask({ method: "POST", body });
  isGone = false;
  if (ok) form.reset();
  notice.replaceChildren(...next.getElementById("notice").childNodes);
  withFocus(() => put(next, () => false));
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const name = nameOf(event.target);
  if (sending.has(name)) return;
  sending.add(name);
  send(event.target, event.submitter)
    .catch(miss)
    .finally(() => sending.delete(name));
});

offerCopies(document);

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-copies]");
  if (!button) return;
  const copied = document.getElementById(button.dataset.copies).textContent;
  navigator.clipboard.writeText(copied).then(
    () => (button.textContent = "Copied"),
    () => (button.textContent = "Select it to copy it"),
  );
});
