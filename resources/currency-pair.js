/** The pair of a rate: filled in from the currencies of the form, with an estimate of today's rate below the rate. */
import { attachPicker, fieldInput, readTypedInput, textEntry } from "./field-controls.js";
import { translate } from "./form-texts.js";
import { fetchRate } from "./runtime-requests.js";

/** Order in which markets name the currencies of a pair. Others follow. */
const marketOrder = ["EUR", "GBP", "AUD", "NZD", "USD", "CAD", "CHF"];
const rankOf = (currency) => marketOrder.indexOf(currency) + 1 || Infinity;

/** Returns both pairs of two currencies, the usual one first. */
export const pairsOf = (buy, sell) =>
  rankOf(buy) < rankOf(sell) ? [buy + sell, sell + buy] : [sell + buy, buy + sell];

/** Returns the fixed value of a field, or an empty text. */
function fixedText(name) {
  const { type, value } = readTypedInput(fieldInput(name));
  return type === "str" ? value : "";
}

const isCurrency = (text) => /^[A-Z]{3}$/.test(text);

/** Returns how a limit compares with the rate of now. */
function comparisonText(limit, rate, isUpperLimit) {
  const difference = (Number(limit) / rate - 1) * 100;
  if (!Number.isFinite(difference) || limit === "") return "";
  const isWorse = isUpperLimit ? difference > 0 : difference < 0;
  return translate(isWorse ? "form.rateWorse" : "form.rateBetter", {
    percent: Math.abs(difference).toFixed(2),
  });
}

/** Keeps the pair of a rate in step with the currencies of the form. */
export function followCurrencies(form, { name, pairOf }) {
  const input = fieldInput(name);
  const rateInput = fieldInput(pairOf.rate);
  const hint = $('<p class="fxdesk-hint fxdesk-description" aria-live="polite">');
  rateInput.closest(".form-row").append(hint);
  const picker = attachPicker(input);
  let known = "";

  function showRate(pair, buy) {
    const connection = $("#node-input-connection").val();
    const isShown = () => fixedText(name) === pair && fixedText(pairOf.buy) === buy;
    const show = ({ rate }) => {
      if (!isShown() || rate === undefined) return hint.text("");
      const now = translate("form.rateNow", { rate, base: pair.slice(0, 3), quoted: pair.slice(3) });
      hint.text([now, comparisonText(fixedText(pairOf.rate), Number(rate), pair.startsWith(buy))].join(" "));
    };
    fetchRate(connection, pair, buy)
      ?.done(show)
      .fail(() => hint.text(""));
  }

  function follow() {
    const [buy, sell] = [fixedText(pairOf.buy), fixedText(pairOf.sell)];
    const isKnown = isCurrency(buy) && isCurrency(sell) && buy !== sell;
    const pairs = isKnown ? pairsOf(buy, sell) : [];
    if (pairs.join() !== known) {
      known = pairs.join();
      picker.fill(pairs.map(textEntry));
      const isFixed = input.typedInput("type") === "str";
      if (isKnown && isFixed && !pairs.includes(fixedText(name))) input.typedInput("value", pairs[0]);
    }
    if (pairs.includes(fixedText(name))) showRate(fixedText(name), buy);
    else hint.text("");
  }
  form.on("input change", follow);
  follow();
}
