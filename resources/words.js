/** What the editor and its forms say. */

/** A text of the locale of the node set, by its key. */
export const words = (node, key, values) => node._def._(key, values);

/** The title of the nodes of a definition; the catalogue has it where it is not the English one. */
export const titleOf = ({ _: text, fxdesk: { slug, title } }) =>
  text(`labels.${slug}`, { defaultValue: title });

/** What declarations say of settings and fields: most editors never need it, and none needs it before a form is opened. */
let said;
let reading;

export const isWordsKnown = () => said !== undefined;

/** Nobody waits longer for words before a form that can be filled without them. */
const longestMs = 10_000;

/** Reads it once; what could not be read is asked for again. */
export function readWords() {
  // The editor's own request carries its token.
  reading ??= $.ajax({
    url: "fxdesk/words",
    data: { lang: RED.i18n.lang() },
    dataType: "json",
    timeout: longestMs,
  })
    .done((all) => (said = all))
    .fail(() => (reading = undefined));
  return reading;
}

/** What is called by a name alone, as flows do. */
export const byName = (name) => ({ label: name });

/** The words of a field: those of its own, or those that its name has in most nodes. */
export function fieldWords({ _def: { fxdesk } }, name) {
  return said?.operations[fxdesk.slug]?.[name] ?? said?.fields[name] ?? byName(name);
}

export const settingWords = (name) => said?.settings[name] ?? byName(name);

/** Lets a form wait for its words, and fills it without them where they cannot be read; a form that is closed by then is left. */
export function withWords(node, { form, state, fill }) {
  if (isWordsKnown()) return fill();
  form.attr("aria-busy", "true");
  state.text(words(node, "form.wordsWait"));
  const filled = (text) => () => {
    if (form.closest("body").length === 0) return;
    state.text(text);
    fill();
    form.attr("aria-busy", "false");
  };
  readWords().then(filled(""), filled(words(node, "form.wordsFailed")));
}
