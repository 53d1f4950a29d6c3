/** The search of the palette. */

/**
 * The palette searches in types and labels, and reads the label it searches in from an attribute that is shown nowhere:
 * there a node is given its summary, and what it takes and returns, too.
 */
export function makeSearchable(type) {
  const { fxdesk, paletteLabel, _: localised } = RED.nodes.getType(type);
  if (!fxdesk?.slug) return;
  const { slug, controls, searchWords } = fxdesk;
  const fields = controls.flatMap(({ name, options = [] }) => [name, ...options]);
  const text = [paletteLabel, localised(`operations.${slug}.description`), ...fields, searchWords].join(" ");
  $(`.red-ui-palette-node[data-palette-type="${type}"]`).attr("data-palette-label", text);
}
