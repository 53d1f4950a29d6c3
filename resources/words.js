/** A text of the locale of the node set, by its key. */
export const words = (node, key, values) => node._def._(key, values);
