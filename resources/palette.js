/** The search of the palette. */

import { titleOf } from "./words.js";

/** The summary of a node, which begins its help. */
export const summaryOf = (type) => $(RED.nodes.getNodeHelp(type)).filter("p").text();

/**
 * The palette searches in types and labels, and reads the label it searches in from an attribute that is shown nowhere:
 * there a node is given its title in English, its summary, and what it takes and returns, too.
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
