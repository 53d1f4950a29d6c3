/** The search of the palette. */

import { titleOf } from "./form-texts.js";

/** Returns the summary of a node, the first paragraph of its help. */
export const summaryOf = (type) => $(RED.nodes.getNodeHelp(type)).filter("p").text();

/**
 * Adds search words to a node of the palette: English title, summary, fields, options and response properties. The palette
 * searches an attribute that is never displayed.
 */
export function makeSearchable(type) {
  const definition = RED.nodes.getType(type);
  if (!definition.fxdesk?.slug) return;
  const { controls, title, searchWords = "" } = definition.fxdesk;
  const fields = controls.flatMap(({ name, options = [] }) => [name, ...options]);
  const text = [
    titleOf(definition),
    definition.paletteLabel(),
    title,
    summaryOf(type),
    ...fields,
    searchWords,
  ].join(" ");
  $(`.red-ui-palette-node[data-palette-type="${type}"]`).attr("data-palette-label", text);
}
