import type { NodeMessage } from "node-red";
import type { Change } from "../../core/spec/watch";

/** Converts a change to a message. */
export const toChangeMessage = ({
  watch,
  entry,
  kind,
  id,
  before,
  at,
  repeated,
}: Omit<Change, "cursor">): NodeMessage =>
  ({
    topic: watch,
    payload: entry ?? null,
    fxdesk: { watch, kind, id, before, at, repeated },
  }) as Partial<NodeMessage> as NodeMessage;
