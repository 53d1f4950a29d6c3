/** Status below a node. */
import type { Node, NodeAPI, NodeStatus } from "node-red";
import type { FxdeskError } from "../../core/spec/errors";
import type { Failure } from "./errors";
import { editorCatalogue } from "./node-names";

/** Maximum length of an error status. Longer texts overlap neighbouring nodes. */
const maxTextLength = 20;

/** Returns a translated status text. */
export type Translate = (key: string, count?: number) => string;

export const translateStatus =
  (RED: NodeAPI): Translate =>
  (key, count = 0) =>
    RED._(`${editorCatalogue}:status.${key}`, { count });

export function failedStatus({ code, cause }: Failure): NodeStatus {
  const kind = code.replaceAll("_", " ");
  const { status } = cause as { status?: number };
  const full = status === undefined ? kind : `${kind} (${status})`;
  return { fill: "red", shape: "ring", text: full.length < maxTextLength ? full : kind };
}

/** Returns the status of a node without a usable connection or operation. */
export const unusableStatus = (translate: Translate, error: unknown): NodeStatus => ({
  fill: "red",
  shape: "ring",
  text: translate((error as FxdeskError).code === "no_connection" ? "unconnected" : "noOperation"),
});

/** Status of a node that shows every change at once. */
export class Status {
  constructor(private readonly node: Node) {}

  show(status: NodeStatus): void {
    this.node.status(status);
  }

  setFailed(failure: Failure): void {
    this.node.status(failedStatus(failure));
  }
}
