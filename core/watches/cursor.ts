/** Cursors: the position of a change, as text for consumers. They consist of the start of the watch's ID and a sequence number. */
import type { Change } from "../spec/watch";
import type { StoredChange } from "./stored-rows";

const prefixOf = (watchId: string): string => watchId.slice(0, 16);

export const encodeCursor = (watchId: string, seq: number): string => `${prefixOf(watchId)}.${seq}`;

/** Returns the sequence number; undefined if the cursor is of another watch or malformed. */
export function decodeCursor(watchId: string, cursor: string): number | undefined {
  const [prefix, seq = ""] = cursor.split(".");
  return prefix === prefixOf(watchId) && /^\d{1,15}$/.test(seq) ? Number(seq) : undefined;
}

/** Returns a stored change as consumers receive it. */
export const toChange = (
  watch: string,
  watchId: string,
  { seq, kind, id, entry, before, at, repeated }: StoredChange,
): Change => ({
  watch,
  kind,
  id,
  entry,
  before,
  at: new Date(at).toISOString(),
  repeated,
  cursor: encodeCursor(watchId, seq),
});
