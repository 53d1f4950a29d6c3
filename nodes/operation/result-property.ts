/** The property of a message that takes the result. */
import type { Node, NodeAPI, NodeMessage } from "node-red";

export const defaultResultProperty = "payload";

export interface ResultProperty {
  /** Whether the result takes the place of the payload. */
  readonly isPayload: boolean;
  readonly set: (msg: NodeMessage, result: unknown) => void;
}

/**
 * Prepares a property, such as `payload` or `position.accounts`. Throws an Error for what is none. A message in which there
 * is no such place takes its result as payload: it must not be lost.
 */
export function createResultProperty(RED: NodeAPI, node: Node, path = defaultResultProperty): ResultProperty {
  const set = (msg: NodeMessage, result: unknown) => (msg.payload = result);
  if (path === defaultResultProperty) return { isPayload: true, set };
  RED.util.normalisePropertyExpression(path);
  return {
    isPayload: false,
    set(msg, result) {
      if (RED.util.setMessageProperty(msg, path, result, true)) return;
      set(msg, result);
      node.warn(`msg.${path} leads through a value that has no properties: the result is in msg.payload.`);
    },
  };
}
