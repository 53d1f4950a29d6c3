/**
 * A line of text with a list to choose from: what is typed searches the list, and any text may stay. The entries come
 * later; keys pressed before are pressed on an empty list.
 */

/** So many rows are shown at once; who sees more searches on. */
const shownRows = 50;

const matching = (entries, text) => {
  const asked = text.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ search }) => asked.every((word) => search.includes(word)));
};

/** What was chosen stays to be compared with the others. */
const offeredFor = (entries, text) =>
  entries.some(({ value }) => value === text) ? entries : matching(entries, text);

/** The text before and within the last item of several with commas between. */
const parted = (text, several) => {
  const end = several ? text.lastIndexOf(",") + 1 : 0;
  return [text.slice(0, end), text.slice(end).trim()];
};

/**
 * Makes a picker of a text input. Entries have `value`, `main` and `aside` as they are shown, `hint`, and `search`, lower-case
 * text that is searched. `found` hears how many entries match what was typed, `chosen` of the entry that was. Only while
 * `isActive` says so; `several` takes values with commas between, each picked by itself.
 */
export function picker(
  input,
  { found = () => {}, chosen = () => {}, isActive = () => true, several = false, label },
) {
  const listId = `${input.attr("id")}-list`;
  const list = $('<ul role="listbox" class="fxdesk-list">').attr("id", listId).hide();
  let entries = [];
  let shown = [];
  let active = -1;
  /** Entries that come later are shown to who has asked for them, and is still there. */
  let isAsked = false;

  input.attr({
    role: "combobox",
    autocomplete: "off",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": listId,
  });
  list.attr("aria-label", label);

  const isOpen = () => input.attr("aria-expanded") === "true";

  function close() {
    isAsked = false;
    active = -1;
    list.hide().empty();
    input.attr("aria-expanded", "false").removeAttr("aria-activedescendant");
  }

  function choose(entry) {
    const [before] = parted(input.val(), several);
    input.val(before ? `${before} ${entry.value}` : entry.value).trigger("change");
    chosen(entry);
    close();
  }

  function rowOf(entry, index) {
    const option = $('<li role="option" aria-selected="false">').attr("id", `${listId}-${index}`);
    option.append($("<b>").text(entry.main), $("<span>").text(` ${entry.aside}`));
    if (entry.hint) option.attr("title", entry.hint);
    // The input keeps the focus, or the list would close before the click.
    return option.on("mousedown", (event) => {
      event.preventDefault();
      choose(entry);
    });
  }

  function open() {
    if (!isActive()) return;
    isAsked = true;
    const offered = offeredFor(entries, parted(input.val(), several)[1]);
    shown = offered.slice(0, shownRows);
    active = -1;
    list
      .empty()
      .append(shown.map(rowOf))
      .toggle(shown.length > 0);
    input.attr("aria-expanded", String(shown.length > 0)).removeAttr("aria-activedescendant");
    found(offered.length);
  }

  function activate(index) {
    const rows = list.children().attr("aria-selected", "false");
    active = (index + shown.length) % shown.length;
    const row = rows.eq(active).attr("aria-selected", "true");
    input.attr("aria-activedescendant", row.attr("id"));
    row[0].scrollIntoView({ block: "nearest" });
  }

  function move(step) {
    if (!isActive()) return false;
    if (!isOpen()) open();
    if (shown.length > 0) activate(active < 0 && step < 0 ? shown.length - 1 : active + step);
    return true;
  }

  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => isOpen() && active >= 0 && (choose(shown[active]), true),
    Escape: () => isOpen() && (close(), true),
  };

  input.on("keydown", (event) => {
    const press = keys[event.key];
    // Escape and Enter are the list's only while it is open; then the dialog must not hear of them.
    if (!press || press() === false) return;
    event.preventDefault();
    event.stopPropagation();
  });
  /** Who has written out the only value that fits needs no list, which would lie over what comes next. */
  function search() {
    open();
    const text = parted(input.val(), several)[1];
    const [only, ...others] = matching(entries, text);
    if (only?.value === text && others.length === 0) close();
  }
  input.on("input", search).on("click", open).on("blur", close);

  return {
    list,
    fill(given) {
      entries = given;
      if (isAsked) search();
    },
  };
}
