/** Times in a form: the browser's own pickers beside a text, which stays what it is until one of them is used. */

const minute = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

/** The control of the browser for each, and how what it holds is written; all of it is UTC. */
const kinds = {
  day: { type: "date", written: (value) => value, form: /^\d{4}-\d{2}-\d{2}/ },
  minute: { type: "datetime-local", written: (value) => value, form: minute },
  instant: { type: "datetime-local", written: (value) => value && `${value}:00Z`, form: minute },
};

/** The first and the last day that a period was written with; one day stands for itself. */
const daysIn = (text) => {
  const [from = "", to = from] = text.match(/\d{4}-\d{2}-\d{2}/g) ?? [];
  return [from, to];
};

const between = (from, to) => (from && to && from !== to ? `${from}..${to}` : from || to);

/** A control of the browser with a name of its own. */
function native(type, label, written) {
  return $("<input>")
    .attr({ type, "aria-label": label, title: label })
    .on("input change", (event) => {
      // The form hears of the text, which is what counts.
      event.stopPropagation();
      written();
    });
}

/** The pickers for a kind of time: `read` gives the text they stand for, `show` puts a text into them. */
function pickersOf(moment, { label, words }, written) {
  if (moment === "period") {
    const [from, to] = ["from", "to"].map((end) =>
      native("date", `${label}, ${words(`form.${end}Day`)}`, written),
    );
    return {
      inputs: [from, $("<span>").text("–"), to],
      read: () => between(from.val(), to.val()),
      show: (text) => [from, to].forEach((input, index) => input.val(daysIn(text)[index])),
    };
  }
  const { type, written: textOf, form } = kinds[moment];
  const input = native(type, `${label}, ${words("form.pick")}`, written);
  return {
    inputs: [input],
    read: () => textOf(input.val()),
    show: (text) => input.val(form.exec(text)?.[0] ?? ""),
  };
}

/**
 * Returns a line with the pickers for a kind of time. `put` is given what was picked, as the field takes it; `show` on the
 * result follows a text that was written.
 */
export function momentPicker(moment, { label, words, put }) {
  const pickers = pickersOf(moment, { label, words }, () => {
    const text = pickers.read();
    if (text) put(text);
  });
  return { line: $('<div class="fxdesk-moment">').append(pickers.inputs), show: pickers.show };
}
