/** A combobox: a text field with a searchable list. Any text is allowed. The entries may arrive after the field is shown. */

/** Maximum number of rows shown. Users narrow the list by typing. */
const maxRows = 50;

const filterEntries = (entries, text) => {
  const searchWords = text.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ search }) => searchWords.every((word) => search.includes(word)));
};

/** Shows all entries if the text is one of them, so that the user can compare the choice with the others. */
const visibleEntries = (entries, text) =>
  entries.some(({ value }) => value === text) ? entries : filterEntries(entries, text);

/** Splits comma-separated text into the part before the last item and the last item. */
const splitLastItem = (text, several) => {
  const end = several ? text.lastIndexOf(",") + 1 : 0;
  return [text.slice(0, end), text.slice(end).trim()];
};

/**
 * Turns a text input into a combobox. Entries have a `value`, the displayed texts `main` and `aside`, a tooltip `hint`, and
 * `search`, the lower-case text that is searched. `onMatches` receives the number of matches, `onChosen` the chosen entry.
 * The list opens only while `isActive` returns true. `several` allows comma-separated values.
 */
export function createPicker(
  input,
  { onMatches = () => {}, onChosen = () => {}, isActive = () => true, several = false, label },
) {
  const listId = `${input.attr("id")}-list`;
  const list = $('<ul role="listbox" class="fxdesk-list">').attr("id", listId).hide();
  let entries = [];
  let shown = [];
  let active = -1;
  /** True while the list should be open. Entries that arrive later are then shown at once. */
  let isListRequested = false;

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
    isListRequested = false;
    active = -1;
    list.hide().empty();
    input.attr("aria-expanded", "false").removeAttr("aria-activedescendant");
  }

  function choose(entry) {
    const [before] = splitLastItem(input.val(), several);
    input.val(before ? `${before} ${entry.value}` : entry.value).trigger("change");
    onChosen(entry);
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
    isListRequested = true;
    const [before, text] = splitLastItem(input.val(), several);
    const chosen = new Set(before.split(",").map((each) => each.trim()));
    const offered = visibleEntries(
      entries.filter(({ value }) => !chosen.has(value)),
      text,
    );
    shown = offered.slice(0, maxRows);
    active = -1;
    list
      .empty()
      .append(shown.map(rowOf))
      .toggle(shown.length > 0);
    input.attr("aria-expanded", String(shown.length > 0)).removeAttr("aria-activedescendant");
    onMatches(offered.length);
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
    // While the list is open, Escape and Enter must not reach the dialog.
    if (!press || press() === false) return;
    event.preventDefault();
    event.stopPropagation();
  });
  /** Updates the list. Closes it if the text is the only match: it would cover the next field. */
  function search() {
    open();
    const text = splitLastItem(input.val(), several)[1];
    const [only, ...others] = filterEntries(entries, text);
    if (only?.value === text && others.length === 0) close();
  }
  input.on("input", search).on("click", open).on("blur", close);

  return {
    list,
    fill(given) {
      entries = given;
      if (isListRequested) search();
    },
  };
}
