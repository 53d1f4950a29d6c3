/** Texts of the editor and its forms. */

/** Returns a text of the locale catalogue that all node sets share. */
export const translate = (key, values) => RED._(`@fxdesk/toolkit/fxdesk:${key}`, values);

/** Returns the translated title of a node type, or its English title. */
export const titleOf = ({ fxdesk: { slug, title } }) => translate(`labels.${slug}`, { defaultValue: title });

/** Labels and descriptions of settings and fields. Loaded when the first form is opened. */
let declaredTexts;
let pendingRequest;

export const areTextsLoaded = () => declaredTexts !== undefined;

/** Time limit of loading the texts. The form works without them. */
const loadTimeoutMs = 10_000;

/** Loads the texts once. A failed request is retried the next time. */
export function loadTexts() {
  // The editor adds its access token to jQuery requests.
  pendingRequest ??= $.ajax({
    url: "fxdesk/words",
    data: { lang: RED.i18n.lang() },
    dataType: "json",
    timeout: loadTimeoutMs,
  })
    .done((all) => (declaredTexts = all))
    .fail(() => (pendingRequest = undefined));
  return pendingRequest;
}

/** Uses a field name as its label. */
export const nameAsLabel = (name) => ({ label: name });

/** Returns label and description of a field: those of its operation, else those shared by all fields of that name. */
export function fieldTexts({ _def: { fxdesk } }, name) {
  return declaredTexts?.operations[fxdesk.slug]?.[name] ?? declaredTexts?.fields[name] ?? nameAsLabel(name);
}

/** Returns label and description of a list of a result. */
export const listTexts = (name) => declaredTexts?.lists[name] ?? nameAsLabel(name);

/** Returns the words for an option, or the option itself if it is an identifier. */
export const optionText = (option) =>
  Object.hasOwn(declaredTexts?.options ?? {}, option) ? declaredTexts.options[option] : option;

export const settingTexts = (name) => declaredTexts?.settings[name] ?? nameAsLabel(name);

/** Fills a form once its texts are loaded, or without them if loading fails. Does nothing if the form was closed meanwhile. */
export function whenTextsLoaded(node, { form, state, fill }) {
  if (areTextsLoaded()) return fill();
  form.attr("aria-busy", "true");
  state.text(translate("form.textsLoading"));
  const fillWithState = (text) => () => {
    if (form.closest("body").length === 0) return;
    state.text(text);
    fill();
    form.attr("aria-busy", "false");
  };
  loadTexts().then(fillWithState(""), fillWithState(translate("form.textsFailed")));
}

/** Replaces the names of fields and options in a text with their titles. An option of one word can be a word of the text. */
const withTitles = (node, text) =>
  node._def.fxdesk.controls
    .reduce(
      (result, { name }) =>
        result.replace(new RegExp(`\\b${name}\\b`, "g"), () => `“${fieldTexts(node, name).label}”`),
      text,
    )
    .replace(/\w+(?:_|[a-z][A-Z])\w+/g, (word) =>
      optionText(word) === word ? word : `“${optionText(word)}”`,
    );

/** Returns a message of the runtime in the language of the editor. A `{}` in a template stands for any text. */
function translateMessage(message) {
  const [, said, refused = ""] = /^(.*?)(, not .*)?$/s.exec(message);
  for (const [template, translation] of Object.entries(declaredTexts?.messages ?? {})) {
    const pattern = template.replace(/[.()]/g, "\\$&").replaceAll("{}", "(.*)");
    const [isFitting, ...values] = new RegExp(`^${pattern}$`, "s").exec(said) ?? [];
    if (isFitting === undefined) continue;
    const not = refused.replace("not", translate("form.butNot"));
    return translation.replaceAll("{}", () => values.shift()) + not;
  }
  return message;
}

/** Returns a violation as a sentence with the titles of the fields. */
export function violationText(node, { field, message, rule }) {
  if (rule) return withTitles(node, declaredTexts?.rules[message] ?? message);
  const [name, ...path] = field.split(".");
  // The control of a choice lists its options.
  const isChoice = node._def.fxdesk.controls.some((each) => each.name === field && each.options);
  const text = isChoice ? message.replace(/^is required: .*/, "is required") : message;
  return [fieldTexts(node, name).label, ...path, translateMessage(text)].join(" ");
}
