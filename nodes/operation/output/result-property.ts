/** Message property that receives the result. */
import type { Node, NodeAPI, NodeMessage } from "node-red";

export const defaultResultProperty = "payload";

export interface ResultProperty {
  /** True if the result replaces the payload. */
  readonly isPayload: boolean;
  readonly set: (msg: NodeMessage, result: unknown) => void;
}

/**
 * Prepares a property path, for example `payload` or `position.accounts`. Throws an Error if it is invalid. If a message has
 * no such path, the result is stored in the payload instead of being lost.
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
      node.warn(
        `msg.${path} cannot be set because part of it is not an object. The result is in msg.payload.`,
      );
    },
  };
}
