/** The browser's date and time pickers beside a text field. The text changes only when a picker is used. */

const minute = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

/** Input type and text format per precision. All times are UTC. */
const kinds = {
  day: { type: "date", format: (value) => value, form: /^\d{4}-\d{2}-\d{2}/ },
  minute: { type: "datetime-local", format: (value) => value, form: minute },
  instant: { type: "datetime-local", format: (value) => value && `${value}:00Z`, form: minute },
};

/** Returns the first and last day of a period. A single day is both. */
const parsePeriodDays = (text) => {
  const [from = "", to = from] = text.match(/\d{4}-\d{2}-\d{2}/g) ?? [];
  return [from, to];
};

const formatPeriod = (from, to) => (from && to && from !== to ? `${from}..${to}` : from || to);

/** Creates a labelled native input. */
function createNativeInput(type, label, onPicked) {
  return $("<input>")
    .attr({ type, "aria-label": label, title: label })
    .on("input change", (event) => {
      // The form listens to the text field, which holds the value.
      event.stopPropagation();
      onPicked();
    });
}

/** Creates the pickers of one precision. `read` returns their value as text; `show` sets them from text. */
function createPickers(moment, { label, translate }, onPicked) {
  if (moment === "period") {
    const [from, to] = ["from", "to"].map((end) =>
      createNativeInput("date", `${label}, ${translate(`form.${end}Day`)}`, onPicked),
    );
    return {
      inputs: [from, $("<span>").text("–"), to],
      read: () => formatPeriod(from.val(), to.val()),
      show: (text) => [from, to].forEach((input, index) => input.val(parsePeriodDays(text)[index])),
    };
  }
  const { type, format: textOf, form } = kinds[moment];
  const input = createNativeInput(type, `${label}, ${translate("form.pick")}`, onPicked);
  return {
    inputs: [input],
    read: () => textOf(input.val()),
    show: (text) => input.val(form.exec(text)?.[0] ?? ""),
  };
}

/**
 * Creates a row with the pickers of one precision. `put` receives each picked value in the format of the field. Call `show`
 * of the result when the text changes.
 */
export function timePicker(moment, { label, translate, put }) {
  const pickers = createPickers(moment, { label, translate }, () => {
    const text = pickers.read();
    if (text) put(text);
  });
  return { line: $('<div class="fxdesk-time-picker">').append(pickers.inputs), show: pickers.show };
}
