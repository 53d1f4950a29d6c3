/**
 * Rows of the tables of watches: the states of the entries, the gaps of the last read, and the changes. All are sealed.
 * Consumers know a change by its cursor.
 */
import { createHash } from "node:crypto";
import type { Change, ChangeKind, WatchState } from "../spec/watch";
import type { Row, Value } from "../store/database";
import { type Sealer, sealLocation } from "../store/sealer";

/** The stored state of an entry. */
export interface EntryState {
  readonly state: WatchState;
  /** YYYY-MM-DD, or empty. */
  readonly day: string;
}

export type EntryStates = ReadonlyMap<string, EntryState>;

/** A change found by a read. */
export interface FoundChange {
  readonly kind: ChangeKind;
  readonly id: string;
  readonly entry?: unknown;
  readonly before?: WatchState;
}

/** A stored change with its sequence number. */
export interface StoredChange extends FoundChange {
  readonly seq: number;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly at: number;
  readonly repeated: boolean;
}

/** Key of the gaps of the last read in the table of states. Entries have hashes as keys, so it cannot collide. */
export const gapsKey = "gaps";

/** Returns a SHA-256 hash, so that keys do not reveal IDs and input. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const stateContext = (watchId: string, key: string): string =>
  sealLocation("fxdesk_watch_states", "content", watchId, key);

const changeContext = (watchId: string, seq: number): string =>
  sealLocation("fxdesk_watch_changes", "content", watchId, seq);

const stateRow = (sealer: Sealer, watchId: string, key: string, content: unknown): readonly Value[] => [
  watchId,
  key,
  sealer.seal(JSON.stringify(content), stateContext(watchId, key)),
];

/** Returns the rows (watch, entry, content) of states, with one for the gaps if there are any. */
export function encodeStates(
  sealer: Sealer,
  watchId: string,
  states: EntryStates,
  gaps: readonly string[],
): (readonly Value[])[] {
  const rows = [...states].map(([id, known]) => stateRow(sealer, watchId, hashOf(id), { id, ...known }));
  return gaps.length > 0 ? [...rows, stateRow(sealer, watchId, gapsKey, gaps)] : rows;
}

/** Returns the entry ID and state of a row (entry, content). */
export function decodeState(sealer: Sealer, watchId: string, { entry, content }: Row): [string, EntryState] {
  const text = sealer.unseal(String(content), stateContext(watchId, String(entry)));
  const { id, ...known } = JSON.parse(text) as EntryState & { readonly id: string };
  return [id, known];
}

/** Returns the gaps of a row (content). */
export const decodeGaps = (sealer: Sealer, watchId: string, { content }: Row): readonly string[] =>
  JSON.parse(sealer.unseal(String(content), stateContext(watchId, gapsKey))) as string[];

/** Returns the row (watch, seq, found_at, content) of a change. */
export const encodeChange = (
  sealer: Sealer,
  watchId: string,
  seq: number,
  at: Value,
  change: FoundChange,
): readonly Value[] => [watchId, seq, at, sealer.seal(JSON.stringify(change), changeContext(watchId, seq))];

/** Returns the change of a row (seq, found_at, content). It is repeated if it was `delivered` before. */
export function decodeChange(
  sealer: Sealer,
  watchId: string,
  { seq: number, found_at: at, content }: Row,
  delivered: number,
): StoredChange {
  const seq = Number(number);
  const change = JSON.parse(sealer.unseal(String(content), changeContext(watchId, seq))) as FoundChange;
  return { ...change, seq, at: Number(at), repeated: seq <= delivered };
}

/** A cursor is the position of a change, as text for consumers: the start of the ID of the watch and a sequence number. */
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
