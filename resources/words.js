/** A text of the locale of the node set, by its key. */
export const words = (node, key, values) => node._def._(key, values);

/** What is said by a key; undefined where nothing is, for which the editor gives the key itself. */
export function saidBy(say, key) {
  const text = say(key);
  return text === key ? undefined : text;
}
