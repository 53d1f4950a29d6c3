/** The search of the palette. */

/**
 * The palette searches in types and labels, and reads the label it searches in from an attribute that is shown nowhere:
 * there a node is given its summary, and what it takes and returns, too.
 */
export function makeSearchable(type) {
  const { fxdesk, paletteLabel } = RED.nodes.getType(type);
  if (!fxdesk?.slug) return;
  const { controls, searchWords = "" } = fxdesk;
  const summary = $(RED.nodes.getNodeHelp(type)).filter("p").text();
  const fields = controls.flatMap(({ name, options = [] }) => [name, ...options]);
  const text = [paletteLabel, summary, ...fields, searchWords].join(" ");
  $(`.red-ui-palette-node[data-palette-type="${type}"]`).attr("data-palette-label", text);
}
