/** The nodes in the palette and on the canvas: the search words, and the shape of triggers. */

import { titleOf } from "./form-texts.js";

/** Returns the summary of a node, the first paragraph of its help. */
export const summaryOf = (type) => $(RED.nodes.getNodeHelp(type)).filter("p").text();

/** Returns the text that the palette searches: title, English title and search words. */
function searchTextOf(definition) {
  const { slug, title, searchWords = "" } = definition.fxdesk;
  const titles = slug ? [titleOf(definition), title] : [definition.paletteLabel()];
  return [...titles, searchWords].join(", ");
}

const isTrigger = ({ inputs, fxdesk }) => fxdesk !== undefined && inputs === 0;

/** Sets the search text of a node in the palette, an attribute that is never displayed, and its shape. */
export function completePaletteNode(type) {
  const definition = RED.nodes.getType(type);
  if (!definition.fxdesk?.effect && !definition.fxdesk?.slug) return;
  $(`.red-ui-palette-node[data-palette-type="${type}"]`)
    .attr("data-palette-label", searchTextOf(definition))
    .toggleClass("fxdesk-trigger", isTrigger(definition));
}

/** Gives triggers on the canvas their shape. */
export function shapeTriggers() {
  RED.hooks.add("viewAddNode.fxdesk", ({ node, el }) => {
    if (isTrigger(node._def)) el.classList.add("fxdesk-trigger");
  });
}
