/** Texts of nodes without a declaration. */
import type { Words } from "./words/en";

/** Label and help of a node. */
export interface NodeTexts {
  readonly label: string;
  readonly summary: string;
  readonly details: readonly string[];
}

/** Node with English texts. */
export interface WrittenNode extends NodeTexts {
  readonly type: string;
}

const textsOf = (node: WrittenNode, words: Words): NodeTexts => words.nodes[node.type] ?? node;

/** Returns the labels of nodes by type. */
export const labelsOf = (nodes: readonly WrittenNode[], words: Words): Readonly<Record<string, string>> =>
  Object.fromEntries(nodes.map((node) => [node.type, textsOf(node, words).label]));

const labelText = ({ type }: WrittenNode): string => `this._(${JSON.stringify(`labels.${type}`)})`;

/** The label in the palette, and that of a node without a name, unless something else of it comes first. */
export const labelParts = (node: WrittenNode, first = ""): string =>
  `paletteLabel: function () { return ${labelText(node)}; },
  label: function () { return this.name || ${first}${labelText(node)}; },
  labelStyle: function () { return this.name ? "node_label_italic" : ""; }`;

const help = ({ type }: WrittenNode, { summary, details }: NodeTexts): string =>
  `<script type="text/html" data-help-name="${type}">\n${[summary, ...details].map((text) => `<p>${text}</p>`).join("\n")}\n</script>`;

/** The help of nodes in the words of a language. */
export const helpOf = (nodes: readonly WrittenNode[], words: Words): string =>
  `${nodes.map((node) => help(node, textsOf(node, words))).join("\n")}\n`;
